"""Invariants of the answers to writes: what is acknowledged was done, or was so already; what is
refused was not done, and its reason was true at some moment of the request.
"""

from palimpsest.domain.errors import InvalidRequest, NotFound, RevisionConflict, Throttled
from palimpsest.services.commit import Committed
from simulation.commit_invariants import guard_holds, stands_as_wished
from simulation.requests import Request, Told, Wish
from simulation.scheduling import Violated
from simulation.truth import NEVER, Truth, Version


def acknowledged(
    request: Request, committed: Committed, truth: Truth, *, ended: float
) -> dict[str, int]:
    """Take an answer into the request; the revisions it told of, by record. Raises `Violated`."""
    request.told = Told.DONE
    told = {outcome.id: outcome.revision for outcome in committed.outcomes}
    changed = [outcome for outcome in committed.outcomes if outcome.changed]
    if list(told) != [wish.record_id for wish in request.wishes]:
        raise Violated("answers", f"{request} was answered {committed}")
    if changed or request.applied:
        if request.applied != [committed.revision]:
            raise Violated("lost write", f"{request} was answered {committed}")
        if any(outcome.revision != committed.revision for outcome in changed):
            raise Violated("answers", f"{request} was answered {committed}")
        if {outcome.id for outcome in changed} != _changed_by(request, truth):
            raise Violated("answers", f"{request} was answered {committed}")
        return told
    _check_nothing_changed(request, told, truth, ended)
    return told


def refused(
    request: Request,
    error: Exception,
    truth: Truth,
    *,
    began: float,
    ended: float,
    first: bool,
) -> dict[str, int]:
    """Take a refusal into the request; the revisions it told of. Raises `Violated`."""
    revisions: dict[str, int] = {}
    if isinstance(error, RevisionConflict):
        revisions = _check_conflict(request, error, truth, began, ended)
    elif isinstance(error, NotFound):
        _check_absent(
            request, [w.record_id for w in request.wishes if w.text is None], truth, began, ended
        )
    elif isinstance(error, InvalidRequest):
        superseded = [one for wish in request.wishes for one in wish.supersedes]
        _check_absent(request, superseded, truth, began, ended)
    elif not (isinstance(error, Throttled) and first):
        return {}  # nobody knows
    if request.applied:
        raise Violated("refused, yet done", f"{request}: {error!r}")
    request.told = Told.REFUSED
    return revisions


def _changed_by(request: Request, truth: Truth) -> set[str]:
    """The records that a request wished for and changed."""
    ids = {wish.record_id for wish in request.wishes}
    return {
        one
        for one in ids
        if any(version.by == request.by for version in truth.standing(request.names(one)))
    }


def _check_nothing_changed(
    request: Request, told: dict[str, int], truth: Truth, ended: float
) -> None:
    """All records stood as they were wished, at one moment of the request."""
    since, until = request.began, ended
    for wish in request.wishes:
        times = [
            (one.visible, _replaced(one, wish, request, truth))
            for one in truth.seen(request.names(wish.record_id), request.began, ended)
            if one.revision == told[wish.record_id] and stands_as_wished(wish, one)
        ]
        if not times:
            said = f"{request}: {wish.record_id} was not {told[wish.record_id]} as wished"
            raise Violated("nothing to change", said)
        since = max(since, times[0][0])
        until = min(until, times[0][1])
    if since > until:
        raise Violated("nothing to change", f"{request}: not at one moment")


def _replaced(version: Version, wish: Wish, request: Request, truth: Truth) -> float:
    """When a version was no longer seen."""
    versions = truth.versions[request.names(wish.record_id)]
    place = versions.index(version)
    return versions[place + 1].visible if place + 1 < len(versions) else NEVER


def _check_conflict(
    request: Request, error: RevisionConflict, truth: Truth, began: float, ended: float
) -> dict[str, int]:
    clocks = truth.ticked(request.pk, began, ended)
    if error.current_revision not in clocks:
        raise Violated("refusals", f"{request}: the clock was never {error.current_revision}")
    if not error.operations and request.expected in {None, error.current_revision}:
        raise Violated("refusals", f"{request} was refused for nothing")
    wishes = {wish.record_id: wish for wish in request.wishes}
    for found in error.operations:
        seen = truth.seen(request.names(found.id), began, ended)
        fits = [one for one in seen if (one.revision if one.there else 0) == found.revision]
        if not fits:
            raise Violated("refusals", f"{request}: {found} was never so, but {seen}")
        forgets = wishes[found.id].text is None  # its guard is looked at before it is looked for
        if not forgets and guard_holds(wishes[found.id], fits[0]):
            raise Violated("refusals", f"{request}: {found} fits its guard")
    return {found.id: found.revision for found in error.operations}


def _check_absent(
    request: Request, ids: list[str], truth: Truth, began: float, ended: float
) -> None:
    for record_id in ids:
        if any(not one.there for one in truth.seen(request.names(record_id), began, ended)):
            return
    raise Violated("refusals", f"{request}: all of {ids} were there")
