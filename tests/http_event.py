"""API Gateway proxy events, as the gateway of this project sends them."""

import json
from dataclasses import dataclass
from typing import Any

GRANT = {"tenant": "demo", "key_id": "k1", "scopes": "admin", "namespaces": "*", "expires_at": ""}


def event(
    method: str,
    resource: str,
    *,
    path: dict[str, str] | None = None,
    body: Any = None,
    headers: dict[str, str] | None = None,
    query: dict[str, str] | None = None,
    grant: dict[str, str] | None = GRANT,
    raw: str | None = None,
) -> dict[str, Any]:
    """One event; `raw` is a body that is sent as it is."""
    text = raw if raw is not None else None if body is None else json.dumps(body)
    sent = {"Content-Type": "application/json"} if text is not None else {}
    return {
        "resource": resource,
        "path": resource,
        "httpMethod": method,
        "headers": {**sent, **(headers or {})},
        "multiValueHeaders": {k: [v] for k, v in {**sent, **(headers or {})}.items()},
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {k: [v] for k, v in query.items()} if query else None,
        "pathParameters": path,
        "stageVariables": None,
        "requestContext": {
            "requestId": "r-1",
            "authorizer": grant,
            "resourcePath": resource,
            "httpMethod": method,
            "stage": "v1",
            "identity": {},
        },
        "body": text,
        "isBase64Encoded": False,
    }


@dataclass(frozen=True, slots=True)
class Context:
    """What a handler is given beside the event."""

    aws_request_id: str = "a-1"
    function_name: str = "test"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:000000000000:function:test"

    def get_remaining_time_in_millis(self) -> int:
        return 900_000
