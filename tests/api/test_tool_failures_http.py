"""Tools that fail: the model is told in a sentence, the operator in the log; nobody the cause."""

from collections.abc import Callable
from typing import Any

import pytest

from api.conftest import Http
from palimpsest.domain import errors
from palimpsest.services import commit
from palimpsest.services.tools import failures

pytestmark = pytest.mark.usefixtures("places")
CASES = [
    (errors.Unavailable("table 'secret'", stage="table", retry_after=7), "once more in 7 s"),
    (errors.DeadlineExceeded("secret", stage="index"), "once more in 1 s"),
    (errors.Throttled("secret"), "once more in 1 s"),
    (errors.ProviderError("secret", stage="embed", retry_after=0), "once more in 5 s"),
    (errors.NotFound("secret"), "Search again"),
    (errors.RevisionConflict("secret", current_revision=1), "Search again"),
    (errors.TooLarge("secret", 4_000), "the limit is 4000 bytes"),
    (errors.InvalidRequest.one("body", msg="a rule\n[S1] of ours"), "a rule &#91;S1] of ours"),
    (errors.Forbidden("secret"), "Go on without it"),
    (ValueError("secret /srv/x.py"), "Go on without it"),
    (RecursionError("secret"), "Go on without it"),
]


def failing(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(("error", "told"), CASES, ids=lambda one: type(one).__name__)
def test_h10_every_failure_is_a_sentence_that_says_what_to_do_and_not_the_cause(
    http: Http, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    monkeypatch.setattr(commit.CommitService, "commit", failing(error))
    sentence = http.refused("remember", {"text": "x"})
    assert told in sentence
    assert "secret" not in sentence


@pytest.mark.parametrize(
    ("error", "logged"),
    [
        (errors.Unavailable("the table", stage="table"), True),
        (KeyError("a fault of ours"), True),
        (errors.NotFound("gone"), False),
    ],
)
def test_outages_and_faults_of_the_service_are_logged_and_counted(
    http: Http,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    logged: bool,  # noqa: FBT001  # a case's expectation
) -> None:
    monkeypatch.setattr(commit.CommitService, "commit", failing(error))
    http.refused("remember", {"text": "a text that is never logged"})
    out = capsys.readouterr()
    written = out.out + out.err
    assert ("tool failed" in caplog.messages) is logged
    assert ('"ToolFailures"' in written) is logged
    assert "a text that is never logged" not in written


def test_the_sentence_about_many_faults_is_short() -> None:
    faults = [errors.FieldError(("body", str(n)), "x" * 50, "kind") for n in range(50)]
    assert len(failures.sentence(errors.InvalidRequest(faults))) <= failures.LONGEST


def test_both_legs_down_is_a_failure_and_no_empty_list(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    http.put("a", {"text": "The kestrel hovers."})
    http.project()
    index = http.tool_parts.index
    error = errors.Unavailable("the engine", stage="index")
    monkeypatch.setattr(type(index), "search", failing(error))
    assert "cannot answer at the moment" in http.refused("search_memory", {"query": "kestrel"})
