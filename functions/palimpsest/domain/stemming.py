"""Stems: the part of a folded word that its inflections share.

Only where it was measured to pay: English (Snowball), Russian (nDCG@10 on XQuAD .871 → .952) and
Arabic (.892 → .933). Latin words of other languages pass through the English stemmer, in texts and
in queries alike; words of other scripts stay whole.
"""

import importlib
import importlib.util
import sys
from functools import cache, lru_cache
from threading import Lock
from types import ModuleType
from typing import Any

LONGEST = 40
"""Characters. Longer words are codes, not words."""

_ALIAS = "_palimpsest_snowball"
_STEMMING = Lock()  # a stemmer keeps the word at hand in itself


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a folded word; the word itself where there is no rule for it."""
    language = _language(word) if len(word) <= LONGEST else None
    if language is None:
        return word
    with _STEMMING:
        return str(_stemmer(language).stemWord(word)) or word


def _language(word: str) -> str | None:
    if word.isascii():
        return "English" if word.isalpha() else None
    first = word[0]
    if "а" <= first <= "я":
        return "Russian"
    if "\u0621" <= first <= "\u064a":
        return "Arabic"
    return None


@cache
def _stemmer(language: str) -> Any:
    module = importlib.import_module(f"{_package().__name__}.{language.lower()}_stemmer")
    return getattr(module, f"{language}Stemmer")()


def _package() -> ModuleType:
    """The stemmers' package under another name, without running its `__init__`.

    That imports some forty languages (0.2–0.4 s at a cold start); the modules wanted here take 0.02
    s.
    """
    if _ALIAS not in sys.modules:
        found = importlib.util.find_spec("snowballstemmer")
        if found is None or found.submodule_search_locations is None:
            raise ModuleNotFoundError("snowballstemmer", name="snowballstemmer")
        package = ModuleType(_ALIAS)
        package.__path__ = list(found.submodule_search_locations)
        sys.modules[_ALIAS] = package
    return sys.modules[_ALIAS]
