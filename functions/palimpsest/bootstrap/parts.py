"""The parts that several functions need. A vendor is imported inside the branch that uses it, so a
function loads only what it needs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb.client import make_client
from palimpsest.adapters.dynamodb.store import DynamoRecordStore
from palimpsest.bootstrap.secret_text import secret_of
from palimpsest.ports import Embedder, IndexGenerations, SearchIndex, Waker
from palimpsest.setting_kinds import EmbedderKind, Engine
from palimpsest.settings import EmbedderSettings, Settings, SettingsError, given

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def make_store(settings: Settings) -> tuple[DynamoRecordStore, "DynamoDBClient"]:
    """The record store, and the client that the table's other adapters share."""
    given(settings, "table_name")
    client = make_client()
    return DynamoRecordStore(settings.table_name, client, make_client(attempts=1)), client


def make_waker(settings: Settings) -> Waker:
    """The wake-up queue, or none."""
    from palimpsest.adapters.wake_queue import NoWaker, SqsWaker, make_client

    return SqsWaker(settings.wake_queue_url, make_client) if settings.wake_queue_url else NoWaker()


@dataclass(frozen=True, slots=True)
class KeptIndexes:
    """The index that is read, and the generations of an engine that may keep several."""

    reading: SearchIndex
    generations: IndexGenerations | None = None

    def every(self) -> Sequence[SearchIndex]:
        """The indexes of all generations that are kept now."""
        if self.generations is None:
            return [self.reading]
        return [self.generations.index(one) for one in self.generations.kept()]


def make_index(settings: Settings, *, fingerprint: str, patience_s: float = 10.0) -> KeptIndexes:
    """The search index of `ENGINE`. It waits at most `patience_s` for another process, or for an
    engine that asks for patience. Raises `SettingsError` where that one cannot serve.
    """
    if settings.engine is Engine.OPENSEARCH:
        from palimpsest.bootstrap.opensearch import make_generations

        generations = make_generations(settings)
        return KeptIndexes(generations.reading(patience_s=patience_s), generations)
    given(settings, "index_folder")
    # functions on AWS share no folder: each would have an index of its own
    if settings.stage != "local":
        raise SettingsError("ENGINE is sqlite, which serves functions of one machine only")
    from palimpsest.adapters.sqlite import SqliteIndex

    folder = Path(settings.index_folder)
    return KeptIndexes(SqliteIndex(folder, fingerprint=fingerprint, busy_seconds=patience_s))


@dataclass(frozen=True, slots=True)
class Embedders:
    """The embedder of every day, and the next one where there are two."""

    main: Embedder
    following: Embedder | None

    @property
    def by_fingerprint(self) -> dict[str, Embedder]:
        """Both, by their models' fingerprints."""
        known = {self.following.fingerprint: self.following} if self.following else {}
        return known | {self.main.fingerprint: self.main}


def make_embedders(settings: Settings) -> Embedders:
    """The embedder of every day and, while the index is carried over to another model, the next
    one.
    """
    main = make_embedder(settings.embedding)
    following = settings.next_embedding
    return Embedders(main, make_embedder(following) if following is not None else None)


def make_embedder(settings: EmbedderSettings) -> Embedder:
    """One embedder."""
    if settings.kind is EmbedderKind.SIMULATED:
        from palimpsest.adapters.simulated import SimulatedEmbedder

        return SimulatedEmbedder(
            dimension=settings.dimension, fingerprint=settings.fingerprint or None
        )
    if settings.kind is EmbedderKind.BEDROCK:
        return _bedrock(settings)
    if settings.kind is EmbedderKind.OPENAI:
        return _openai(settings)
    raise SettingsError(f"EMBEDDER {settings.kind.value} is not offered to functions")


def _bedrock(settings: EmbedderSettings) -> Embedder:
    if not settings.model:
        raise SettingsError("EMBEDDING_MODEL is not set")
    import boto3
    from botocore.config import Config

    from palimpsest.adapters.bedrock import BedrockEmbedder

    # a request cannot be broken off, so its own time-outs end before the stage's
    config = Config(connect_timeout=1, read_timeout=4, retries={"total_max_attempts": 1})
    return BedrockEmbedder(
        boto3.client("bedrock-runtime", config=config),
        model=settings.model,
        dimension=settings.dimension,
    )


def _openai(settings: EmbedderSettings) -> Embedder:
    for name in ("url", "model"):
        if not getattr(settings, name):
            raise SettingsError(f"EMBEDDING_{name.upper()} is not set")
    from palimpsest.adapters.http_models import OpenAICompatibleEmbedder

    return OpenAICompatibleEmbedder(
        base_url=settings.url,
        model=settings.model,
        dimension=settings.dimension,
        api_key=secret_of(settings.api_key_arn),
        fingerprint=settings.fingerprint or None,
    )
