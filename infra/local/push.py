"""Put the present code of `functions/` into the running local functions: `make push`.

No build and no deployment: a zip, a new version behind each alias. The next `make up` deploys.
"""

import io
import os
import sys
import time
import zipfile
from collections.abc import Mapping

import boto3

from local import environment
from local.deployment import is_source, publish, stack_outputs
from local.layout import STACK, Layout


def main() -> int:
    """The exit code: 0 done, 1 if no stack of these settings runs."""
    layout = Layout.from_environment()
    if not layout.ready_marker.exists():
        print("no local stack is running: start one with `make up`", file=sys.stderr)
        return 1
    began = time.monotonic()
    os.environ.update(environment.read(layout.env_file))
    layout.pushed_marker.touch()
    count = push(packed(layout), stack_outputs(STACK))
    print(f"pushed to {count} functions in {time.monotonic() - began:.1f} s")
    return 0


def packed(layout: Layout) -> bytes:
    """The functions' code as a zip."""
    folder, packet = layout.root / "functions", io.BytesIO()
    with zipfile.ZipFile(packet, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if is_source(path, folder):
                archive.write(path, path.relative_to(folder))
    return packet.getvalue()


def push(code: bytes, outputs: Mapping[str, str]) -> int:
    """Publish the code as a new version of each function behind its alias; how many functions."""
    functions = boto3.client("lambda")
    for key, name in outputs.items():
        if key.endswith("FunctionName"):
            functions.update_function_code(FunctionName=name, ZipFile=code)
    return publish(outputs)


if __name__ == "__main__":
    sys.exit(main())
