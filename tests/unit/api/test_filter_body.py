import math
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from palimpsest.api.filter_body import MAX_DEPTH, MAX_LEAVES, parsed_filter
from palimpsest.api.filter_leaves import MAX_PREFIX_BYTES, MAX_VALUES
from palimpsest.domain.filters import (
    FIXED_FIELDS,
    INSTANT_FIELDS,
    LIST_FIELDS,
    NUMBER_FIELDS,
    STRING_FIELDS,
    And,
    Compare,
    Exists,
    Filter,
    Not,
    OneOf,
    Or,
    Prefix,
    Relation,
)
from palimpsest.domain.instants import to_millis

RANGES = ("gt", "gte", "lt", "lte")


def refusal(asked: Any) -> str:
    with pytest.raises(PydanticCustomError) as raised:
        parsed_filter(asked)
    return str(raised.value.message())


def nested(depth: int, name: str = "not") -> Any:
    asked: Any = {"kind": "x"}
    for _ in range(depth - 1):
        asked = {name: asked if name == "not" else [asked]}
    return asked


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        (None, None),
        ({}, None),
        ({"kind": "x"}, OneOf("kind", ("x",))),
        ({"kind": {"eq": "x"}}, OneOf("kind", ("x",))),
        ({"kind": {"ne": "x"}}, Not(OneOf("kind", ("x",)))),
        ({"tags": {"in": ["x", "y"]}}, OneOf("tags", ("x", "y"))),
        ({"tags": {"nin": ["x"]}}, Not(OneOf("tags", ("x",)))),
        ({"importance": {"gte": 1}}, Compare("importance", Relation.GTE, 1)),
        ({"metadata.a.b": {"lt": "m"}}, Compare("metadata.a.b", Relation.LT, "m")),
        (
            {"event_time": {"gt": "2026-01-01T09:00:00+09:00"}},
            Compare("event_time", Relation.GT, datetime(2026, 1, 1, tzinfo=UTC)),
        ),
        ({"id": {"prefix": "a*"}}, Prefix("id", "a*")),
        ({"metadata.and": {"prefix": ""}}, Prefix("metadata.and", "")),
        ({"subject": {"exists": True}}, Exists("subject")),
        ({"event_time": {"exists": False}}, Not(Exists("event_time"))),
        ({"kind": "x", "tags": "y"}, And((OneOf("kind", ("x",)), OneOf("tags", ("y",))))),
        (
            {"importance": {"gt": 0, "lte": 1}},
            And(
                (
                    Compare("importance", Relation.GT, 0),
                    Compare("importance", Relation.LTE, 1),
                )
            ),
        ),
        ({"and": [{"kind": "x"}]}, And((OneOf("kind", ("x",)),))),
        ({"not": {"kind": "x"}}, Not(OneOf("kind", ("x",)))),
        (
            {"not": {"kind": "x", "id": "a"}},
            Not(And((OneOf("kind", ("x",)), OneOf("id", ("a",))))),
        ),
        (
            {"id": "a", "or": [{"kind": "x"}, {"kind": "y"}], "not": {"id": "b"}},
            And(
                (
                    OneOf("id", ("a",)),
                    Or((OneOf("kind", ("x",)), OneOf("kind", ("y",)))),
                    Not(OneOf("id", ("b",))),
                )
            ),
        ),
    ],
)
def test_the_grammar_means_what_it_says(asked: Any, meant: Filter | None) -> None:
    assert parsed_filter(asked) == meant


@pytest.mark.parametrize("name", ["not", "and", "or"])
def test_filters_nest_five_deep_and_no_deeper(name: str) -> None:
    assert parsed_filter(nested(MAX_DEPTH, name)) is not None
    assert "deep" in refusal(nested(MAX_DEPTH + 1, name))
    beside = {"kind": "x", "not": nested(MAX_DEPTH, name)}
    assert "deep" in refusal(beside)


def test_fifty_leaves_are_served_and_one_more_is_refused() -> None:
    def leaves(count: int) -> Any:
        fields = {f"metadata.k{n}": {"gte": n, "lt": n + 1} for n in range(10)}  # twenty
        return {**fields, "or": [{"kind": f"k{n}"} for n in range(count - 20)]}

    assert parsed_filter(leaves(MAX_LEAVES)) is not None
    assert "50" in refusal(leaves(MAX_LEAVES + 1))
    assert "50" in refusal({f"metadata.k{n}": n for n in range(MAX_LEAVES + 1)})
    assert parsed_filter({f"metadata.k{n}": n for n in range(MAX_LEAVES)}) is not None


