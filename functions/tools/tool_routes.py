"""Tools: their definitions, and calling one."""

from http import HTTPStatus
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from palimpsest.api.request_guards import idempotency_key, refuse_guards
from palimpsest.api.resolver import Access, answer
from palimpsest.domain.keys import Scope
from palimpsest.domain.names import DEFAULT_NAMESPACE
from palimpsest.domain.tool_results import label
from palimpsest.services.tools.caller import ToolCaller
from tools import answers
from tools.app import api
from tools.calling import call, tool_named
from tools.definitions import ToolFormat, definitions
from tools.schemas import CallBody

Form = Literal["openai", "anthropic", "bedrock", "mcp"]


@api.route("GET", "/tools", Access(Scope.READ), answers={200: answers.Tools})
def list_tools(
    form: Annotated[Form, Query(alias="format")] = "openai",
) -> Response[str]:
    """The definitions of the tools that this key may call."""
    return answer(HTTPStatus.OK, {"tools": definitions(ToolFormat(form), api.caller.grant)})


@api.route(
    "POST",
    "/tools/{name}",
    Access(Scope.READ, body=True),
    answers={200: answers.ToolAnswer},
    takes=("Idempotency-Key",),
)
def post_tool(name: str, body: Annotated[CallBody, Body()]) -> Response[str]:
    """Call a tool on behalf of a model."""
    refuse_guards(api)
    grant = api.caller.grant
    tool = tool_named(api.caller.path["name"], grant)
    caller = ToolCaller(grant.tenant, body.namespace or DEFAULT_NAMESPACE, grant.key_id)
    told = call(tool, body.arguments, caller, idempotency_key(api))
    sources = [
        {
            "alias": label(number),
            "id": source.id,
            "namespace": source.namespace,
            "revision": source.revision,
        }
        for number, source in enumerate(told.sources, start=1)
    ]
    return answer(
        HTTPStatus.OK, {"content": told.content, "is_error": told.is_error, "sources": sources}
    )
