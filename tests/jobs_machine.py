"""The state machine of long jobs, as data: its states, scope by scope."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sam_template

PATH = sam_template.PATH.parent / "infra" / "state_machines" / "jobs.asl.json"
TEXT = PATH.read_text(encoding="utf-8")
MACHINE: dict[str, Any] = json.loads(TEXT)


@dataclass(frozen=True, slots=True)
class Scope:
    """States that lead to each other: the machine's own, or those of one page."""

    start: str
    states: dict[str, Any]

    def following(self, name: str) -> set[str]:
        """The states that may come after one."""
        state = self.states[name]
        told = [state, *state.get("Choices", []), *state.get("Catch", [])]
        return {one[key] for one in told for key in ("Next", "Default") if key in one}

    def reached(self) -> set[str]:
        """The states that some way leads to."""
        found, open_ = set(), {self.start}
        while open_:
            found |= open_
            open_ = {after for name in open_ for after in self.following(name)} - found
        return found

    def ends(self, name: str) -> bool:
        """Whether nothing comes after a state."""
        state = self.states[name]
        return state.get("End") is True or state["Type"] in {"Succeed", "Fail"}


def scopes(machine: dict[str, Any] = MACHINE) -> Iterator[Scope]:
    """The machine's scope and those inside it."""
    yield Scope(machine["StartAt"], machine["States"])
    for state in machine["States"].values():
        if "ItemProcessor" in state:
            yield from scopes(state["ItemProcessor"])


def tasks() -> dict[str, dict[str, Any]]:
    """Every state that calls the function, by name."""
    return {
        name: state
        for scope in scopes()
        for name, state in scope.states.items()
        if state["Type"] == "Task"
    }