@pytest.mark.parametrize("operator", ["in", "nin"])
def test_a_leaf_takes_a_thousand_values_and_no_more(operator: str) -> None:
    values = [f"v{n}" for n in range(MAX_VALUES)]
    assert parsed_filter({"kind": {operator: values}}) is not None
    assert "kind" in refusal({"kind": {operator: [*values, "more"]}})


@pytest.mark.parametrize("letter", ["x", "語"])
def test_a_prefix_is_as_long_as_a_string_can_be_and_no_longer(letter: str) -> None:
    size = len(letter.encode())
    longest = letter * (MAX_PREFIX_BYTES // size)
    assert parsed_filter({"kind": {"prefix": longest}}) == Prefix("kind", longest)
    assert "kind" in refusal({"kind": {"prefix": longest + letter}})


EMPTY: list[Any] = [None, {}]
WRONG_FOR_ALL: list[Any] = [
    *EMPTY,
    [],
    ["x"],
    {"like": "x"},
    {"$ne": None},
    {"EQ": "x"},
    {"eq": None},
    {"eq": {}},
    {"eq": ["x"]},
    {"ne": None},
    {"in": []},
    {"in": "x"},
    {"in": None},
    {"in": {}},
    {"in": [None]},
    {"in": [["x"]]},
    {"nin": []},
    {"nin": "x"},
    {"exists": None},
    {"exists": 1},
    {"exists": "true"},
    {"exists": []},
    {"prefix": None},
    {"prefix": 5},
    {"prefix": True},
    {"prefix": ["x"]},
    {"prefix": "\ud83d"},
    {"gt": None},
    {"gt": {}},
    {"gt": []},
    {"lte": True},
    {"exists": True, "eq": None},
    "\ud83d",
    "a\0b",
]


@pytest.mark.parametrize("field", [*sorted(FIXED_FIELDS), "metadata.k"])
@pytest.mark.parametrize("asked", WRONG_FOR_ALL, ids=repr)
def test_what_no_field_can_be_asked_is_refused_naming_it(field: str, asked: Any) -> None:
    assert field in refusal({field: asked})


@pytest.mark.parametrize("operator", ["eq", "ne", *RANGES])
@pytest.mark.parametrize(
    ("fields", "value"),
    [
        (STRING_FIELDS | LIST_FIELDS, 5),
        (STRING_FIELDS | LIST_FIELDS, True),
        (NUMBER_FIELDS, "0.5"),
        (NUMBER_FIELDS, True),
        (NUMBER_FIELDS, math.inf),
        (NUMBER_FIELDS, 10**400),
        (INSTANT_FIELDS, "2026-01-01T00:00:00"),
        (INSTANT_FIELDS, "today"),
        (INSTANT_FIELDS, True),
        (INSTANT_FIELDS, 1.5),
        (INSTANT_FIELDS, 10**18),
        ({"metadata.k"}, 10**400),
        ({"metadata.k"}, math.nan),
    ],
)
def test_a_value_that_does_not_fit_a_fields_type_is_refused_naming_it(
    operator: str, fields: frozenset[str], value: Any
) -> None:
    for field in fields:
        assert field in refusal({field: {operator: value}})


@pytest.mark.parametrize("field", sorted(STRING_FIELDS | LIST_FIELDS))
@pytest.mark.parametrize("operator", RANGES)
def test_names_have_no_order(field: str, operator: str) -> None:
    assert field in refusal({field: {operator: "m"}})


@pytest.mark.parametrize("field", sorted(NUMBER_FIELDS | INSTANT_FIELDS))
def test_only_strings_begin_with_something(field: str) -> None:
    assert field in refusal({field: {"prefix": "2026"}})


@pytest.mark.parametrize("name", ["and", "or", "not"])
@pytest.mark.parametrize(
    "asked",
    [None, [], {}, "x", 5, True, [None], [{}], ["x"], [[]], [{"kind": "x"}, {}], {"kind": None}],
    ids=repr,
)
def test_combinations_of_nothing_are_refused(name: str, asked: Any) -> None:
    assert refusal({name: asked})
    assert refusal({"kind": "x", name: asked})


def test_not_takes_one_filter_and_the_others_take_a_list() -> None:
    assert "not" in refusal({"not": [{"kind": "x"}]})
    assert "and" in refusal({"and": {"kind": "x"}})
    assert "or" in refusal({"or": {"kind": "x"}})


@pytest.mark.parametrize(
    "name",
    ["colour", "Kind", "AND", "nor", "$or", "tenant", "text", "metadata", "metadata.", "", "tags.0",
     "metadata.\ud83d", "metadata.a\0b", "valid_from", "title", "namespace", "revision"],
)  # fmt: skip
def test_a_field_that_is_none_is_refused(name: str) -> None:
    assert repr(name[:128]) in refusal({name: "x"})


@pytest.mark.parametrize("asked", [[], "kind", 5, True, [{"kind": "x"}]])
def test_a_filter_is_an_object(asked: Any) -> None:
    assert refusal(asked)


# -- round trips ---------------------------------------------------------------------------------
strings = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
metadata = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4
).map("metadata.{}".format)
moments = st.integers(to_millis(datetime(1, 1, 1, tzinfo=UTC)), 2 * 10**14)


