"""The parts that several functions need. A vendor is imported inside the branch that uses it, so a
function loads only what it needs.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb.client import make_client
from palimpsest.adapters.dynamodb.store import DynamoRecordStore
from palimpsest.ports import Embedder, SearchIndex, Waker
from palimpsest.settings import EmbedderKind, Settings, SettingsError, given

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def make_store(settings: Settings) -> tuple[DynamoRecordStore, "DynamoDBClient"]:
    """The record store, and the client that the table's other adapters share."""
    client = make_client()
    return DynamoRecordStore(settings.table_name, client, make_client(attempts=1)), client


def make_waker(settings: Settings) -> Waker:
    """The wake-up queue, or none."""
    from palimpsest.adapters.wake_queue import NoWaker, SqsWaker, make_client

    return SqsWaker(settings.wake_queue_url, make_client) if settings.wake_queue_url else NoWaker()


def make_index(settings: Settings, *, fingerprint: str, patience_s: float = 10.0) -> SearchIndex:
    """The search index of `ENGINE`, which waits at most `patience_s` for another process. Raises
    `SettingsError` where that one cannot serve.
    """
    given(settings, "index_folder")
    # functions on AWS share no folder: each would have an index of its own
    if settings.stage != "local":
        raise SettingsError("ENGINE is sqlite, which serves functions of one machine only")
    from palimpsest.adapters.sqlite import SqliteIndex

    folder = Path(settings.index_folder)
    return SqliteIndex(folder, fingerprint=fingerprint, busy_seconds=patience_s)


def make_embedder(settings: Settings) -> Embedder:
    """The embedder of `EMBEDDER`."""
    if settings.embedder is EmbedderKind.SIMULATED:
        from palimpsest.adapters.simulated import SimulatedEmbedder

        return SimulatedEmbedder(
            dimension=settings.embedding_dimension,
            fingerprint=settings.embedding_fingerprint or None,
        )
    if settings.embedder is EmbedderKind.BEDROCK:
        return _bedrock(settings)
    if settings.embedder is EmbedderKind.OPENAI:
        return _openai(settings)
    raise SettingsError(f"EMBEDDER {settings.embedder.value} is not offered to functions")


def _bedrock(settings: Settings) -> Embedder:
    given(settings, "embedding_model")
    import boto3
    from botocore.config import Config

    from palimpsest.adapters.bedrock_embeddings import BedrockEmbedder

    # a request cannot be broken off, so its own time-outs end before the stage's
    config = Config(connect_timeout=1, read_timeout=4, retries={"total_max_attempts": 1})
    return BedrockEmbedder(
        boto3.client("bedrock-runtime", config=config),
        model=settings.embedding_model,
        dimension=settings.embedding_dimension,
    )


def _openai(settings: Settings) -> Embedder:
    given(settings, "embedding_url", "embedding_model")
    from palimpsest.adapters.openai_compatible import OpenAICompatibleEmbedder

    return OpenAICompatibleEmbedder(
        base_url=settings.embedding_url,
        model=settings.embedding_model,
        dimension=settings.embedding_dimension,
        api_key=_api_key(settings),
        fingerprint=settings.embedding_fingerprint or None,
    )


def _api_key(settings: Settings) -> str | None:
    if not settings.embedding_api_key_arn:
        return None
    import boto3

    secrets = boto3.client("secretsmanager")
    secret = secrets.get_secret_value(SecretId=settings.embedding_api_key_arn)
    return str(secret["SecretString"])
