"""The indices of a stack and their aliases: what there is, which one is read, and every change of
that.

A stack with prefix `p` keeps indices `p-v1`, `p-v2`, … Each has the alias `p-v1-write`, by which it
is written: without it a write is refused, so that no index ever comes to be by a write. One of them
has the alias `p-read`. The name of a generation holds the index's UUID: an index that was lost and
made again under its old name is another generation.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from opensearchpy import OpenSearch
from opensearchpy.exceptions import RequestError

from palimpsest.adapters.opensearch.client import STAGE, Missing, translated
from palimpsest.adapters.opensearch.index_body import IndexShape, KnnEngine, index_body
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.generations import Generation

PATIENCE_S = 30
"""For changes of the cluster; a first index of a fresh node takes seconds."""

_TOLD = "*.aliases,*.mappings._meta,*.settings.index.uuid"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterChoices:
    """How indices are made on this cluster, whatever they are made for."""

    engine: str = KnnEngine.LUCENE.value
    shards: int = 1
    replicas: int = 0


def write_alias(name: str) -> str:
    """The alias by which the index of that name is written."""
    return f"{name}-write"


class Unsuitable(Unavailable):
    """An engine that chooses the ids of documents itself, as serverless vector collections do."""

    def __init__(self, said: str) -> None:
        super().__init__(
            "this endpoint refuses documents whose id and version the client chooses, without which"
            " a late write could undo a newer one; use an OpenSearch Service domain or a node of"
            f" your own instead of a serverless vector collection (it said: {said})",
            stage=STAGE,
        )


class Catalogue:
    """The indices of one stack on one cluster. Everything raises `Unavailable`."""

    def __init__(
        self, client: OpenSearch, *, prefix: str, choices: ClusterChoices | None = None
    ) -> None:
        self._client = client
        self._choices = choices or ClusterChoices()
        self._prefix = prefix
        self._own = re.compile(rf"{re.escape(prefix)}-v([1-9][0-9]*)")

    @property
    def read_alias(self) -> str:
        """What the index that is read is called."""
        return f"{self._prefix}-read"

    def kept(self) -> list[Generation]:
        """All indices of the stack, oldest first."""
        found = self._found(f"{self._prefix}-v*", timeout=PATIENCE_S)
        return sorted(found, key=lambda one: one.number)

    def reading(self, *, timeout: float = PATIENCE_S) -> Generation:
        """The index that is read. Raises `Missing` where there is none."""
        found = self._found(self.read_alias, timeout=timeout)
        if len(found) != 1:
            raise Missing(f"{self.read_alias} names {len(found)} indices instead of one")
        return found[0]

    def create(self, number: int, *, fingerprint: str, dimension: int) -> Generation:
        """Make the index of that number, empty and not read; where it stands already, leave it so.
        Of two that make it at once one does.
        """
        name = f"{self._prefix}-v{number}"
        shape = IndexShape(
            fingerprint=fingerprint,
            dimension=dimension,
            engine=KnnEngine(self._choices.engine),
            shards=self._choices.shards,
            replicas=self._choices.replicas,
        )
        body = index_body(shape, aliases={write_alias(name): {"is_write_index": True}})
        with translated():
            try:
                self._client.indices.create(
                    index=name, body=body, params={"request_timeout": PATIENCE_S}
                )
            except RequestError as error:
                if error.error != "resource_already_exists_exception":
                    raise
            else:
                self._probe(name)
        found = [one for one in self.kept() if one.name == name]
        if not found:
            raise Missing(f"{name} was removed while it was made")
        return found[0]

    def _probe(self, name: str) -> None:
        """Raises `Unsuitable` where documents cannot have ids and versions of the client's."""
        probe = {"tombstone": True}  # of no partition: nobody ever comes across it
        options = {"version_type": "external_gte", "request_timeout": PATIENCE_S}
        try:
            self._client.index(index=name, id="probe", body=probe, params={**options, "version": 0})
        except RequestError as error:
            self._client.indices.delete(index=name, params={"request_timeout": PATIENCE_S})
            raise Unsuitable(str(error.info)[:300]) from error
        again = {"ignore": HTTPStatus.NOT_FOUND}  # the answer to the first time may be lost
        self._client.delete(index=name, id="probe", params={**options, **again, "version": 1})

    def read_from(self, new: Generation, *, old: Generation | None) -> None:
        """From now on `new` is read instead of `old` (None: the first), for every reader at once.
        Raises `Unavailable` and changes nothing where `old` is not what is read.
        """
        actions: list[dict[str, Any]] = [
            {"add": {"index": new.name, "alias": self.read_alias}},
        ]
        if old is not None:
            removal = {"index": old.name, "alias": self.read_alias, "must_exist": True}
            actions.insert(0, {"remove": removal})
        try:
            with translated():
                self._client.indices.update_aliases(
                    body={"actions": actions}, params={"request_timeout": PATIENCE_S}
                )
        except Missing:  # also where it was done, and the answer to that lost
            if new.id not in {one.id for one in self.kept() if one.read}:
                raise

    def drop(self, one: Generation) -> None:
        """Remove an index that is not read; one that is gone already is fine."""
        if one.read:
            raise Unavailable(f"{one.name} is read, and so not removed", stage=STAGE)
        with translated():
            self._client.indices.delete(
                index=one.name,
                params={"ignore_unavailable": "true", "request_timeout": PATIENCE_S},
            )

    def _found(self, names: str, *, timeout: float) -> list[Generation]:
        with translated():
            found = self._client.indices.get(
                index=names, params={"filter_path": _TOLD, "request_timeout": timeout}
            )
            return [one for name, facts in found.items() if (one := self._read(name, facts))]

    def _read(self, name: str, facts: Mapping[str, Any]) -> Generation | None:
        """None for an index that is not of this stack."""
        own = self._own.fullmatch(name)
        meta = facts.get("mappings", {}).get("_meta", {})
        if own is None or "fingerprint" not in meta:
            return None
        uuid = facts["settings"]["index"]["uuid"]
        aliases = facts.get("aliases", {})
        return Generation(
            id=f"{name}.{uuid}",
            name=name,
            number=int(own.group(1)),
            fingerprint=str(meta["fingerprint"]),
            dimension=int(meta["dimension"]),
            schema=int(meta["schema"]),
            read=self.read_alias in aliases,
        )