def operand(field: str) -> st.SearchStrategy[Any]:
    if field in INSTANT_FIELDS:
        return moments
    if field in NUMBER_FIELDS:
        return numbers
    return strings if field in FIXED_FIELDS else strings | numbers | st.booleans()


def ordered(field: str) -> st.SearchStrategy[Any]:
    return operand(field).filter(lambda value: not isinstance(value, bool))


def conditions(field: str) -> st.SearchStrategy[Any]:
    fitting: dict[str, st.SearchStrategy[Any]] = {
        "eq": operand(field),
        "ne": operand(field),
        "in": st.lists(operand(field), min_size=1, max_size=3),
        "nin": st.lists(operand(field), min_size=1, max_size=3),
        "exists": st.booleans(),
    }
    if field not in STRING_FIELDS | LIST_FIELDS:
        fitting |= dict.fromkeys(RANGES, ordered(field))
    if field not in NUMBER_FIELDS | INSTANT_FIELDS:
        fitting["prefix"] = strings
    chosen = st.sets(st.sampled_from(sorted(fitting)), min_size=1, max_size=3)
    given = chosen.flatmap(lambda names: st.fixed_dictionaries({n: fitting[n] for n in names}))
    return operand(field) | given


fields = st.sampled_from(sorted(FIXED_FIELDS)) | metadata
objects = st.lists(fields, min_size=1, max_size=2, unique=True).flatmap(
    lambda names: st.fixed_dictionaries({name: conditions(name) for name in names})
)


def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    members = {"and": st.lists(inner, min_size=1, max_size=2), "not": inner}
    members["or"] = members["and"]
    return (
        st.fixed_dictionaries({}, optional=members)
        .filter(bool)
        .flatmap(
            lambda combined: objects.map(lambda plain: {**plain, **combined}) | st.just(combined)
        )
    )


def spelled(wanted: Filter) -> dict[str, Any]:
    """A filter as JSON, as plainly as it can be said."""
    if isinstance(wanted, And | Or):
        name = "and" if isinstance(wanted, And) else "or"
        return {name: [spelled(part) for part in wanted.parts]}
    if isinstance(wanted, Not):
        return {"not": spelled(wanted.part)}
    if isinstance(wanted, OneOf):
        return {wanted.field: {"in": [_json(value) for value in wanted.values]}}
    if isinstance(wanted, Compare):
        return {wanted.field: {wanted.relation.value: _json(wanted.value)}}
    if isinstance(wanted, Prefix):
        return {wanted.field: {"prefix": wanted.text}}
    return {wanted.field: {"exists": True}}


def _json(value: Any) -> Any:
    return to_millis(value) if isinstance(value, datetime) else value


def parts_of(asked: dict[str, Any]) -> list[dict[str, Any]]:
    negated = [asked["not"]] if "not" in asked else []
    return [*asked.get("and", []), *asked.get("or", []), *negated]


def depth_of(asked: dict[str, Any]) -> int:
    return 1 + max(map(depth_of, parts_of(asked)), default=0)


def leaves_of(asked: dict[str, Any]) -> int:
    fields = [value for name, value in asked.items() if name not in ("and", "or", "not")]
    own = sum(len(value) if isinstance(value, dict) else 1 for value in fields)
    return own + sum(map(leaves_of, parts_of(asked)))


@settings(max_examples=300, deadline=None)
@given(st.recursive(objects, grown, max_leaves=6))
def test_every_filter_within_the_limits_is_read_and_means_the_same_spelled_anew(asked: Any) -> None:
    if depth_of(asked) > MAX_DEPTH or leaves_of(asked) > MAX_LEAVES:
        assert refusal(asked)
        return
    meant = parsed_filter(asked)
    assert meant is not None
    again = spelled(meant)
    if depth_of(again) <= MAX_DEPTH:  # `ne` and several fields are spelled deeper
        assert parsed_filter(again) == meant
