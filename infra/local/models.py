"""Language model and reranker of a local stack: none, unless the caller's environment names one."""

import os
from collections.abc import Mapping

_LANGUAGE_MODEL = ("LANGUAGE_MODEL", ("URL", "NAME", "API_KEY_ARN"))
_RERANKER = ("RERANKER", ("URL", "MODEL", "SHAPE", "API_KEY_ARN"))


def parameters(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The template's parameters for `LANGUAGE_MODEL` and `RERANKER` with their like, as far as they
    are set: for example `LANGUAGE_MODEL=openai`, `LANGUAGE_MODEL_URL`, `LANGUAGE_MODEL_NAME`.
    """
    found = {}
    for kind, members in (_LANGUAGE_MODEL, _RERANKER):
        for variable in (kind, *(f"{kind}_{member}" for member in members)):
            value = environment.get(variable)
            if value and environment.get(kind):
                found[_parameter(variable)] = value
    return found


def _parameter(variable: str) -> str:
    """`LANGUAGE_MODEL_URL` as `LanguageModelUrl`."""
    return "".join(word.capitalize() for word in variable.split("_"))
