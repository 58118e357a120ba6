"""The state of a pass between its steps."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from palimpsest.domain.instants import from_text, to_text
from palimpsest.domain.passes import Pass
from palimpsest.services.reconciling.beginning import Asked, PassRequest
from palimpsest.services.reconciling.planning import Planned


@dataclass(frozen=True, slots=True, kw_only=True)
class PassState:
    """Where a pass stands. `key`: the object that holds the list, if not the one kept with it;
    `attempt`: its name at the fence, which it has begun under if `begun` is given; `planned`: once
    it is; `asked`: if it begins later than that; `warnings`: what was mended in a list that came as
    an object; `pages` of it are committed, by so many `commits`. `newest`: it was displaced, and
    that is the newest R begun.
    """

    request: PassRequest
    attempt: str
    dry_run: bool = False
    key: str | None = None
    begun: Pass | None = None
    planned: Planned | None = None
    asked: Asked | None = None
    warnings: tuple[Mapping[str, str], ...] = ()
    pages: int = 0
    commits: int = 0
    calls: int = 0
    newest: int | None = None

    def with_page(self, commits: int, calls: int) -> "PassState":
        """The state once one page more is committed."""
        return replace(
            self,
            pages=self.pages + 1,
            commits=self.commits + commits,
            calls=self.calls + calls,
        )

    def to_json(self) -> dict[str, Any]:
        """As it is kept."""
        told = asdict(replace(self, planned=None))
        told["planned"] = self.planned.to_json() if self.planned is not None else None
        if self.asked is not None:
            told["asked"] = [to_text(self.asked.at), self.asked.floor]
        return told

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> "PassState":
        """The inverse of `to_json`."""
        begun, planned, asked = found["begun"], found["planned"], found.get("asked")
        return cls(
            **{
                **found,
                "request": PassRequest(**found["request"]),
                "warnings": tuple(found["warnings"]),
                "begun": Pass(**begun) if begun is not None else None,
                "asked": Asked(from_text(asked[0]), asked[1]) if asked is not None else None,
                "planned": Planned.from_json(planned) if planned is not None else None,
            }
        )
