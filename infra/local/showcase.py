"""One search of the running stack, shown with its answer: the first look that `make run` gives."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

QUESTION = "which colleague must avoid nuts?"
"""No record of the sample has these words: the answer is found by its meaning."""


def search(values: Mapping[str, str], query: str = QUESTION) -> tuple[int, dict[str, Any]]:
    """Status and body of one search with the stack's own key. No connection raises `OSError`."""
    request = urllib.request.Request(
        f"{values['PALIMPSEST_URL']}/search",
        data=json.dumps({"query": query, "limit": 3}).encode(),
        headers={
            "Authorization": f"Bearer {values['PALIMPSEST_KEY']}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, {"problem": error.read().decode(errors="replace")}


def lines(values: Mapping[str, str], answer: Mapping[str, Any]) -> list[str]:
    """What a person is shown: question, hits, address, key and a command to try."""
    hits = [
        f"  {place}. {str(hit.get('text', '')).strip()[:100]}  ({hit.get('score', 0):.2f})"
        for place, hit in enumerate(answer.get("hits", []), start=1)
    ]
    return [
        "",
        f'search: "{QUESTION}"',
        *(hits or [f"  {_nothing_found(answer)}"]),
        "",
        f"URL: {values['PALIMPSEST_URL']}",
        f"key: {values['PALIMPSEST_KEY']}  (administrator of tenant demo)",
        "",
        " ".join(_curl(values)),
        "",
    ]


def _nothing_found(answer: Mapping[str, Any]) -> str:
    if "stale_index" in answer.get("degraded", []):
        return "nothing found yet: the index is still being built from the table"
    return "nothing found: the namespace holds no records yet"


def _curl(values: Mapping[str, str]) -> list[str]:
    return [
        f"curl -s {values['PALIMPSEST_URL']}/search",
        f"-H 'Authorization: Bearer {values['PALIMPSEST_KEY']}'",
        "-H 'Content-Type: application/json'",
        f"-d '{json.dumps({'query': QUESTION})}'",
    ]
