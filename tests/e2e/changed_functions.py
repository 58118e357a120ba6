"""Functions of a running stack under other settings for a while."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from e2e.endpoint_clients import client_of, output_of
from stack import LocalStack


@contextmanager
def changed(
    stack: LocalStack,
    *outputs: str,
    variables: Mapping[str, str] | None = None,
    timeout: int | None = None,
) -> Iterator[None]:
    """Behind their aliases, the functions of these outputs run with these variables beside their
    own, and with this time limit (seconds).
    """
    functions = client_of(stack, "lambda")
    names = [output_of(stack, output) for output in outputs]
    before = {name: _published(functions, name, variables or {}, timeout) for name in names}
    try:
        yield
    finally:
        for name, undo in before.items():
            functions.update_alias(**undo["alias"])
            functions.update_function_configuration(FunctionName=name, **undo["configuration"])


def _published(
    functions: Any, name: str, variables: Mapping[str, str], timeout: int | None
) -> dict[str, Any]:
    """What it takes to undo that the alias serves a changed version from now on."""
    told = functions.get_function_configuration(FunctionName=name)
    kept = {"Environment": {"Variables": told["Environment"]["Variables"]}}
    wanted = {"Environment": {"Variables": kept["Environment"]["Variables"] | dict(variables)}}
    limits = {"Timeout": timeout} if timeout else {}
    functions.update_function_configuration(FunctionName=name, **wanted, **limits)
    version = functions.publish_version(FunctionName=name)["Version"]
    (alias,) = functions.list_aliases(FunctionName=name)["Aliases"]
    served = {"FunctionName": name, "Name": alias["Name"]}
    functions.update_alias(**served, FunctionVersion=version)
    return {
        "alias": served | {"FunctionVersion": alias["FunctionVersion"]},
        "configuration": kept | {"Timeout": told["Timeout"]},
    }
