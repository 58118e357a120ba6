"""Settings: the environment of a function, read once and checked at start by name."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, TypeVar, overload

from palimpsest.setting_kinds import (
    EmbedderKind,
    Engine,
    KnnEngine,
    LanguageModelKind,
    RerankerKind,
    RerankerShape,
    Signing,
    TokenizerKind,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSettings:
    """What one embedder is made of."""

    kind: EmbedderKind
    url: str
    model: str
    dimension: int
    fingerprint: str
    api_key_arn: str


class SettingsError(Exception):
    """A variable is missing or cannot be understood; the message names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of every function; each reads those it uses. Every field is an environment
    variable of the same name in capitals, and the other way round (`tests/infra` holds the
    template to it).
    """

    table_name: str
    stage: str
    engine: Engine
    index_folder: str
    embedder: EmbedderKind
    embedding_url: str
    embedding_model: str
    embedding_dimension: int
    embedding_fingerprint: str
    embedding_api_key_arn: str
    embedding_tokenizer: TokenizerKind
    next_embedder: EmbedderKind | None
    next_embedding_url: str
    next_embedding_model: str
    next_embedding_dimension: int
    next_embedding_fingerprint: str
    next_embedding_api_key_arn: str
    opensearch_url: str
    opensearch_signing: Signing
    opensearch_knn: KnnEngine
    index_prefix: str
    index_shards: int
    index_replicas: int
    wake_queue_url: str
    uploads_bucket: str
    ingest_queue_url: str
    jobs_machine_arn: str
    candidate_depth: int
    language_model: LanguageModelKind
    language_model_url: str
    language_model_name: str
    language_model_api_key_arn: str
    reranker: RerankerKind
    reranker_url: str
    reranker_model: str
    reranker_shape: RerankerShape
    reranker_api_key_arn: str

    @property
    def paths_are_decoded(self) -> bool:
        """Whether the gateway hands on path parameters decoded: the local endpoint does, AWS does
        not.
        """
        return self.stage == "local"

    @property
    def embedding(self) -> EmbedderSettings:
        """The embedder of every day."""
        return EmbedderSettings(
            kind=self.embedder,
            url=self.embedding_url,
            model=self.embedding_model,
            dimension=self.embedding_dimension,
            fingerprint=self.embedding_fingerprint,
            api_key_arn=self.embedding_api_key_arn,
        )

    @property
    def next_embedding(self) -> EmbedderSettings | None:
        """The second embedder, while the index is carried over to another model; None: there is
        one only.
        """
        if self.next_embedder is None:
            return None
        return EmbedderSettings(
            kind=self.next_embedder,
            url=self.next_embedding_url,
            model=self.next_embedding_model,
            dimension=self.next_embedding_dimension,
            fingerprint=self.next_embedding_fingerprint,
            api_key_arn=self.next_embedding_api_key_arn,
        )


E_ = TypeVar("E_", bound=StrEnum)


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process. What a function cannot do without is looked for where it is
    used (`given`). Raises `SettingsError` naming the variable that is wrong.
    """
    env = os.environ if environ is None else environ
    texts: dict[str, Any] = {
        field.name: env.get(field.name.upper(), "")
        for field in fields(Settings)
        if field.type is str
    }
    return Settings(
        **(texts | {"stage": env.get("STAGE") or "local", "index_prefix": _prefix(env)}),
        engine=_one_of(env, "ENGINE", Engine, Engine.SQLITE),
        embedder=_one_of(env, "EMBEDDER", EmbedderKind, EmbedderKind.OPENAI),
        embedding_dimension=_whole(env, "EMBEDDING_DIMENSION", 384, low=1, high=16_000),
        embedding_tokenizer=_one_of(
            env, "EMBEDDING_TOKENIZER", TokenizerKind, TokenizerKind.ESTIMATE
        ),
        next_embedder=_one_of(env, "NEXT_EMBEDDER", EmbedderKind, None),
        next_embedding_dimension=_whole(env, "NEXT_EMBEDDING_DIMENSION", 384, low=1, high=16_000),
        opensearch_signing=_one_of(env, "OPENSEARCH_SIGNING", Signing, Signing.NONE),
        opensearch_knn=_one_of(env, "OPENSEARCH_KNN", KnnEngine, KnnEngine.LUCENE),
        index_shards=_whole(env, "INDEX_SHARDS", 1, low=1, high=64),
        index_replicas=_whole(env, "INDEX_REPLICAS", 0, low=0, high=5),
        candidate_depth=_whole(env, "CANDIDATE_DEPTH", 100, low=1, high=1_000),
        language_model=_one_of(env, "LANGUAGE_MODEL", LanguageModelKind, LanguageModelKind.NONE),
        reranker=_one_of(env, "RERANKER", RerankerKind, RerankerKind.NONE),
        reranker_shape=_one_of(env, "RERANKER_SHAPE", RerankerShape, RerankerShape.COHERE),
    )


def given(settings: Settings, *names: str) -> None:
    """Raises `SettingsError` unless each of these fields has a value."""
    for name in names:
        if not getattr(settings, name):
            raise SettingsError(f"{name.upper()} is not set")


@overload
def _one_of(env: Mapping[str, str], name: str, kind: type[E_], default: E_) -> E_: ...
@overload
def _one_of(env: Mapping[str, str], name: str, kind: type[E_], default: None) -> E_ | None: ...
def _one_of(env: Mapping[str, str], name: str, kind: type[E_], default: E_ | None) -> E_ | None:
    value = env.get(name)
    if not value:
        return default
    try:
        return kind(value)
    except ValueError as error:
        allowed = ", ".join(member.value for member in kind)
        raise SettingsError(f"{name} is {value!r}, and must be one of {allowed}") from error


def _whole(env: Mapping[str, str], name: str, default: int, *, low: int, high: int) -> int:
    value = env.get(name) or str(default)
    if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
        raise SettingsError(f"{name} is {value!r}, and must be a whole number from {low} to {high}")
    return int(value)


def _prefix(env: Mapping[str, str]) -> str:
    """What the indices' names begin with: what the engine allows in every place of a name."""
    name = "INDEX_PREFIX"
    value = env.get(name) or "palimpsest"
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", value):
        raise SettingsError(f"{name} is {value!r}: small letters, digits and - are allowed")
    return value
