"""The tools as models are told of them, in the form of each provider."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from palimpsest.domain.keys import Grant, Scope
from tools.arguments import Arguments, NamedSource, ReadSource, Remember, SearchMemory

Json = dict[str, Any]


class ToolFormat(StrEnum):
    """Whose form a definition has."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    BEDROCK = "bedrock"
    MCP = "mcp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: what it does, what it takes, and the scope of a key that may call it. `destroys`:
    what it takes away does not come back; `repeatable`: a second call changes nothing more.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    scope: Scope = Scope.WRITE
    destroys: bool = False
    repeatable: bool = True

    @property
    def schema(self) -> Json:
        """The JSON Schema of its arguments: an object of plain properties."""
        made = self.arguments.model_json_schema()
        properties = {
            name: {key: value for key, value in told.items() if key not in {"title", "default"}}
            for name, told in made["properties"].items()
        }
        return {
            "type": "object",
            "properties": properties,
            "required": made["required"],
            "additionalProperties": False,
        }


_EVERY = (
    Tool(
        name="search_memory",
        title="Search memory",
        description=(
            "Search everything that was remembered and every document that was indexed, by meaning "
            "and by words. Answers at most five sources, each with a label, its id, where it is "
            "from, a score and its best passage. Use it before you answer from your own knowledge, "
            "and read_source for the whole text of what looks right."
        ),
        arguments=SearchMemory,
        scope=Scope.READ,
    ),
    Tool(
        name="read_source",
        title="Read a source",
        description=(
            "Read the text of one source that search_memory found: a record, a part of a document, "
            "or a whole document. Long texts come in pages; the answer says which page it is and "
            "whether there are more."
        ),
        arguments=ReadSource,
        scope=Scope.READ,
    ),
    Tool(
        name="remember",
        title="Remember",
        description=(
            "Keep a text so that later searches find it. Use it for what will still matter in "
            "another conversation: facts, decisions, preferences. One thing a call, in words that "
            "can be understood alone. It is kept again each time that you call."
        ),
        arguments=Remember,
        repeatable=False,
    ),
    Tool(
        name="forget",
        title="Forget",
        description=(
            "Forget one source for good: a record, a document with its file, or every record of an "
            "address. It cannot be undone, so use it only when the user asks for it."
        ),
        arguments=NamedSource,
        destroys=True,
    ),
    Tool(
        name="reindex_source",
        title="Index a source again",
        description=(
            "Have a document read again, or a record that searches miss indexed again. Until that "
            "is done it is found as it was. Use it only when the user asks for it."
        ),
        arguments=NamedSource,
    ),
)
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _EVERY}


def definitions(form: ToolFormat, grant: Grant) -> list[Json]:
    """The tools that a key may call, as a provider's API takes them."""
    return [_FORMS[form](tool) for tool in _EVERY if grant.allows(tool.scope)]


def _openai(tool: Tool) -> Json:
    told = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": told}


def _anthropic(tool: Tool) -> Json:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema}


def _bedrock(tool: Tool) -> Json:
    """Some of its models take no other member at the top of a schema than these three."""
    schema = {name: tool.schema[name] for name in ("type", "properties", "required")}
    told = {"name": tool.name, "description": tool.description, "inputSchema": {"json": schema}}
    return {"toolSpec": told}


def _mcp(tool: Tool) -> Json:
    reads = tool.scope is Scope.READ
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.schema,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": reads,
            "destructiveHint": tool.destroys,
            "idempotentHint": tool.repeatable,
            "openWorldHint": False,
        },
    }


_FORMS: Mapping[ToolFormat, Callable[[Tool], Json]] = {
    ToolFormat.OPENAI: _openai,
    ToolFormat.ANTHROPIC: _anthropic,
    ToolFormat.BEDROCK: _bedrock,
    ToolFormat.MCP: _mcp,
}
