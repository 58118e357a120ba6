import dataclasses

import pytest

import sam_template
from palimpsest.setting_kinds import EmbedderKind, Engine
from palimpsest.settings import Settings, SettingsError, given, load

WHOLE = {"TABLE_NAME": "t", "EMBEDDER": "simulated"}
NOT_OURS = ("POWERTOOLS_", "KEYS_TABLE_NAME")


def test_what_is_not_set_has_its_default() -> None:
    settings = load(WHOLE)
    assert (settings.engine, settings.candidate_depth) == (Engine.SQLITE, 100)
    assert settings.embedder is EmbedderKind.SIMULATED
    assert settings.paths_are_decoded


def test_on_aws_path_parameters_come_encoded() -> None:
    assert not load({**WHOLE, "STAGE": "prod"}).paths_are_decoded


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ENGINE", "lucene"),
        ("EMBEDDER", "magic"),
        ("EMBEDDING_DIMENSION", "0"),
        ("EMBEDDING_DIMENSION", "x"),
        ("EMBEDDING_DIMENSION", "16001"),
        ("LANGUAGE_MODEL", "oracle"),
        ("RERANKER", "magic"),
        ("RERANKER_SHAPE", "round"),
        ("CANDIDATE_DEPTH", "1.5"),
        ("CANDIDATE_DEPTH", "1001"),
    ],
)
def test_a_wrong_variable_fails_at_start_by_its_name(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        load({**WHOLE, variable: value})


def test_a_setting_that_a_branch_needs_is_asked_for_by_name() -> None:
    given(load({**WHOLE, "INDEX_FOLDER": "/x"}), "index_folder")
    with pytest.raises(SettingsError, match="INDEX_FOLDER is not set"):
        given(load(WHOLE), "index_folder")


def test_every_variable_of_the_template_is_a_setting_and_the_other_way_round() -> None:
    template = sam_template.load()
    shared = template["Globals"]["Function"].get("Environment", {}).get("Variables", {})
    variables = set(shared)
    for function in sam_template.resources("AWS::Serverless::Function").values():
        variables |= set(function.get("Environment", {}).get("Variables", {}))
    ours = {name for name in variables if not name.startswith(NOT_OURS)}
    fields = {field.name.upper() for field in dataclasses.fields(Settings)}
    assert ours - fields == set()
    assert fields == ours
