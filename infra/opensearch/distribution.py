"""The files that a node is run from: jars by Maven, our launcher, and an archive of its classes.

    python -m opensearch.distribution    makes them, once

They stand below `.cache/opensearch`, one folder for each set of inputs, and never change in place.
"""

import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from opensearch import jars, java
from opensearch.jars import LOCK, SOURCE, run
from opensearch.java import Jdk

CACHE = SOURCE.parents[1] / ".cache" / "opensearch"
_JVM = (
    "-Xss1m",
    "-XX:+UseSerialGC",
    "-XX:+ExitOnOutOfMemoryError",
    "--add-modules=jdk.incubator.vector",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "-Dfile.encoding=UTF-8",
    "-Djava.awt.headless=true",
    "-Djava.util.logging.manager=org.apache.logging.log4j.jul.LogManager",
    "-Djna.nosys=true",
    "-Dio.netty.noUnsafe=true",
    "-Dio.netty.noKeySetOptimization=true",
    "-Dio.netty.recycler.maxCapacityPerThread=0",
    "-Dlog4j.shutdownHookEnabled=false",
    "-Dlog4j2.disable.jmx=true",
    "-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1",
    "-Xlog:cds*=off",  # an archive that does not fit is left unused, without a word
)
_UNSAFE_IS_WARNED_OF = 24


@dataclass(frozen=True, slots=True)
class Distribution:
    """A prepared folder and the JDK to run it with."""

    folder: Path
    jdk: Jdk

    @property
    def archive(self) -> Path:
        """The classes of one start: halves the next ones. Good for one build of the JDK only."""
        return self.folder / f"classes-{self.jdk.version}.jsa"

    def command(self, settings: Sequence[str], options: Sequence[str]) -> list[str]:
        """The Java process of a node with these settings (key=value) and options of the JVM."""
        unsafe = ["--sun-misc-unsafe-memory-access=allow"]
        return [
            self.jdk.program("java"),
            *_JVM,
            *(unsafe if self.jdk.major >= _UNSAFE_IS_WARNED_OF else ()),
            f"-Dlocal.knn={self.folder / 'knn'}",
            *options,
            "-cp",
            os.pathsep.join(str(self.folder / part / "*") for part in ("app", "lib", "knn")),
            "LocalNode",
            *settings,
        ]


def missing(environment: Mapping[str, str] = os.environ) -> str | None:
    """One line on what this machine lacks for a node; None if it has all."""
    try:
        folder = place(SOURCE, CACHE, jdk=java.choose(environment))
        if not folder.exists():
            jars.maven(environment)
    except RuntimeError as error:
        return str(error)
    return None


def prepare(
    *,
    say: Callable[[str], None],
    environment: Mapping[str, str] = os.environ,
    source: Path = SOURCE,
    cache: Path = CACHE,
) -> Distribution:
    """The distribution, made if it is not there: some 35 s, and 70 MB to download the first time.

    Starts at once wait for each other. Raises `RuntimeError` with a reason.
    """
    jdk = java.choose(environment)
    made = Distribution(place(source, cache, jdk=jdk), jdk)
    if made.archive.exists():
        return made
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / "lock"):
        if not made.folder.exists():
            say("preparing OpenSearch, once")
            with _scratch(cache) as fresh:
                jars.collect(source, fresh, jdk=jdk, environment=environment)
                jars.check(source, fresh)
                _compile(source, fresh, jdk)
                fresh.rename(made.folder)
        if not made.archive.exists():
            _keep_classes(made)
    return made


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Wait for the lock of a file, and hold it; the end of the process gives it back as well."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def place(source: Path, cache: Path, *, jdk: Jdk) -> Path:
    """The folder for these inputs; it is there once it is whole."""
    files = [source / "pom.xml", source / LOCK, *sorted((source / "launcher").rglob("*.java"))]
    # an archive of other options would be left unused, and nobody would notice but by the clock
    digest = hashlib.sha256("\n".join([str(jdk.major), *_JVM]).encode())
    for path in files:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return cache / digest.hexdigest()[:16]


@contextmanager
def _scratch(cache: Path) -> Iterator[Path]:
    """A folder beside its later place. Its caller holds the lock: former ones are of the killed."""
    for left in cache.glob(".making-*"):
        shutil.rmtree(left)
    with tempfile.TemporaryDirectory(dir=cache, prefix=".making-") as scratch:
        fresh = Path(scratch, "made")
        fresh.mkdir()
        yield fresh


def _compile(source: Path, fresh: Path, jdk: Jdk) -> None:
    """Our classes as a jar: the archive of classes takes them from nothing else."""
    classes, app = fresh.parent / "classes", fresh / "app"
    app.mkdir()
    sources = sorted(map(str, (source / "launcher").rglob("*.java")))
    known = os.pathsep.join(str(fresh / part / "*") for part in ("lib", "knn"))
    compiler = [jdk.program("javac"), "-nowarn", "-proc:none", "-cp", known, "-d", str(classes)]
    run([*compiler, *sources], failed="the launcher of OpenSearch does not compile")
    jar = [jdk.program("jar"), "--create", "--file", str(app / "launcher.jar")]
    run([*jar, "-C", str(classes), "."], failed="the launcher of OpenSearch cannot be packed")


def _keep_classes(made: Distribution) -> None:
    """One start and stop, at the folder's final place: the archive remembers the class path."""
    fresh = made.archive.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="opensearch-") as data:
        options = ["-Xmx512m", "-Dlocal.trial=true", f"-XX:ArchiveClassesAtExit={fresh}"]
        command = made.command([f"path.data={data}", "http.port=0"], options)
        run(command, failed="OpenSearch does not start")
    fresh.touch()  # some JDKs make none; an empty one is left unused
    fresh.rename(made.archive)


def main() -> int:
    """The exit code: 0 done, 1 with a sentence on standard error."""
    try:
        print(prepare(say=print).folder)
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
