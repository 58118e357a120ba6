"""What the simulated language model says where it is deployed: variations made by rule."""

import json

from palimpsest.domain.language import Prompt


def rearranged(prompt: Prompt) -> str:
    """An answer in the shape that a rewriting asks for, to its prompt: the words of the query the
    other way round, its longest ones alone, and it after the last turn of the history.
    """
    asked = json.loads(prompt.user)
    query, history = asked["query"], asked["history"]
    words = query.split()
    longest = sorted(sorted(words, key=len, reverse=True)[:3], key=words.index)
    said = " ".join([*(turn["content"] for turn in history[-1:]), query])
    variations = [" ".join(reversed(words)), " ".join(longest)]
    return json.dumps({"standalone": said, "variations": variations}, ensure_ascii=False)
