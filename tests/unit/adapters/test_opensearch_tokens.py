"""Values as tokens: their order by bytes is the order of the values, kind by kind."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from contract.index_strategies import record, written
from palimpsest.adapters.opensearch.filtering import filter_query
from palimpsest.adapters.opensearch.tokens import (
    exists_token,
    field_token,
    sortable,
    string_bound,
    token,
)
from palimpsest.domain.filters import Compare, Relation, passes
from palimpsest.domain.records import Content

numbers = (
    st.integers(-(10**400), 10**400)
    | st.integers(-20, 20)
    | st.floats(allow_nan=False)
    | st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 2**53 + 1, 2.0**53, 1e308, -1e308])
)
strings = st.text(st.characters(exclude_categories=["Cs"]))
instants = st.datetimes(timezones=st.just(UTC)).map(
    lambda one: one - timedelta(microseconds=one.microsecond % 1000)
)
values = numbers | strings | instants | st.booleans()


def as_bytes(value: object) -> bytes:
    return sortable(value).encode()


def in_order(first: Any, second: Any) -> None:
    assert (as_bytes(first) < as_bytes(second)) == (first < second)
    assert (as_bytes(first) == as_bytes(second)) == (first == second)


@given(numbers, numbers)
def test_numbers_sort_as_they_compare_whatever_their_size_and_type(
    first: float, second: float
) -> None:
    in_order(first, second)


@given(st.integers(-(10**20), 10**20), st.floats(0, 1))
def test_numbers_beside_each_other_are_told_apart(number: int, step: float) -> None:
    for other in (number + 1, number - 1, float(number), number + step, -number):
        in_order(number, other)


@given(strings, strings)
def test_strings_sort_by_code_points(first: str, second: str) -> None:
    in_order(first, second)
    in_order(first, first + second)


@given(instants, instants)
def test_instants_sort_by_time_from_the_first_year_to_the_last(
    first: datetime, second: datetime
) -> None:
    in_order(first, second)


@given(st.text(), strings)
def test_a_bound_stands_to_whole_strings_as_the_broken_text_does(asked: str, stored: str) -> None:
    bound, itself = string_bound(asked)
    if itself:
        assert bound == asked
    else:
        assert (stored >= bound) == (stored > asked)
        assert stored != asked


@given(values, values, st.text(max_size=5), st.text(max_size=5))
def test_tokens_are_equal_only_for_equal_values_of_one_kind_and_field(
    first: Any, second: Any, field: str, other: str
) -> None:
    alike = isinstance(first, bool) == isinstance(second, bool) and first == second
    assert (token(field, first) == token(field, second)) == alike
    assert (token(field, first) == token(other, first)) == (field == other)
    assert token(field, first) != exists_token(field)


def holds(query: dict[str, Any], found: str) -> bool:
    """Whether a token passes a query over tokens, as the engine compares them."""
    if "match_none" in query:
        return False
    stored = found.encode()
    checks = {
        "gt": lambda bound: stored > bound,
        "gte": lambda bound: stored >= bound,
        "lt": lambda bound: stored < bound,
        "lte": lambda bound: stored <= bound,
    }
    return all(checks[how](bound.encode()) for how, bound in query["range"]["tokens"].items())


@given(values, values | st.text(), st.sampled_from(Relation), st.sampled_from(["k", "other"]))
def test_a_comparison_takes_the_tokens_of_what_stands_so_and_no_other(
    stored: Any, asked: Any, relation: Relation, field: str
) -> None:
    leaf = Compare("metadata.k", relation, asked)
    query = filter_query(leaf)
    found = token(f"metadata.{field}", stored)
    assert found is not None
    there = record(written("n", 1, Content(text="", metadata={field: stored}), None))
    assert holds(query, found) == passes(there, leaf)
    assert not holds(query, exists_token("metadata.k"))


@given(st.text())
def test_a_field_of_any_name_takes_16_characters(field: str) -> None:
    assert len(field_token(field)) == 16
    assert int(field_token(field), 16) >= 0
