"""Deliberate faults of passes and of their jobs."""

from simulation.mutation import DOMAIN, SERVICES, TABLE, Mutation

PASSES = SERVICES + "reconciling/"
RECONCILE, PURGES = "reconcile", "purges"
READ_BEFORE = """        before, _ = self.store.read(tenant, namespace)
        if not self.fences.begin("""
PLAIN_READS = """answer = {"Responses": [
                        self._client.get_item(ConsistentRead=True, **one["Get"]) for one in gets
                    ]}"""

OF_PASSES = (
    Mutation(
        "commits without the fence",
        DOMAIN + "passes.py",
        "        fence=one.attempt,\n",
        "        fence=None,\n",
        "an older pass writes over a newer one",
        RECONCILE,
    ),
    Mutation(
        "fence not replaced",
        TABLE + "fences.py",
        "return self._update(tenant, namespace, update, values, condition)",
        "return True",
        "no pass ever applies",
        RECONCILE,
    ),
    Mutation(
        "an older pass may begin",
        TABLE + "fences.py",
        '"attribute_not_exists(begun) OR begun <= :revision"',
        '"attribute_not_exists(nothing) OR begun <= :revision"',
        "an older list undoes a newer one",
        RECONCILE,
    ),
    Mutation(
        "finish not conditional",
        TABLE + "fences.py",
        'update, values, {"ConditionExpression": still_ours})',
        "update, values, {})",
        "a displaced pass is called applied",
        RECONCILE,
    ),
    Mutation(
        "clock not read with the fence",
        TABLE + "fences.py",
        "answer = self._client.transact_get_items(TransactItems=gets)",
        PLAIN_READS,
        "what a displaced pass wrote last is taken for a client's",
        RECONCILE,
    ),
    Mutation(
        "clock read before the fence",
        PASSES + "beginning.py",
        "        return self.resume(request, attempt=attempt)\n",
        "        one = self.resume(request, attempt=attempt)\n"
        "        return _pass(request, attempt, before)\n",
        "what a displaced pass wrote last is taken for a client's",
        RECONCILE,
        also=(
            "        if not self.fences.begin(",
            READ_BEFORE,
        ),
    ),
    Mutation(
        "last commits not waited for",
        PASSES + "beginning.py",
        "            reader.records(changes_of(entry, order, upto=clock.revision))\n",
        "            pass\n",
        "a pass is planned on records that are no more",
        RECONCILE,
    ),
    Mutation(
        "a client's later write overwritten",
        DOMAIN + "passes.py",
        "        if before is not None and before.revision > one.base:\n            continue\n",
        "",
        "what a client wrote while the pass ran is lost",
        RECONCILE,
    ),
    Mutation(
        "a removed record keeps its vector",
        DOMAIN + "passes.py",
        "retired=tuple(i for i, c in done.items() if c.after.status is not Status.ACTIVE),",
        "retired=(),",
        "a vector stays of what left",
        RECONCILE,
    ),
    Mutation(
        "vectors of other records",
        DOMAIN + "passes.py",
        "made={i: vectors[i] for i in done if i in vectors},",
        "made=dict(vectors),",
        "a text that a client wrote later has the vector of another",
        RECONCILE,
    ),
    Mutation(
        "planned below the floor",
        DOMAIN + "planning.py",
        "record.revision <= floor or record.id",
        "record.id",
        "what was purged counts as there",
        PURGES,
    ),
    Mutation(
        "superseded counts as unchanged",
        DOMAIN + "planning.py",
        "if active and wanted is not None and record.content_hash == wanted:",
        "if wanted is not None and record.content_hash == wanted:",
        "what is on the list stays hidden",
        RECONCILE,
    ),
    Mutation(
        "what is not on the list stays",
        DOMAIN + "planning.py",
        "            (removed if wanted is None else updated).append(record.id)\n",
        "            updated.extend([record.id] if wanted is not None else [])\n",
        "the namespace is more than the list",
        RECONCILE,
    ),
    Mutation(
        "changes of clients not planned around",
        DOMAIN + "planning.py",
        "            newer.append(record.id)\n        elif active:\n",
        "            newer.append(record.id)\n            continue\n        elif active:\n",
        "the numbers of the report do not add up",
        RECONCILE,
    ),
    Mutation(
        "a page counts before it is committed",
        PASSES + "pass_steps.py",
        "                state = self.steps.apply_next(state, files, until=math.inf)\n",
        "                files.keep_state(replace(state, pages=state.pages + 1).to_json())\n"
        "                state = self.steps.apply_next(state, files, until=math.inf)\n",
        "an interrupted job passes over a page",
        RECONCILE,
    ),
    Mutation(
        "files go before the end",
        PASSES + "pass_steps.py",
        "        elif not job.ended and state is not None:\n",
        "        elif not job.ended and state is not None:\n            files.erase()\n",
        "an interrupted end cannot be taken again",
        RECONCILE,
    ),
    Mutation(
        "verified, whatever the index has",
        PASSES + "verifying.py",
        "return equal and caught_up, told",
        "return equal, told",
        "what is called verified is not found",
        RECONCILE,
    ),
    Mutation(
        "resumed under the old name only",
        SERVICES + "resume_jobs.py",
        'name = job.name if number == 1 else f"{job.name}-{number}"',
        "name = job.name",
        "a job whose machine is gone never ends",
        RECONCILE,
    ),
    Mutation(
        "jobs end again",
        TABLE + "jobs.py",
        'not_ended = "attribute_not_exists(fa)"',
        'not_ended = "attribute_not_exists(nothing)"',
        "a step taken again tells another end",
        RECONCILE,
    ),
)
