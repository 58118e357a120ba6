"""Settings: the environment of a function, read once and checked at start by name."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar


class Engine(StrEnum):
    """Which search index answers."""

    SQLITE = "sqlite"


class EmbedderKind(StrEnum):
    """Which embedder is asked."""

    OPENAI = "openai"
    BEDROCK = "bedrock"
    ONNX = "onnx"
    SIMULATED = "simulated"


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
    wake_queue_url: str
    candidate_depth: int

    @property
    def paths_are_decoded(self) -> bool:
        """Whether the gateway hands on path parameters decoded: the local endpoint does, AWS does
        not.
        """
        return self.stage == "local"


E_ = TypeVar("E_", bound=StrEnum)


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process. Raises `SettingsError` naming the variable that is wrong."""
    env = os.environ if environ is None else environ
    return Settings(
        table_name=_required(env, "TABLE_NAME"),
        stage=env.get("STAGE") or "local",
        engine=_one_of(env, "ENGINE", Engine, Engine.SQLITE),
        index_folder=env.get("INDEX_FOLDER", ""),
        embedder=_one_of(env, "EMBEDDER", EmbedderKind, EmbedderKind.OPENAI),
        embedding_url=env.get("EMBEDDING_URL", ""),
        embedding_model=env.get("EMBEDDING_MODEL", ""),
        embedding_dimension=_whole(env, "EMBEDDING_DIMENSION", 384, low=1, high=16_000),
        embedding_fingerprint=env.get("EMBEDDING_FINGERPRINT", ""),
        embedding_api_key_arn=env.get("EMBEDDING_API_KEY_ARN", ""),
        wake_queue_url=env.get("WAKE_QUEUE_URL", ""),
        candidate_depth=_whole(env, "CANDIDATE_DEPTH", 100, low=1, high=1_000),
    )


def given(settings: Settings, *names: str) -> None:
    """Raises `SettingsError` unless each of these fields has a value."""
    for name in names:
        if not getattr(settings, name):
            raise SettingsError(f"{name.upper()} is not set")


def _required(env: Mapping[str, str], name: str) -> str:
    value = env.get(name, "")
    if not value:
        raise SettingsError(f"{name} is not set")
    return value


def _one_of(env: Mapping[str, str], name: str, kind: type[E_], default: E_) -> E_:
    value = env.get(name) or default.value
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
