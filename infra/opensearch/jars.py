"""The jars of a node: collected by Maven as `pom.xml` says, checked against `jars.txt`.

python -m opensearch.jars    writes `jars.txt` anew, after a change of `pom.xml`
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from opensearch import java
from opensearch.java import Jdk

SOURCE = Path(__file__).resolve().parent
LOCK = "jars.txt"
_LONGEST_SECONDS = 900.0


def collect(source: Path, into: Path, *, jdk: Jdk, environment: Mapping[str, str]) -> None:
    """Fill `lib` and `knn` of a folder. What Maven leaves behind stays in the folder above.

    Raises `RuntimeError` if Maven fails, or is not there.
    """
    pom = shutil.copy(source / "pom.xml", into.parent)
    run(
        [maven(environment), "-q", "-B", "-f", str(pom), "package", f"-Dout={into}"],
        environment={**environment, "JAVA_HOME": str(jdk.home)},
        failed="Maven could not collect the jars of OpenSearch",
    )
    shutil.rmtree(into / "unpacked", ignore_errors=True)


def check(source: Path, folder: Path) -> None:
    """Nothing is run that is not known. Raises `RuntimeError` naming a file that differs."""
    lines = (source / LOCK).read_text(encoding="utf-8").splitlines()
    known = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    found = _digests(folder)
    for name in sorted(known.keys() | found.keys()):
        if known.get(name) != found.get(name):
            raise RuntimeError(
                f"{name} should have SHA-256 {known.get(name)} by {LOCK}, found "
                f"{found.get(name)}: do not use it before someone has looked at it"
            )


def maven(environment: Mapping[str, str]) -> str:
    """The path of Maven. Raises `RuntimeError` if there is none."""
    found = shutil.which("mvn", path=environment.get("PATH"))
    if found is None:
        raise RuntimeError("Maven (mvn) is not on PATH; it collects the jars of OpenSearch")
    return found


def run(
    command: Sequence[str], *, failed: str, environment: Mapping[str, str] | None = None
) -> None:
    """Run a program. Raises `RuntimeError` with its last lines if it fails or takes too long."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            timeout=_LONGEST_SECONDS,
        )
    except subprocess.TimeoutExpired as late:
        raise RuntimeError(f"{failed} within {_LONGEST_SECONDS:.0f} s") from late
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-15:])
        raise RuntimeError(f"{failed} (exit code {done.returncode}):\n{tail}")


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def main() -> int:
    """Writes the lock; 1 with a sentence on standard error if Maven cannot collect."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "made")
        try:
            collect(SOURCE, folder, jdk=java.choose(), environment=os.environ)
        except RuntimeError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        lines = [f"{digest}  {name}\n" for name, digest in _digests(folder).items()]
    (SOURCE / LOCK).write_text("".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
