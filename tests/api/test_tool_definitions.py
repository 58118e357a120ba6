"""Definitions of the tools, held to the rules of each provider that takes them."""

import re
from collections.abc import Callable
from typing import Any

import botocore.loaders
import botocore.model
import pytest
from botocore.validate import ParamValidator
from jsonschema import Draft202012Validator

from api.conftest import Answer, Http
from tools.arguments import MOST_PAGES
from tools.definitions import TOOLS

ALL = ["search_memory", "read_source", "remember", "forget", "reindex_source"]
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What OpenAI, Anthropic and Bedrock take; of MCP's names each of these is one."""


def listed(http: Http, form: str | None = None, **options: Any) -> Any:
    query = None if form is None else {"format": form}
    told: Answer = http.request("GET", "/tools", query=query, **options)
    assert told.status == 200
    return told.body["tools"]


def plain(schema: dict[str, Any]) -> None:
    """What every provider's schema rules have in common: an object of described scalars."""
    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert set(schema) <= {"type", "properties", "required", "additionalProperties"}
    assert set(schema["required"]) <= set(schema["properties"])
    for told in schema["properties"].values():
        assert told["type"] in {"string", "integer"}
        assert told["description"]
        known = {"type", "description", "minLength", "maxLength", "pattern", "minimum", "maximum"}
        assert set(told) <= known


def test_openai(http: Http) -> None:
    """The default. Chat Completions: a description has at most 1,024 characters."""
    tools = listed(http, "openai")
    assert listed(http) == tools
    assert [one["function"]["name"] for one in tools] == ALL
    for one in tools:
        assert (set(one), one["type"]) == ({"type", "function"}, "function")
        function = one["function"]
        assert set(function) == {"name", "description", "parameters"}
        assert NAME.fullmatch(function["name"])
        assert 20 < len(function["description"]) <= 1_024
        plain(function["parameters"])


def test_anthropic(http: Http) -> None:
    tools = listed(http, "anthropic")
    assert [one["name"] for one in tools] == ALL
    for one in tools:
        assert set(one) == {"name", "description", "input_schema"}
        assert NAME.fullmatch(one["name"])
        plain(one["input_schema"])


def test_bedrock(http: Http) -> None:
    """Checked by the service's own model of a Converse request; Nova models take three members at
    the top of a schema."""
    tools = listed(http, "bedrock")
    assert [one["toolSpec"]["name"] for one in tools] == ALL
    described = botocore.loaders.Loader().load_service_model("bedrock-runtime", "service-2")
    shape = botocore.model.ServiceModel(described).shape_for("ToolConfiguration")
    report = ParamValidator().validate({"tools": tools}, shape)
    assert not report.has_errors(), report.generate_report()
    for one in tools:
        schema = one["toolSpec"]["inputSchema"]["json"]
        plain(schema)
        assert set(schema) == {"type", "properties", "required"}


def test_mcp(http: Http) -> None:
    """Revision 2025-06-18 of the protocol: a title, and hints of what a call does."""
    tools = listed(http, "mcp")
    assert [one["name"] for one in tools] == ALL
    for one in tools:
        assert set(one) == {"name", "title", "description", "inputSchema", "annotations"}
        plain(one["inputSchema"])
        hints = one["annotations"]
        reads = one["name"] in {"search_memory", "read_source"}
        assert hints["readOnlyHint"] is reads
        assert hints["destructiveHint"] is (one["name"] == "forget")
        assert hints["idempotentHint"] is (one["name"] != "remember")
        assert hints["openWorldHint"] is False


def test_all_forms_tell_the_same(http: Http) -> None:
    ways: dict[str, Callable[[Any], tuple[Any, Any]]] = {
        "openai": lambda one: (one["function"]["description"], one["function"]["parameters"]),
        "anthropic": lambda one: (one["description"], one["input_schema"]),
        "bedrock": lambda one: (
            one["toolSpec"]["description"],
            {**one["toolSpec"]["inputSchema"]["json"], "additionalProperties": False},
        ),
        "mcp": lambda one: (one["description"], one["inputSchema"]),
    }
    told = [[way(one) for one in listed(http, form)] for form, way in ways.items()]
    assert all(one == told[0] for one in told)


def test_search_memory_takes_one_string_and_nothing_else() -> None:
    schema = TOOLS["search_memory"].schema
    assert (list(schema["properties"]), schema["required"]) == (["query"], ["query"])
    assert schema["properties"]["query"]["type"] == "string"


def test_only_the_page_of_read_source_is_optional() -> None:
    optional = {
        (name, argument)
        for name, tool in TOOLS.items()
        for argument in tool.schema["properties"].keys() - set(tool.schema["required"])
    }
    assert optional == {("read_source", "page")}
    page = TOOLS["read_source"].schema["properties"]["page"]
    assert (page["minimum"], page["maximum"]) == (1, MOST_PAGES)


@pytest.mark.parametrize("form", ["yaml", "", "OpenAI", "openai,mcp"])
def test_another_form_is_refused(http: Http, form: str) -> None:
    http.request("GET", "/tools", query={"format": form}).problem(422, "invalid-request")
