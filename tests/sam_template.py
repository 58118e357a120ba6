"""`template.yaml` as data, its intrinsic functions in their long form."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

PATH = Path(__file__).resolve().parents[1] / "template.yaml"


class _Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short tags."""


def _intrinsic(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)
        value = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _intrinsic)


@lru_cache(maxsize=1)
def load() -> dict[str, Any]:
    """The whole template."""
    template: dict[str, Any] = yaml.load(PATH.read_text(encoding="utf-8"), _Loader)  # noqa: S506
    return template


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """The properties of every resource of one type, by logical id."""
    return {
        name: resource.get("Properties", {})
        for name, resource in load()["Resources"].items()
        if resource["Type"] == kind
    }
