"""What a start of the local stack does about commits that may be lost."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from cli import restore
from local import supervisor
from local.layout import Layout
from local.supervisor import Supervisor
from palimpsest.domain.errors import Unavailable
from palimpsest.services.restore import Jump, Restored

NOTHING = Restored(ahead=False, jumps=(), renewed=False, generation="g", embedded=0)
JUMPED = replace(NOTHING, jumps=(Jump("acme", "notes", 1, 1001),))


@dataclass(slots=True)
class Services:
    """Restores that end as they are told to."""

    outcomes: list[Restored | Unavailable]
    asked: list[bool] = field(default_factory=list)

    def restore(self, *, jump: bool) -> Restored:
        self.asked.append(jump)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Unavailable):
            raise outcome
        return outcome


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = replace(Layout.from_environment({}), local=tmp_path)
    made.deployed_marker.touch()
    made.state.mkdir()
    return made


@pytest.fixture
def restoring(
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Services]:
    def given(*outcomes: Restored | Unavailable) -> Services:
        services = Services(list(outcomes))
        monkeypatch.setattr(supervisor, "restore_services", lambda _: services)
        monkeypatch.setattr(restore, "settings_of", lambda name: name)
        return services

    return given


def test_after_a_clean_stop_the_sign_is_looked_for_and_nothing_is_said(
    layout: Layout, restoring: Callable[..., Services]
) -> None:
    said: list[str] = []
    services, stack = restoring(NOTHING), Supervisor(layout, say=said.append)
    stack.behind = stack._recover()
    stack._restore("projector")
    assert (services.asked, said) == ([False], [])


def test_after_a_kill_clocks_jump_and_that_is_said_in_a_line(
    layout: Layout, restoring: Callable[..., Services]
) -> None:
    layout.running_marker.touch()
    said: list[str] = []
    services, stack = restoring(JUMPED), Supervisor(layout, say=said.append)
    stack.behind = stack._recover()
    stack._restore("projector")
    assert services.asked == [True]
    assert [line.partition(":")[0].partition(" of ")[0] for line in said] == [
        "the last stop was not clean",
        "the revisions",
    ]
    stack.stop()
    assert not layout.running_marker.exists()


def test_a_start_that_is_broken_off_before_the_clocks_have_jumped_is_not_a_clean_stop(
    layout: Layout,
) -> None:
    layout.running_marker.touch()
    stack = Supervisor(layout, say=lambda _: None)
    stack.behind = stack._recover()
    stack.stop()
    assert layout.running_marker.exists()
    assert Supervisor(layout, say=lambda _: None)._recover()


def test_an_index_found_damaged_is_asked_once_more(
    layout: Layout, restoring: Callable[..., Services]
) -> None:
    damaged = Unavailable("the index file is damaged", stage="index")
    services, stack = restoring(damaged, NOTHING), Supervisor(layout, say=lambda _: None)
    stack._restore("projector")
    assert services.asked == [False, False]
    restoring(damaged, damaged)
    with pytest.raises(RuntimeError, match="not in line: the index file is damaged"):
        stack._restore("projector")
