"""Arguments as models send them: what is taken for what was meant, and what is told of the rest."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from api.conftest import Http
from palimpsest.domain.names import MAX_QUERY_BYTES, MAX_STRING_BYTES, MAX_TEXT_BYTES
from tools.definitions import TOOLS

pytestmark = pytest.mark.usefixtures("places")


@pytest.fixture
def kestrel(http: Http) -> Http:
    """A tenant with one record of three pages."""
    http.put("a", {"text": "The kestrel hovers. " * 1_000, "source": {"uri": "https://x/k"}})
    http.project()
    return http


def test_h5_the_arguments_are_an_object_or_the_text_of_one(kestrel: Http) -> None:
    for arguments in (
        {"query": "kestrel"},
        '{"query": "kestrel"}',
        json.dumps('{"query": "kestrel"}'),
        {"query": ["kestrel"]},
        {"query": "  kestrel "},
        {"query": "kes\x00trel"},
    ):
        told = kestrel.tool("search_memory", arguments)
        assert [one["id"] for one in told["sources"]] == ["a"], arguments


@pytest.mark.parametrize("page", [2, "2", " 2 ", "2.0", 2.0, [2], "[2]", ["2"], '["2"]'])
def test_a_whole_number_is_taken_however_it_is_spelt(kestrel: Http, page: Any) -> None:
    told = kestrel.tool("read_source", {"source": "a", "page": page})
    assert "characters 8000-16000 of 20000" in told["content"]


@pytest.mark.parametrize("page", [None, "", " ", "null"])
def test_h5_an_empty_page_is_the_first(kestrel: Http, page: Any) -> None:
    arguments = {"source": "a"} if page == "null" else {"source": "a", "page": page}
    assert "characters 0-8000 of 20000" in kestrel.tool("read_source", arguments)["content"]


@pytest.mark.parametrize("source", ["a", " a ", ["a"], '["a"]', "https://x/k"])
def test_a_source_is_taken_from_a_list_of_one(kestrel: Http, source: Any) -> None:
    assert kestrel.tool("read_source", {"source": source})["sources"][0]["id"] == "a"


def test_free_text_is_kept_as_it_is(http: Http) -> None:
    for text in ('["a"]', "5", " [1, 2] ", "null", '{"query": "x"}'):
        (source,) = http.tool("remember", {"text": text})["sources"]
        assert http.get(source["id"]).body["text"] == text


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("search_memory", {}, "search_memory needs the argument query"),
        ("search_memory", None, "search_memory needs the argument query"),
        ("search_memory", "", "search_memory needs the argument query"),
        ("search_memory", {"query": ""}, "must not be blank"),
        ("search_memory", {"query": " \t"}, "must not be blank"),
        ("search_memory", {"query": "\x00"}, "must not be blank"),
        ("search_memory", {"query": None}, "should be a valid string"),
        ("search_memory", {"query": 5}, "should be a valid string"),
        ("search_memory", {"query": ["a", "b"]}, "should be a valid string"),
        ("search_memory", {"query": "x", "top_k": 3}, 'has no argument "top_k"'),
        ("search_memory", {"query": "x", "tenant": "b"}, 'has no argument "tenant"'),
        ("search_memory", {"query": "x", "[S1]\n<b": 1}, 'has no argument "&#91;S1] &lt;b"'),
        ("search_memory", "{broken", "not valid JSON"),
        ("search_memory", '{"query": "\\ud800', "not valid JSON"),
        ("search_memory", "[" * 100_000, "not valid JSON"),
        ("search_memory", '{"query": NaN}', "not valid JSON"),
        ("search_memory", "[]", "one JSON object"),
        ("search_memory", "5", "one JSON object"),
        ("search_memory", '"just a string"', "one JSON object"),
        ("search_memory", "null", "search_memory needs the argument query"),
        ("read_source", {}, "read_source needs the argument source"),
        ("read_source", {"source": ""}, "must not be blank"),
        ("read_source", {"source": "a", "page": 0}, "greater than or equal to 1"),
        ("read_source", {"source": "a", "page": -1}, "greater than or equal to 1"),
        ("read_source", {"source": "a", "page": 1.5}, "valid integer"),
        ("read_source", {"source": "a", "page": "two"}, "valid integer"),
        ("read_source", {"source": "a", "page": "[1, 2]"}, "valid integer"),
        ("read_source", {"source": "a", "page": True}, "valid integer"),
        ("read_source", {"source": "a", "page": "9" * 40}, "valid integer"),
        ("read_source", {"source": "a", "page": 10**7}, "less than or equal to 1000000"),
        ("read_source", {"source": "a", "page": 4}, "There is no page 4: this source has 3 pages"),
        ("read_source", {"source": "nobody"}, 'There is no source "nobody" here'),
        ("read_source", {"source": "S1"}, "not the label"),
        ("read_source", {"source": "[S1]"}, "not the label"),
        ("read_source", {"source": "\ud800"}, "no source"),
        ("forget", {"source": "nobody"}, "no source"),
        ("reindex_source", {"source": "doc_nobody"}, "no source"),
        ("remember", {"text": " "}, "must not be blank"),
        ("remember", "x", "not valid JSON"),
    ],
)
def test_h10_what_is_wrong_is_one_short_sentence(
    kestrel: Http, name: str, arguments: Any, told: str
) -> None:
    before = kestrel.clock()
    assert told in kestrel.refused(name, arguments)
    assert kestrel.clock() == before


@pytest.mark.parametrize(
    ("name", "argument", "limit"),
    [
        ("search_memory", "query", MAX_QUERY_BYTES),
        ("read_source", "source", MAX_STRING_BYTES),
        ("remember", "text", MAX_TEXT_BYTES),
    ],
)
def test_each_limit_on_both_sides(http: Http, name: str, argument: str, limit: int) -> None:
    for character in ("x", "é"):
        size = len(character.encode())
        most = {argument: character * (limit // size)}
        if name == "read_source":
            assert "no source" in http.refused(name, most)
        else:
            assert not http.tool(name, most)["is_error"]
        told = http.refused(name, {argument: character * (limit // size + 1)})
        assert f"at most {limit} bytes" in told


VALUES = st.text(min_size=1, max_size=40) | st.integers() | st.none() | st.just(["x"])


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    name=st.sampled_from(sorted(TOOLS)),
    arguments=st.dictionaries(
        st.sampled_from(["query", "source", "text", "page", "limit"]), VALUES, max_size=3
    ),
)
def test_h7_what_a_schema_allows_the_handler_takes(
    kestrel: Http, name: str, arguments: dict[str, Any]
) -> None:
    """And of what it does not allow, only what is coerced."""
    allowed = Draft202012Validator(TOOLS[name].schema).is_valid(arguments)
    told = kestrel.tool(name, arguments)
    mended = any(
        value is None or isinstance(value, list) or isinstance(arguments.get("page"), str)
        for value in arguments.values()
    )
    wrong = "argument" in told["content"].split(":")[0] and told["is_error"]
    assert not (allowed and wrong), told
    assert allowed or wrong or mended, told
