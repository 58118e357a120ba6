"""Bring the template onto the local endpoint: build, deploy, and what the endpoint does not read.

Both steps are skipped when nothing that they depend on has changed. What was built is known from a
file beside it; what was deployed is known from a tag of the deployed stack itself, so that it is
never believed of an endpoint that has lost it.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.exceptions import ClientError

from local.layout import REGION, STACK, Layout, plain_environment

if TYPE_CHECKING:
    from mypy_boto3_cloudformation.type_defs import StackTypeDef

SOURCES = (
    "template.yaml",
    "samconfig.toml",
    "infra/layer/Makefile",
    "infra/state_machines/jobs.asl.json",
    "requirements/local.txt",
)
"""What `sam build` reads beside the functions' folder."""

_TAG = "inputs"


@dataclass(frozen=True, slots=True)
class Deployment:
    """The local stack's deployment, with the parameters it is to have."""

    layout: Layout
    parameters: Mapping[str, str]

    def is_current(self) -> bool:
        """Whether the endpoint holds exactly this code with these parameters."""
        stack = self._stack()
        if stack is None:
            return False
        tags = {tag["Key"]: tag["Value"] for tag in stack.get("Tags", [])}
        complete = stack["StackStatus"] in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}
        return complete and tags.get(_TAG) == self._inputs(source_digest(self.layout.root))

    def build(self) -> None:
        """`sam build`, unless this very code has been built."""
        stamp, inputs = self._built, source_digest(self.layout.root)
        if stamp.exists() and stamp.read_text() == inputs and self.layout.build.exists():
            return
        stamp.unlink(missing_ok=True)
        self._sam(
            "build",
            ["--build-dir", str(self.layout.build)],
            ["--cache-dir", str(self.layout.local / "build-cache")],
            log="build",
        )
        stamp.write_text(inputs)

    def deploy(self) -> None:
        """`sam deploy`, then what the endpoint does not take from the template."""
        overrides = [f"{name}={value}" for name, value in self.parameters.items() if value]
        changed = self._stack() is not None
        self._sam(
            "deploy",
            ["--template-file", str(self.layout.build / "template.yaml")],
            ["--stack-name", STACK, "--region", REGION, "--no-progressbar"],
            ["--tags", f"{_TAG}={self._inputs(self._built.read_text())}"],
            ["--parameter-overrides", *overrides],
            log="deploy",
        )
        set_gateway_responses()
        if changed:
            publish(self.outputs())
        self.layout.deployed_marker.touch()

    def outputs(self) -> dict[str, str]:
        """The outputs of the deployed stack."""
        return stack_outputs(STACK)

    @staticmethod
    def _stack() -> "StackTypeDef | None":
        """The stack as the endpoint has it; None if there is none."""
        try:
            return boto3.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"][0]
        except ClientError:
            return None

    @property
    def _built(self) -> Path:
        """Holds the digest of what was built; the sources may have changed since."""
        return self.layout.local / "built"

    def _inputs(self, sources: str) -> str:
        told = sorted(f"{name}={value}" for name, value in self.parameters.items())
        return _digest([sources.encode(), "\n".join(told).encode()])

    def _sam(self, verb: str, *options: list[str], log: str) -> None:
        """Run one sam command, its output in a log. Raises `RuntimeError` with its last lines."""
        path = self.layout.log(log)
        path.parent.mkdir(parents=True, exist_ok=True)
        config = ["--config-file", str(self.layout.root / "samconfig.toml")]
        command = [str(self.layout.tool("sam", "sam")), verb, *config]
        command += [option for some in options for option in some]
        with path.open("wb") as output:
            done = subprocess.run(
                command,
                cwd=self.layout.root,
                env=self._sam_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode:
            tail = "\n".join(path.read_text(errors="replace").splitlines()[-25:])
            raise RuntimeError(f"sam {verb} failed ({path}):\n{tail}")

    def _sam_environment(self) -> dict[str, str]:
        emulator = self.layout.tool("emulator", "python")
        requirements = self.layout.root / "requirements" / "local.txt"
        layer = self.layout.root / ".cache" / f"layer-{_digest([requirements.read_bytes()])[:16]}"
        return {
            **plain_environment(),
            **self.layout.aws_environment(),
            "PATH": os.pathsep.join([str(emulator.parent), os.environ.get("PATH", "")]),
            "SAM_CLI_TELEMETRY": "0",
            "LAYER_MODE": "link",
            "LAYER_FOLDER": str(layer),
            "PYTHON": str(emulator),  # functions run on it, whatever their runtime says
            "UV": str(self.layout.tool("uv", "uv")),
        }


def source_digest(root: Path) -> str:
    """A digest of everything that `sam build` reads."""
    functions = root / "functions"
    code = sorted(path for path in functions.rglob("*") if is_source(path, functions))
    paths = [*(root / name for name in SOURCES), *code]
    return _digest(
        part for path in paths for part in (str(path.relative_to(root)).encode(), path.read_bytes())
    )


def is_source(path: Path, folder: Path) -> bool:
    """Whether a file below `folder` belongs to the functions: no bytecode, nothing hidden."""
    parts = path.relative_to(folder).parts
    hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
    return path.is_file() and not hidden


def stack_outputs(stack: str) -> dict[str, str]:
    """The outputs of a stack, by name, with the caller's own AWS settings."""
    told = boto3.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    return {output["OutputKey"]: output["OutputValue"] for output in told.get("Outputs", [])}


def publish(outputs: Mapping[str, str]) -> int:
    """Publish each function as it is now behind its alias; how many they are.

    SAM does so by itself where a property changes, but on the endpoint it sees the parameters'
    defaults alone: a change of their values would never reach the alias.
    """
    functions = boto3.client("lambda")
    names = [name for key, name in outputs.items() if key.endswith("FunctionName")]
    for name in names:
        version = functions.publish_version(FunctionName=name)["Version"]
        for alias in functions.list_aliases(FunctionName=name)["Aliases"]:
            functions.update_alias(FunctionName=name, Name=alias["Name"], FunctionVersion=version)
    return len(names)


def set_gateway_responses() -> None:
    """Give the API the gateway responses of its template, which the endpoint leaves out."""
    api = stack_outputs(STACK)["ApiId"]
    template = boto3.client("cloudformation").get_template(
        StackName=STACK, TemplateStage="Processed"
    )["TemplateBody"]
    gateway = boto3.client("apigateway")
    body = template["Resources"]["Api"]["Properties"]["Body"]
    for kind, response in body["x-amazon-apigateway-gateway-responses"].items():
        gateway.put_gateway_response(
            restApiId=api,
            responseType=kind,
            statusCode=str(response["statusCode"]),
            responseParameters=response["responseParameters"],
            responseTemplates=response["responseTemplates"],
        )
    gateway.create_deployment(restApiId=api, stageName="v1")


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()
