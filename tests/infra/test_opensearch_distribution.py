"""How the files of a node are made: once, whole or not at all, and only of known jars."""

import hashlib
import os
import threading
from pathlib import Path

import pytest

from opensearch import distribution

# what the stand-ins for the programs do: Maven fills `lib`, the trial start makes an archive
MAVEN = """for last; do :; done; out=${last#-Dout=}
mkdir -p "$out/lib" "$out/unpacked"; printf jar > "$out/lib/a.jar" """
JAR = 'touch "$3"'
JAVA = 'for a; do case $a in -XX:ArchiveClassesAtExit=*) echo archive > "${a#*=}"; esac; done'


class Machine:
    """Fake tools, a source folder and a cache, all in one folder."""

    def __init__(self, folder: Path) -> None:
        self.calls, self.source, self.cache = folder / "calls", folder / "source", folder / "cache"
        self.jdk, self.path = folder / "jdk", folder / "path"
        (self.source / "launcher").mkdir(parents=True)
        (self.source / "pom.xml").write_text("<project/>")
        (self.source / "launcher" / "A.java").write_text("class A {}")
        self.lock("jar")
        self.program(self.path / "mvn", MAVEN)
        for name, body in {"javac": "", "jar": JAR, "java": JAVA}.items():
            self.program(self.jdk / "bin" / name, body)
        (self.jdk / "release").write_text('JAVA_VERSION="25.0.3"\n')

    def program(self, path: Path, body: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {path.name} >> '{self.calls}'\n{body}\n")
        path.chmod(0o700)

    def lock(self, content: str) -> None:
        digest = hashlib.sha256(content.encode()).hexdigest()
        (self.source / "jars.txt").write_text(f"{digest}  lib/a.jar\n")

    def prepare(self) -> distribution.Distribution:
        environment = {
            "OPENSEARCH_JAVA_HOME": str(self.jdk),
            "PATH": f"{self.path}{os.pathsep}{os.environ['PATH']}",
        }
        return distribution.prepare(
            say=lambda _: None, environment=environment, source=self.source, cache=self.cache
        )

    def called(self) -> list[str]:
        return self.calls.read_text().split() if self.calls.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_second_start_finds_everything_made(machine: Machine) -> None:
    made = machine.prepare()
    assert machine.called() == ["mvn", "javac", "jar", "java"]
    assert made.archive.read_text() == "archive\n"
    assert sorted(path.name for path in made.folder.iterdir()) == [
        "app",
        "classes-25.0.3.jsa",
        "lib",
    ]
    assert machine.prepare() == made
    assert len(machine.called()) == 4


def test_two_first_starts_at_once_make_it_once(machine: Machine) -> None:
    starts = [threading.Thread(target=machine.prepare) for _ in range(4)]
    for each in starts:
        each.start()
    for each in starts:
        each.join()
    assert machine.called() == ["mvn", "javac", "jar", "java"]


def test_a_change_of_any_input_makes_another_folder(machine: Machine) -> None:
    first = machine.prepare()
    (machine.source / "launcher" / "A.java").write_text("class A { }")
    second = machine.prepare()
    (machine.source / "pom.xml").write_text("<project />")
    third = machine.prepare()
    assert len({first.folder, second.folder, third.folder}) == 3


def test_another_build_of_the_jdk_needs_an_archive_of_its_own_alone(machine: Machine) -> None:
    first = machine.prepare()
    (machine.jdk / "release").write_text('JAVA_VERSION="25.0.4"\n')
    second = machine.prepare()
    assert second.folder == first.folder
    assert second.archive != first.archive
    assert machine.called() == ["mvn", "javac", "jar", "java", "java"]


def test_a_jar_that_is_not_the_known_one_is_never_run(machine: Machine) -> None:
    machine.lock("another jar")
    with pytest.raises(RuntimeError, match=r"lib/a\.jar should have SHA-256 \w+ by jars\.txt"):
        machine.prepare()
    assert machine.called() == ["mvn"]
    assert [path.name for path in machine.cache.iterdir()] == ["lock"]


def test_a_step_that_fails_says_why_and_leaves_nothing(machine: Machine) -> None:
    machine.program(machine.path / "mvn", "echo no route to the registry; exit 3")
    with pytest.raises(RuntimeError, match=r"Maven.*exit code 3\):\nno route to the registry"):
        machine.prepare()
    assert [path.name for path in machine.cache.iterdir()] == ["lock"]


def test_what_a_killed_preparation_left_is_cleared_away(machine: Machine) -> None:
    (machine.cache / ".making-x" / "made").mkdir(parents=True)
    made = machine.prepare()
    assert sorted(path.name for path in machine.cache.iterdir()) == [made.folder.name, "lock"]


def test_a_node_that_does_not_start_is_not_taken_for_prepared(machine: Machine) -> None:
    machine.program(machine.jdk / "bin" / "java", "echo out of luck; exit 1")
    with pytest.raises(RuntimeError, match=r"OpenSearch does not start.*\nout of luck"):
        machine.prepare()
    machine.program(machine.jdk / "bin" / "java", JAVA)
    assert machine.prepare().archive.exists()
    assert machine.called() == ["mvn", "javac", "jar", "java", "java"]


def test_a_jdk_that_makes_no_archive_is_asked_once(machine: Machine) -> None:
    machine.program(machine.jdk / "bin" / "java", "")
    assert machine.prepare().archive.read_text() == ""
    machine.prepare()
    assert machine.called().count("java") == 1
