"""Deliberate faults of the services, of the domain, and of the adapters of the index."""

from simulation.mutation import DOMAIN, INDEX, SERVICES, Mutation

OF_SERVICES = (
    Mutation(
        "marks erased first",
        SERVICES + "erase.py",
        "            seen = self.erasures.erase(tenant, namespace, due)\n",
        "            self.erasures.unmark(tenant, namespace, due)\n"
        "            seen = self.erasures.erase(tenant, namespace, due)\n",
        "an interrupted erasure is never taken up again",
    ),
    Mutation(
        "erased after one look",
        SERVICES + "erase.py",
        "            self.clock.sleep(SETTLING_S)\n",
        "",
        "a version that comes into view late is never erased",
        also=(
            "                self.erasures.erase(tenant, namespace, seen)\n",
            "                pass\n",
        ),
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
        "        again = self._again(request)\n"
        "        if again is not None:\n"
        "            return again\n"
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
        "return None, Unavailable(f\"the index answered {status}: {error.get('type')}\","
        " stage=STAGE)",
        "return WriteResult(record_id, WriteOutcome.APPLIED), None",
        "what the engine did not take counts as written",
    ),
)
