"""The state machine of long jobs: every way through it leads somewhere."""

import re

import pytest

import sam_template
from jobs import handler as jobs_handler
from jobs_machine import MACHINE, TEXT, Scope, scopes, tasks

FUNCTIONS = sam_template.resources("AWS::Serverless::Function")
(DESCRIBED,) = sam_template.resources("AWS::Serverless::StateMachine").values()
TASKS = tasks()
REFUSED = {"ErrorEquals": ["JobRefused"], "MaxAttempts": 0}


@pytest.mark.parametrize("scope", list(scopes()), ids=lambda scope: scope.start)
def test_every_way_leads_to_a_state_and_every_state_is_on_a_way(scope: Scope) -> None:
    assert scope.reached() == scope.states.keys()
    for name, state in scope.states.items():
        onward = "Default" if state["Type"] == "Choice" else "Next"
        assert scope.ends(name) != (onward in state)


@pytest.mark.parametrize("scope", list(scopes()), ids=lambda scope: scope.start)
def test_every_state_can_reach_an_end(scope: Scope) -> None:
    for name in scope.states:
        assert any(map(scope.ends, Scope(name, scope.states).reached()))


@pytest.mark.parametrize("name", TASKS)
def test_a_step_is_tried_six_times_unless_it_can_never_succeed(name: str) -> None:
    refused, others = TASKS[name]["Retry"]
    assert refused == REFUSED
    assert others["ErrorEquals"] == ["States.ALL"]
    assert others["MaxAttempts"] == 5
    assert others["BackoffRate"] > 1
    assert others["JitterStrategy"] == "FULL"


@pytest.mark.parametrize("name", TASKS)
def test_a_step_that_fails_for_good_is_told_before_the_machine_fails(name: str) -> None:
    *_, catching = TASKS[name]["Catch"]
    assert catching["ErrorEquals"] == ["States.ALL"]
    assert catching["ResultPath"] == "$.error"
    (scope,) = [one for one in scopes() if name in one.states]
    told = scope.states[catching["Next"]]
    step = told.get("Parameters", {}).get("step")
    if TASKS[name]["Parameters"]["step"] in {"failed", "daily"}:  # no job, or nobody to tell
        assert told["Type"] == "Fail"
    else:
        assert step == "failed"
        assert scope.states[told["Next"]]["Type"] == "Fail"


def test_a_page_that_fails_tells_by_itself_and_the_machine_adds_nothing() -> None:
    crossed, others = MACHINE["States"]["Prepare"]["Catch"]
    assert crossed["ErrorEquals"] == ["States.ExceedToleratedFailureThreshold"]
    assert MACHINE["States"][crossed["Next"]]["Type"] == "Fail"
    assert (others["ErrorEquals"], others["Next"]) == (["States.ALL"], "Failed")


@pytest.mark.parametrize("name", TASKS)
def test_a_step_calls_the_jobs_function_and_has_longer_than_it(name: str) -> None:
    assert TASKS[name]["Resource"] == "${JobsFunction}"
    assert TASKS[name]["TimeoutSeconds"] > FUNCTIONS["JobsFunction"]["Timeout"]
    assert MACHINE["TimeoutSeconds"] > 10 * TASKS[name]["TimeoutSeconds"]


def test_what_is_put_into_the_definition_is_what_it_has_places_for() -> None:
    assert DESCRIBED["DefinitionUri"] == "infra/state_machines/jobs.asl.json"
    assert set(re.findall(r"\$\{(\w+)\}", TEXT)) == DESCRIBED["DefinitionSubstitutions"].keys()
    assert DESCRIBED["DefinitionSubstitutions"]["JobsFunction"] == {"Ref": "JobsFunction.Alias"}


def test_its_steps_are_those_of_the_function() -> None:
    steps = {task["Parameters"]["step"] for task in TASKS.values()}
    assert steps | {"ended", "resume"} == set(jobs_handler.STEPS)


def test_pages_are_prepared_four_at_a_time_in_executions_that_may_take_a_functions_time() -> None:
    prepare = MACHINE["States"]["Prepare"]
    assert prepare["MaxConcurrency"] == 4
    mode = {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}
    assert prepare["ItemProcessor"]["ProcessorConfig"] == mode
    assert "QueryLanguage" not in TEXT
