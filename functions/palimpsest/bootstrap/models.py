"""Language model and reranker, by the settings; a vendor is loaded only where it is used."""

from typing import TYPE_CHECKING

from palimpsest.bootstrap.secret_text import secret_of
from palimpsest.ports import LanguageModel, Reranker
from palimpsest.setting_kinds import LanguageModelKind, RerankerKind
from palimpsest.settings import Settings, given

if TYPE_CHECKING:
    from botocore.config import Config


def make_language_model(settings: Settings) -> LanguageModel | None:
    """The model of `LANGUAGE_MODEL`, or none. Raises `SettingsError` where it lacks something."""
    if settings.language_model is LanguageModelKind.NONE:
        return None
    if settings.language_model is LanguageModelKind.SIMULATED:
        from palimpsest.adapters.simulated import SimulatedLanguageModel, rearranged

        return SimulatedLanguageModel(rearranged)
    given(settings, "language_model_name")
    if settings.language_model is LanguageModelKind.BEDROCK:
        import boto3

        from palimpsest.adapters.bedrock import ConverseModel

        client = boto3.client("bedrock-runtime", config=_patience(10))
        return ConverseModel(client, model=settings.language_model_name)
    given(settings, "language_model_url")
    from palimpsest.adapters.http_models import ChatCompletionsModel

    return ChatCompletionsModel(
        base_url=settings.language_model_url,
        model=settings.language_model_name,
        api_key=secret_of(settings.language_model_api_key_arn),
    )


def make_reranker(settings: Settings) -> Reranker | None:
    """The model of `RERANKER`, or none. Raises `SettingsError` where it lacks something."""
    if settings.reranker is RerankerKind.NONE:
        return None
    if settings.reranker is RerankerKind.SIMULATED:
        from palimpsest.adapters.simulated import SimulatedReranker

        return SimulatedReranker()
    given(settings, "reranker_model")
    if settings.reranker is RerankerKind.BEDROCK:
        import boto3

        from palimpsest.adapters.bedrock import BedrockReranker

        client = boto3.client("bedrock-agent-runtime", config=_patience(5))
        region = client.meta.region_name
        return BedrockReranker(client, model=settings.reranker_model, region=region)
    given(settings, "reranker_url")
    from palimpsest.adapters.http_models import HttpReranker, RerankShape

    return HttpReranker(
        url=settings.reranker_url,
        model=settings.reranker_model,
        shape=RerankShape(settings.reranker_shape.value),
        api_key=secret_of(settings.reranker_api_key_arn),
    )


def _patience(seconds: float) -> "Config":
    """A request cannot be broken off, so it ends by itself some time after nobody waits for it."""
    from botocore.config import Config

    return Config(connect_timeout=1, read_timeout=seconds, retries={"total_max_attempts": 1})
