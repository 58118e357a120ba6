"""The deliberate faults: where each is, and what it breaks."""

from dataclasses import dataclass

TABLE = "palimpsest/adapters/dynamodb/"
INDEX = "palimpsest/adapters/opensearch/"
SERVICES = "palimpsest/services/"
DOMAIN = "palimpsest/domain/"


@dataclass(frozen=True, slots=True)
class Mutation:
    """One fault: `old` occurs in `file` once and becomes `new`. `scenario`: the one to look in.
    `also`: a second change, where one guard alone is doubled by another.
    """

    name: str
    file: str
    old: str
    new: str
    breaks: str
    scenario: str | None = None
    also: tuple[str, str] | None = None


MUTATIONS = (
    Mutation(
        "clock and log not conditional",
        TABLE + "transaction.py",
        '            "ConditionExpression": clock_unchanged,\n',
        "",
        "two commits take one revision",
        also=("_create(table, log)]", '{"Put": {"TableName": table, "Item": log}}]'),
    ),
    Mutation(
        "record not conditional",
        TABLE + "transaction.py",
        '            "ConditionExpression": record_unchanged,\n',
        "",
        "a commit planned on a stale read overwrites",
    ),
    Mutation(
        "new record not conditional",
        TABLE + "transaction.py",
        '"Item": item, "ConditionExpression": never_written}}',
        '"Item": item}}',
        "a create planned on a stale read overwrites",
    ),
    Mutation(
        "doubt ends with a refusal",
        TABLE + "transaction.py",
        "return None if doubtful else False",
        "return False",
        "a commit that was applied is planned anew",
    ),
    Mutation(
        "time-out taken for a refusal",
        TABLE + "transaction.py",
        "    except BotoCoreError:\n        return None",
        "    except BotoCoreError:\n        return False",
        "a commit that was applied is planned anew",
    ),
    Mutation(
        "throttled while in doubt",
        TABLE + "transaction.py",
        "if code not in _AMBIGUOUS and not (doubtful and code in THROTTLED):",
        "if code not in _AMBIGUOUS:",
        "a commit that was applied is planned anew",
    ),
    Mutation(
        "settled by the clock alone",
        TABLE + "store.py",
        "return items.log_entry_of(found[0]).commit_id == plan.commit_id if found else None",
        "return True if found else None",
        "another's commit is taken for one's own",
    ),
    Mutation(
        "history not kept",
        TABLE + "transaction.py",
        '    return [{"Put": {"TableName": table, "Item": former}}]\n',
        "    return []\n",
        "former versions are lost",
    ),
    Mutation(
        "forgetting not marked",
        TABLE + "transaction.py",
        'return [{"Put": {"TableName": table, "Item": marker}}]',
        "return []",
        "nothing is ever erased",
    ),
    Mutation(
        "log read over its gaps",
        TABLE + "store.py",
        "            if entry.previous > (unbroken[-1].revision if unbroken else after):\n"
        "                break\n",
        "",
        "a commit seen late is passed over",
    ),
    Mutation(
        "log read backward over its gaps",
        TABLE + "commit_log.py",
        "            if entry.revision != (unbroken[-1].previous if unbroken else upto):\n"
        "                break\n",
        "",
        "a list passes over a commit seen late",
    ),
    Mutation(
        "batch reads not finished",
        TABLE + "batches.py",
        'left = list(undone["Keys"]) if undone else []',
        "left = []",
        "what was left unprocessed counts as absent",
    ),
    Mutation(
        "batch deletions not finished",
        TABLE + "batches.py",
        'left = answer["UnprocessedItems"].get(table)',
        "left = None",
        "what was left unprocessed is never erased",
    ),
    Mutation(
        "vector not conditional",
        TABLE + "vectors.py",
        'has_this_text = "eh = :eh"',
        'has_this_text = "eh = :eh OR attribute_not_exists(nothing)"',
        "a forgotten text leaves a vector",
    ),
    Mutation(
        "vector of another text",
        TABLE + "vectors.py",
        '            if item["eh"]["S"] != wanted[record_id]:\n                continue\n',
        "",
        "a record is found by what it was",
    ),
    Mutation(
        "progress may go back",
        TABLE + "index_ledger.py",
        '"attribute_not_exists(#rev) OR #rev < :rev"\n        key',
        '"attribute_not_exists(nothing)"\n        key',
        "a slow projection lowers the indexed revision",
    ),
    Mutation(
        "ledger cleared by an older pass",
        TABLE + "index_ledger.py",
        'nothing_newer = "#rev <= :rev"\n',
        'nothing_newer = "attribute_exists(pk) OR #rev <= :rev"\n',
        "what waits for the embedder is forgotten",
    ),
    Mutation(
        "vectors not erased",
        TABLE + "erasure.py",
        'if item["eh"] != current.get(record_id):',
        'if item["eh"] != current.get(record_id) and record_id in current and current[record_id]:',
        "a forgotten text leaves a vector",
    ),
    Mutation(
        "marks erased first",
        TABLE + "erasure.py",
        "            delete_items(self._client, self._table, left)\n"
        "            delete_items(self._client, self._table, markers)\n",
        "            delete_items(self._client, self._table, markers)\n"
        "            delete_items(self._client, self._table, left)\n",
        "an interrupted erasure is never taken up again",
    ),
    Mutation(
        "erasing all of history",
        TABLE + "erasure.py",
        "items.history_sk(record_id, 0), items.history_sk(record_id, revision)",
        "items.history_sk(record_id, 0), items.history_sk(record_id, 10**19)",
        "versions after the forgetting are lost",
    ),
    Mutation(
        "twin not looked for serially",
        SERVICES + "commit.py",
        "again = self._again(request, serial=True)",
        "again = None",
        "a repeated write is refused for what it did itself",
    ),
    Mutation(
        "no key looked for",
        SERVICES + "commit.py",
        "        again = self._again(request)\n        if again is not None:\n            return again\n"
        "        tenant",
        "        tenant",
        "a repeated write is applied again",
    ),
    Mutation(
        "nothing changed, not checked",
        SERVICES + "commit.py",
        "elif len(ids) == 1 and request.idempotency is None:",
        "elif len(ids) > 0:",
        "what is told to stand never stood together",
    ),
    Mutation(
        "records not read again",
        SERVICES + "project.py",
        "            if not late:\n                return clock, records\n",
        "            return clock, records\n",
        "a commit seen half is projected half",
    ),
    Mutation(
        "index not refreshed",
        SERVICES + "project.py",
        "            self.index.refresh()\n",
        "",
        "what is said to be indexed is not found",
    ),
    Mutation(
        "waiting records not tried again",
        SERVICES + "project.py",
        "if whatever_reason or entry.reason is Reason.PENDING",
        "if whatever_reason",
        "what waited for the embedder waits for ever",
    ),
    Mutation(
        "rejected by the index, unsaid",
        SERVICES + "project.py",
        "if result.outcome is WriteOutcome.REJECTED:",
        "if result.outcome is None:",
        "a record is in neither index nor ledger",
    ),
    Mutation(
        "always complete",
        SERVICES + "project.py",
        "complete=vector is not None)",
        "complete=True)",
        "an entry without a vector hides the one with it",
    ),
    Mutation(
        "outage not noted",
        SERVICES + "embed_records.py",
        "missing.update(dict.fromkeys(batch, (Reason.PENDING, outage)))",
        "pass",
        "what the embedder owes is forgotten",
    ),
    Mutation(
        "only one generation projected",
        SERVICES + "projections.py",
        "for generation in self._kept():",
        "for generation in self._kept()[:1]:",
        "a generation kept beside falls behind",
        "carry over",
    ),
    Mutation(
        "as-of beyond a forgetting",
        SERVICES + "history.py",
        "if record is None or record.revision <= floor:",
        "if record is None:",
        "a forgotten version is read",
    ),
    Mutation(
        "as-of without waiting",
        SERVICES + "history.py",
        "            if record.revision > floor:\n"
        "                self._wait_for_former(tenant, namespace, record_id, record.revision,"
        " floor=floor)\n",
        "",
        "a version seen late is passed over",
    ),
    Mutation(
        "walks of stale records",
        SERVICES + "walk_log.py",
        '            read, lambda found: len(found) == len(revisions), "the commit log has a gap"',
        '            read, lambda found: True, "the commit log has a gap"',
        "a commit seen late is passed over",
    ),
    Mutation(
        "feed shows what changed since",
        SERVICES + "walks.py",
        "                and records[change.record_id].revision == change.revision\n",
        "",
        "a record is told twice",
    ),
    Mutation(
        "restore jumps too short",
        SERVICES + "restore.py",
        "jump_to=max(clock.revision, height) + MARGIN,",
        "jump_to=clock.revision + 1,",
        "a lost revision is given out again",
        "restore",
    ),
    Mutation(
        "restore keeps the index",
        SERVICES + "restore.py",
        "            self.index.renew()\n",
        "",
        "lost entries hide true ones",
        "restore",
    ),
    Mutation(
        "superseded records served",
        DOMAIN + "loss.py",
        "    if record.status is Status.SUPERSEDED:\n        return Loss.SUPERSEDED\n",
        "",
        "a stale index serves what was replaced",
    ),
    Mutation(
        "floor of a forgetting dropped",
        DOMAIN + "record_changes.py",
        "history_floor=before.history_floor if before else 0,",
        "history_floor=0,",
        "what was before a forgetting is shown again",
    ),
    Mutation(
        "`external` for `external_gte`",
        INDEX + "documents.py",
        '"version_type": "external_gte"',
        '"version_type": "external"',
        "an entry written again is refused as old",
    ),
    Mutation(
        "no version guard",
        INDEX + "documents.py",
        '            "version_type": "external_gte",\n',
        "",
        "an older pass undoes a newer",
    ),
    Mutation(
        "overloaded items ignored",
        INDEX + "bulk.py",
        'return None, Throttled("the index asks for patience")',
        "return WriteResult(record_id, WriteOutcome.APPLIED), None",
        "what the engine did not take counts as written",
    ),
    Mutation(
        "failed items ignored",
        INDEX + "bulk.py",
        "return None, Unavailable(f\"the index answered {status}: {error.get('type')}\", stage=STAGE)",
        "return WriteResult(record_id, WriteOutcome.APPLIED), None",
        "what the engine did not take counts as written",
    ),
)
