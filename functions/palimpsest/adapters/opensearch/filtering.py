"""Filters as OpenSearch queries over the field of tokens. What a filter means is
`domain.filters.passes`.
"""

from datetime import datetime
from typing import Any

from palimpsest.adapters.opensearch.tokens import (
    BOOLEAN,
    STRING,
    exists_token,
    field_token,
    kind_of,
    sortable,
    string_bound,
    token,
)
from palimpsest.domain.filters import (
    And,
    Compare,
    Exists,
    Filter,
    Leaf,
    Not,
    OneOf,
    Or,
    Prefix,
    Relation,
    TimeRange,
)
from palimpsest.domain.instants import to_millis

Query = dict[str, Any]
TOKENS = "tokens"
NOTHING: Query = {"match_none": {}}


def filter_query(wanted: Filter) -> Query:
    """The query that holds for the entries that pass, among those that have content."""
    if isinstance(wanted, And):
        return _all([filter_query(part) for part in wanted.parts])
    if isinstance(wanted, Or):
        parts = [filter_query(part) for part in wanted.parts]
        return {"bool": {"should": parts, "minimum_should_match": 1}} if parts else NOTHING
    if isinstance(wanted, Not):
        return {"bool": {"must_not": [filter_query(wanted.part)]}}
    return _leaf(wanted)


def standing_queries(
    partitions: tuple[str, ...], now: datetime, time_range: TimeRange | None
) -> tuple[list[Query], list[Query]]:
    """What must hold and what must not: partition, time range; not yet or no longer valid. The
    latter are few as a rule, so leaving them out costs little.
    """
    millis = to_millis(now)
    must = [partition_query(partitions)]
    if time_range is not None:
        must.append(_event_time(time_range))
    must_not: list[Query] = [
        {"range": {"valid_from": {"gt": millis}}},
        {"range": {"until": {"lte": millis}}},
    ]
    return must, must_not


def partition_query(partitions: tuple[str, ...]) -> Query:
    """What holds for the entries of these partitions."""
    if len(partitions) == 1:
        return {"term": {"partition": partitions[0]}}
    return {"terms": {"partition": list(partitions)}}


def _event_time(time_range: TimeRange) -> Query:
    bounds: dict[str, int] = {}
    if time_range.start is not None:
        bounds["gte"] = to_millis(time_range.start)
    if time_range.end is not None:
        bounds["lte"] = to_millis(time_range.end)
    return {"range": {"event_time": bounds}} if bounds else {"exists": {"field": "event_time"}}


def _all(parts: list[Query]) -> Query:
    return {"bool": {"filter": parts}} if parts else {"match_all": {}}


def _leaf(leaf: Leaf) -> Query:
    if isinstance(leaf, OneOf):
        found = [one for value in leaf.values if (one := token(leaf.field, value)) is not None]
        return {"terms": {TOKENS: found}} if found else NOTHING
    if isinstance(leaf, Exists):
        return {"term": {TOKENS: exists_token(leaf.field)}}
    if isinstance(leaf, Prefix):
        beginning = token(leaf.field, leaf.text)
        return {"prefix": {TOKENS: beginning}} if beginning is not None else NOTHING
    return _compare(leaf)


def _compare(leaf: Compare) -> Query:
    kind = kind_of(leaf.value)
    if kind is None or kind == BOOLEAN:
        return NOTHING
    relation, value = leaf.relation, sortable(leaf.value)
    if kind == STRING:
        value, itself = string_bound(value)
        if not itself:  # all that is above the text is above the bound, or is the bound
            above = relation in (Relation.GT, Relation.GTE)
            relation = Relation.GTE if above else Relation.LT
    stem = field_token(leaf.field)
    bounds = {relation.value: f"{stem}{kind}{value}"}
    if relation in (Relation.GT, Relation.GTE):
        bounds["lt"] = stem + chr(ord(kind) + 1)
    else:
        bounds["gte"] = stem + kind
    return {"range": {TOKENS: bounds}}
