"""Which JDK builds and runs a node: the newest that fits, whatever `java` on PATH may be."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

OLDEST = 21
"""OpenSearch 3 is compiled for it."""

INSTALLED = (Path("/usr/lib/jvm"), Path("/Library/Java/JavaVirtualMachines"))


@dataclass(frozen=True, slots=True)
class Jdk:
    """A JDK by its folder and the version that its `release` file names, like 25.0.3."""

    home: Path
    version: str

    @property
    def numbers(self) -> tuple[int, ...]:
        """The version for comparison; the old 1.8 is 8."""
        return tuple(int(digits) for digits in re.findall(r"\d+", self.version.removeprefix("1.")))

    @property
    def major(self) -> int:
        """The first number of the version, 0 if it has none."""
        return next(iter(self.numbers), 0)

    def program(self, name: str) -> str:
        """The path of one of its programs."""
        return str(self.home / "bin" / name)


def choose(
    environment: Mapping[str, str] = os.environ, *, installed: tuple[Path, ...] = INSTALLED
) -> Jdk:
    """`OPENSEARCH_JAVA_HOME` if set, else `JAVA_HOME` if it fits, else the newest installed.

    Raises `RuntimeError` with a line that says what was found instead.
    """
    named = environment.get("OPENSEARCH_JAVA_HOME")
    if named:
        jdk = read(Path(named))
        if jdk is None or jdk.major < OLDEST:
            raise RuntimeError(f"OPENSEARCH_JAVA_HOME={named} is no JDK {OLDEST} or newer")
        return jdk
    usual = read(Path(environment["JAVA_HOME"])) if environment.get("JAVA_HOME") else None
    if usual is not None and usual.major >= OLDEST:
        return usual
    found = sorted(_installed(installed), key=lambda jdk: jdk.numbers)
    if found and found[-1].major >= OLDEST:
        return found[-1]
    versions = sorted({jdk.version for jdk in (*found, *([usual] if usual else []))})
    instead = f", only {', '.join(versions)}" if versions else ""
    raise RuntimeError(
        f"no JDK {OLDEST} or newer was found{instead}: install one, or name one with "
        "OPENSEARCH_JAVA_HOME"
    )


def read(home: Path) -> Jdk | None:
    """The JDK of a folder; None if it has no compiler (a bare runtime) or tells no version."""
    try:
        told = (home / "release").read_text(encoding="utf-8")
    except OSError:
        return None
    version = re.search(r'^JAVA_VERSION="([^"]+)"', told, re.MULTILINE)
    if version is None or not (home / "bin" / "javac").exists():
        return None
    return Jdk(home, version[1])


def _installed(folders: tuple[Path, ...]) -> Iterator[Jdk]:
    for folder in folders:
        for entry in sorted(folder.glob("*")):
            for home in (entry, entry / "Contents" / "Home"):  # the latter on macOS
                jdk = read(home)
                if jdk is not None:
                    yield jdk
