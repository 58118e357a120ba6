"""Which JDK a node of OpenSearch gets, and what is said if there is none."""

from pathlib import Path

import pytest

from opensearch import distribution, jars, java


def jdk(home: Path, version: str, *, compiler: bool = True) -> Path:
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text(f'IMPLEMENTOR="Someone"\nJAVA_VERSION="{version}"\n')
    if compiler:
        (home / "bin" / "javac").touch()
    return home


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    folder = tmp_path / "jvm"
    for name, version in {"a": "25.0.3", "b": "9.0.4", "c": "21.0.10", "d": "1.8.0_392"}.items():
        jdk(folder / name, version)
    jdk(folder / "runtime", "26", compiler=False)
    (folder / "empty").mkdir()
    return folder


def test_the_newest_is_chosen_by_number_and_a_bare_runtime_is_none(installed: Path) -> None:
    assert java.choose({}, installed=(installed,)) == java.Jdk(installed / "a", "25.0.3")


def test_a_jdk_of_a_mac_is_found(tmp_path: Path) -> None:
    home = jdk(tmp_path / "temurin-21.jdk" / "Contents" / "Home", "21.0.10")
    assert java.choose({}, installed=(tmp_path,)).home == home


def test_java_home_comes_first_if_it_fits(installed: Path) -> None:
    fitting = {"JAVA_HOME": str(installed / "c")}
    assert java.choose(fitting, installed=(installed,)).version == "21.0.10"
    old = {"JAVA_HOME": str(installed / "b")}
    assert java.choose(old, installed=(installed,)).version == "25.0.3"


def test_the_jdk_that_is_named_for_opensearch_comes_before_all(installed: Path) -> None:
    named = {"OPENSEARCH_JAVA_HOME": str(installed / "c"), "JAVA_HOME": str(installed / "a")}
    assert java.choose(named, installed=(installed,)).version == "21.0.10"


@pytest.mark.parametrize("name", ["b", "runtime", "nowhere"])
def test_a_named_jdk_that_does_not_fit_is_refused_instead_of_passed_over(
    installed: Path, name: str
) -> None:
    named = {"OPENSEARCH_JAVA_HOME": str(installed / name)}
    with pytest.raises(RuntimeError, match=rf"OPENSEARCH_JAVA_HOME=\S+/{name} is no JDK 21"):
        java.choose(named, installed=(installed,))


def test_what_was_found_instead_is_told_in_a_line(tmp_path: Path) -> None:
    jdk(tmp_path / "jvm" / "a", "17.0.15")
    usual = {"JAVA_HOME": str(jdk(tmp_path / "mine", "1.8.0_392"))}
    with pytest.raises(RuntimeError) as refused:
        java.choose(usual, installed=(tmp_path / "jvm",))
    assert str(refused.value) == (
        "no JDK 21 or newer was found, only 1.8.0_392, 17.0.15: install one, or name one with "
        "OPENSEARCH_JAVA_HOME"
    )
    with pytest.raises(RuntimeError, match="was found: install one"):
        java.choose({}, installed=())


@pytest.mark.parametrize(
    ("version", "major"), [("1.8.0_392", 8), ("21", 21), ("25.0.3", 25), ("26-ea", 26), ("x", 0)]
)
def test_every_form_of_a_version_has_its_number(version: str, major: int) -> None:
    assert java.Jdk(Path("x"), version).major == major


def test_a_machine_that_lacks_something_is_told_what(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distribution, "CACHE", tmp_path / "cache")
    fitting = {"OPENSEARCH_JAVA_HOME": str(installed / "c"), "PATH": str(tmp_path)}
    assert distribution.missing(fitting) == (
        "Maven (mvn) is not on PATH; it collects the jars of OpenSearch"
    )
    (tmp_path / "mvn").touch(mode=0o700)
    assert distribution.missing(fitting) is None
    unfit = {"OPENSEARCH_JAVA_HOME": str(installed / "b")}
    assert "is no JDK 21" in str(distribution.missing(unfit))


def test_maven_is_not_missed_once_the_jars_are_there(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distribution, "CACHE", tmp_path)
    fitting = {"OPENSEARCH_JAVA_HOME": str(installed / "c"), "PATH": "nowhere"}
    assert distribution.missing(fitting)
    chosen = java.choose(fitting)
    distribution.place(jars.SOURCE, tmp_path, jdk=chosen).mkdir()
    assert distribution.missing(fitting) is None
