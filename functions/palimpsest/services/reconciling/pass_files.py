"""What lies between the steps of a pass: its list, its state, and the pages of its plan."""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.domain.errors import NotFound
from palimpsest.domain.passes import PlannedChange, Prepared
from palimpsest.domain.planning import ChangeKind
from palimpsest.domain.records import Content
from palimpsest.domain.vectors import BYTES_PER_DIMENSION, Vector, from_float16, to_float16
from palimpsest.ports import ObjectStore

WORK = "work"
Desired = tuple[str, Content]
"""A record as the list has it: id and content."""


def work_prefix(tenant: str, namespace: str, name: str = "") -> str:
    """Where the files of one pass lie, or those of all passes of a namespace."""
    whole = f"{WORK}/{tenant}/{namespace}/"
    return f"{whole}{name}/" if name else whole


@dataclass(frozen=True, slots=True)
class PassFiles:
    """The files of one pass, below a prefix of their own. All may be written again."""

    objects: ObjectStore
    prefix: str

    @property
    def list_key(self) -> str:
        """Where a list that came with its request is kept."""
        return f"{self.prefix}list.jsonl"

    def keep_list(self, desired: Iterable[Desired]) -> None:
        """Keep a list, a record a line."""
        lines = (json.dumps({"id": i, **c.to_json()}, ensure_ascii=False) for i, c in desired)
        self.objects.put(self.list_key, "\n".join(lines).encode())

    def kept_list(self) -> Iterator[Desired]:
        """The list that was kept."""
        for line in self.objects.lines(self.list_key):
            if line:
                found = json.loads(line)
                yield found.pop("id"), Content.from_json(found)

    def keep_page(self, number: int, changes: Sequence[PlannedChange]) -> None:
        """Keep a page of the plan."""
        rows = [[c.kind, c.id, c.content.to_json() if c.content else None] for c in changes]
        self._put(f"plan/{number:06}", rows)

    def page(self, number: int) -> list[PlannedChange]:
        """A page of the plan."""
        rows = self._get(f"plan/{number:06}")
        return [
            PlannedChange(ChangeKind(kind), record_id, Content.from_json(found) if found else None)
            for kind, record_id, found in rows
        ]

    def keep_vectors(self, number: int, prepared: Prepared) -> None:
        """Keep the vectors that were made for a page, and how many calls that took."""
        rows = [
            [record_id, hash_, base64.b64encode(to_float16(vector)).decode()]
            for record_id, (hash_, vector) in prepared.vectors.items()
        ]
        told = {"made": rows, "calls": prepared.calls, "complete": prepared.complete}
        self._put(f"vectors/{number:06}", told)

    def vectors(self, number: int) -> Prepared:
        """What was made for a page so far; nothing, and incomplete, where it was not begun."""
        try:
            found = self._get(f"vectors/{number:06}")
        except NotFound:
            return Prepared(complete=False)
        vectors: dict[str, tuple[str, Vector]] = {}
        for record_id, hash_, encoded in found["made"]:
            data = base64.b64decode(encoded)
            vector = from_float16(data, dimension=len(data) // BYTES_PER_DIMENSION)
            if vector is not None:
                vectors[record_id] = (hash_, vector)
        return Prepared(vectors, int(found["calls"]), complete=bool(found["complete"]))

    def keep_state(self, state: Mapping[str, Any]) -> None:
        """Keep the state of the pass."""
        self._put("state", state)

    def state(self) -> dict[str, Any]:
        """The state of the pass."""
        found: dict[str, Any] = self._get("state")
        return found

    def moved_to(self, objects: ObjectStore) -> "PassFiles":
        """The same files in another store, with all that there is by now."""
        for key in list(self.objects.keys(self.prefix)):
            objects.put(key, self.objects.get(key))
        return PassFiles(objects, self.prefix)

    def erase(self) -> None:
        """Remove them all."""
        self.objects.erase(self.prefix)

    def _put(self, name: str, value: object) -> None:
        data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        self.objects.put(f"{self.prefix}{name}.json", data)

    def _get(self, name: str) -> Any:
        return json.loads(self.objects.get(f"{self.prefix}{name}.json"))
