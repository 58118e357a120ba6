"""The simulated search engine at rest: indices, documents under versions, and what of them can be
seen.

A version guard holds at once; a search sees a document only after a refresh, which the engine does
by itself now and then.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulation.expressions import NotUnderstood

CREATED, CONFLICT, BAD, MISSING, OVERLOADED, UNAVAILABLE = 201, 409, 400, 404, 429, 503
INDIGESTIBLE = "indigestible"
"""A record whose id begins with this is one that the engine refuses."""

NOBODY = "nobody"
"""An entry of this id has no record: it was put there from outside."""


@dataclass(frozen=True, slots=True)
class Document:
    """One entry as the engine has it, and the moment at which it was written."""

    source: Mapping[str, Any]
    version: int
    moment: int
    terms: Mapping[str, int]

    @property
    def partition(self) -> str:
        return str(self.source["partition"])

    @property
    def id(self) -> str:
        return str(self.source["id"])

    @property
    def tombstone(self) -> bool:
        return bool(self.source["tombstone"])


@dataclass(slots=True, eq=False)
class EngineIndex:
    """One index: its documents, those that a search sees, and the highest version that each has
    ever had.
    """

    name: str
    uuid: str
    meta: Mapping[str, Any]
    aliases: set[str]
    moment: Callable[[], int]
    documents: dict[str, Document] = field(default_factory=dict)
    visible: dict[str, Document] = field(default_factory=dict)
    highest: dict[str, int] = field(default_factory=dict)
    former: dict[str, list[Document]] = field(default_factory=dict)
    strays: dict[str, Document] = field(default_factory=dict)
    damaged: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By name, when an entry was damaged from outside, and the version that it had."""

    mended: dict[str, int] = field(default_factory=dict)
    """By name, when one that had been damaged could be seen as it is again."""

    @property
    def generation(self) -> str:
        """What a `Generation` of it is called."""
        return f"{self.name}.{self.uuid}"

    def refresh(self) -> None:
        """Everything can be seen."""
        self.visible = dict(self.documents)
        for name, (moment, version) in list(self.damaged.items()):
            document = self.documents.get(name)
            if document is not None and document.moment > moment and document.version >= version:
                del self.damaged[name]
                self.mended[name] = self.moment()

    def partitions(self) -> set[str]:
        """Those that it has documents of."""
        return {one.partition for one in self.documents.values()}

    def of(self, partition: str) -> list[Document]:
        """What can be seen of a partition, by id."""
        found = [one for one in self.visible.values() if one.partition == partition]
        return sorted(found, key=lambda one: one.id)


class Engine:
    """Indices by name. `witness` is told of every document that is written."""

    def __init__(self, chance: random.Random, moment: Callable[[], int]) -> None:
        self._chance = chance
        self._moment = moment
        self.indices: dict[str, EngineIndex] = {}
        self.witness: Callable[[EngineIndex, str, Document], None] = lambda *_: None

    def named(self, name: str) -> list[EngineIndex]:
        """The indices that a name, an alias or a pattern with a star at its end stands for."""
        if name.endswith("*"):
            return [one for one in self.indices.values() if one.name.startswith(name[:-1])]
        if name in self.indices:
            return [self.indices[name]]
        return [one for one in self.indices.values() if name in one.aliases]

    def create(self, name: str, body: Mapping[str, Any]) -> None:
        """A new index with its aliases."""
        identity = f"{self._chance.getrandbits(64):016x}"
        meta = body["mappings"]["_meta"]
        self.indices[name] = EngineIndex(name, identity, meta, set(body["aliases"]), self._moment)

    def write(self, index: EngineIndex, action: Mapping[str, Any], source: bytes) -> int:
        """Index one document; the status of the item."""
        name, version, kind = action["_id"], action.get("version"), action.get("version_type")
        if action.keys() - {"_id", "version", "version_type"}:
            raise NotUnderstood(str(action))
        standing = index.documents.get(name)
        if standing is not None and kind is not None and version is not None:
            if kind not in {"external", "external_gte"}:
                raise NotUnderstood(str(kind))
            higher = version > standing.version
            if not higher and not (kind == "external_gte" and version == standing.version):
                return CONFLICT
        document = self._document(json.loads(source), version)
        if document.id.startswith(INDIGESTIBLE) and not document.tombstone:
            return BAD
        if standing is not None:
            index.former.setdefault(name, []).append(standing)
        index.documents[name] = document
        self.witness(index, name, document)
        index.highest[name] = max(index.highest.get(name, 0), document.version)
        self.maybe_refresh(index)
        return CREATED

    def maybe_refresh(self, index: EngineIndex) -> None:
        """The engine's own refresh, which comes when it likes."""
        if self._chance.random() < 0.05:
            index.refresh()

    def _document(self, source: dict[str, Any], version: int | None) -> Document:
        terms = dict(word.split("|") for word in source.get("terms", "").split())
        frequencies = {term: int(frequency) for term, frequency in terms.items()}
        told = source["version"] if version is None else version
        return Document(source, told, self._moment(), frequencies)
