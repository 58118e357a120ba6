"""Generations of the search index: each made for one embedding model and one way of analysis."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """An index that stands. `id` names it for ever: another one under the same `name` has another
    id. `number` grows. One of all is `read`.
    """

    id: str
    name: str
    number: int
    fingerprint: str
    dimension: int
    schema: int
    read: bool
