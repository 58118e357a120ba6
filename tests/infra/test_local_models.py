"""Which language model and reranker a local stack is deployed with."""

import sam_template
from local.models import parameters

CHAT = {
    "LANGUAGE_MODEL": "openai",
    "LANGUAGE_MODEL_URL": "http://127.0.0.1:8080/v1",
    "LANGUAGE_MODEL_NAME": "qwen",
}
RERANK = {"RERANKER": "http", "RERANKER_URL": "http://x/v1/rerank", "RERANKER_SHAPE": "jina"}


def test_without_a_word_about_them_there_is_none() -> None:
    assert parameters({}) == {}
    assert parameters({"LANGUAGE_MODEL": "", "RERANKER_URL": "http://x"}) == {}


def test_what_is_set_becomes_the_templates_parameters() -> None:
    told = parameters({**CHAT, **RERANK, "PATH": "/bin"})
    assert told == {
        "LanguageModel": "openai",
        "LanguageModelUrl": "http://127.0.0.1:8080/v1",
        "LanguageModelName": "qwen",
        "Reranker": "http",
        "RerankerUrl": "http://x/v1/rerank",
        "RerankerShape": "jina",
    }
    assert told.keys() <= sam_template.load()["Parameters"].keys()
