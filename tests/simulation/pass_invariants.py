"""Invariants of passes as the table takes their writes: each commit stands under the fence, writes
only what the list says, and nothing over what a client wrote later; an older pass never undoes a
newer one; a finished one leaves its list, but for what clients wrote since it began.
"""

from collections.abc import Mapping

from palimpsest.adapters.dynamodb.items import FENCE
from palimpsest.domain.vectors import from_float16, text_hash
from simulation.commit_invariants import Commit, check_left_behind
from simulation.index_invariants import is_vector_of
from simulation.passes import Begun, FenceWrite, Listed, Passes
from simulation.scheduling import Violated
from simulation.table import Item, Key, Table, Written
from simulation.truth import ACTIVE, DELETED, SUPERSEDED, Truth, Version, version_of


def check_commit(commit: Commit, truth: Truth, passes: Passes, table: Table) -> None:
    """A commit of a pass. Raises `Violated`."""
    listed = passes.by_name[commit.by]
    begun = _under_fence(commit, listed, passes, table)
    expected: dict[str, tuple[str, str | None]] = {}
    for record_id, item in commit.records().items():
        before = truth.now((commit.pk, record_id))
        if before.revision > begun.last:
            said = f"{listed} from {begun.last} on writes {record_id} over {before}"
            raise Violated("a client's later write is overwritten", said)
        found = version_of(item, 0, commit.by)
        wanted = _wanted(record_id, listed, before)
        told = (found.status, found.text, found.supersedes, found.superseded_by)
        if told != wanted or found.revision != commit.revision:
            raise Violated("lists", f"{listed} writes {record_id} {found}, not {wanted}")
        expected[record_id] = (found.status, found.text)
    if not expected:
        raise Violated("lists", f"{listed} has committed nothing at {commit.revision}")
    check_left_behind(commit, truth, expected)
    _check_vectors(commit, expected, table)


def _under_fence(commit: Commit, listed: Listed, passes: Passes, table: Table) -> Begun:
    fence = table.true(Key(commit.pk, FENCE))
    begun = passes.attempts.get(fence["attempt"]["S"]) if fence is not None else None
    if fence is None or begun is None or begun.listed is not listed or listed.pk != commit.pk:
        raise Violated("fence", f"{listed} commits {commit.revision} under {begun}")
    if listed.revision and int(fence["begun"]["N"]) != listed.revision:
        raise Violated("an older pass undoes a newer", f"{listed} commits under {fence}")
    if listed.dry_run:
        raise Violated("dry runs", f"{listed} commits {commit.revision}")
    return begun


def _wanted(
    record_id: str, listed: Listed, before: Version
) -> tuple[str, str | None, tuple[str, ...], str | None] | None:
    """What a pass may make of a record; None if nothing."""
    text = listed.texts.get(record_id)
    if text is not None:
        stands = (before.status, before.text, before.supersedes) == (ACTIVE, text, ())
        return None if stands else (ACTIVE, text, (), None)
    if before.status != ACTIVE:
        return None
    if listed.forget:
        return DELETED, None, (), None
    return SUPERSEDED, before.text, before.supersedes, None


def _check_vectors(
    commit: Commit, expected: Mapping[str, tuple[str, str | None]], table: Table
) -> None:
    """The vectors in a commit are those of its texts, and what leaves leaves none."""
    for sk, item in commit.items.items():
        if not sk.startswith("V#"):
            continue
        status, text = expected.get(sk.split("#")[1], ("", None))
        data = item["vec"]["B"]
        vector = from_float16(data, dimension=len(data) // 2)
        fits = status == ACTIVE and text is not None and item["eh"]["S"] == text_hash(text)
        if not fits or vector is None or not is_vector_of(list(vector), text or ""):
            raise Violated("vectors", f"{commit.pk} {commit.revision}: {sk} is none of {text!r}")
    left = [
        key.sk
        for key in table.everything()
        if key.pk == commit.pk
        and key.sk.startswith("V#")
        and expected.get(key.sk.split("#")[1], (ACTIVE, None))[0] != ACTIVE
    ]
    if left:
        raise Violated("vectors", f"{commit.pk} {commit.revision}: {left} stay")


def check_fence(written: Written, truth: Truth, passes: Passes, moment: int) -> None:
    """A write of a fence beside commits. Raises `Violated`."""
    (pk, _), before, after = written
    if after is None:
        raise Violated("fence", f"{pk}: the fence is gone")
    was, attempt = _attempt(before), _attempt(after)
    begun = passes.attempts.get(attempt)
    if "done" in after and (before is None or before.get("done") != after["done"]):
        if attempt != after["done"]["S"] or attempt != was or begun is None:
            raise Violated("fence", f"{pk}: {after} is finished by another")
        begun.finished = True
        check_finished(begun, truth, passes)
        return
    if begun is None or begun.listed.pk != pk:
        raise Violated("fence", f"{pk}: {attempt} is nobody's")
    older, newer = _begun(before), _begun(after)
    revision = begun.listed.revision
    if newer < older or newer != (revision or older):
        said = f"{begun.listed} begins after {older}: {newer}"
        raise Violated("an older pass undoes a newer", said)
    if begun.clock is None:
        begun.clock = truth.clock(pk)
    elif passes.fences[pk] and passes.fences[pk][-1].attempt == attempt:
        return
    passes.fences[pk].append(FenceWrite(moment, attempt, newer))


def check_finished(begun: Begun, truth: Truth, passes: Passes) -> None:
    """The namespace is the list, but for what clients wrote since the pass began."""
    listed = begun.listed
    for record_id, text in listed.texts.items():
        now = truth.now((listed.pk, record_id))
        if (now.status, now.text, now.supersedes) == (ACTIVE, text, ()):
            continue
        if now.revision <= begun.first or now.by in passes.by_name:
            raise Violated("lists", f"{listed} from {begun.first} on leaves {record_id} {now}")
    for record_id, now in truth.records(listed.pk):
        if now.status != ACTIVE or record_id in listed.texts:
            continue
        if now.revision <= begun.first or now.by in passes.by_name:
            raise Violated("lists", f"{listed} from {begun.first} on leaves {record_id} {now}")


def _attempt(item: Item | None) -> str:
    return str(item["attempt"]["S"]) if item is not None else ""


def _begun(item: Item | None) -> int:
    return int(item["begun"]["N"]) if item is not None and "begun" in item else 0
