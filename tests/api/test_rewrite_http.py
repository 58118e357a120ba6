"""POST /rewrite, with no language model, with the simulated one, and with one that says what a test
wants over the wire.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from api.conftest import Answer, Http, renewed
from contract.serving import Reply, replying
from palimpsest.adapters.simulated import Fault, FaultKind

QUERY = "who fixes the espresso machine"
FENCED = '```json\n{"variations": ["coffee maker repair"]}\n```'
OTHERS = ["coffee maker repair", "espresso service contact"]


@dataclass
class Chat:
    """A chat model behind HTTP that says what it is told to."""

    said: str | None = None
    status: int = 200
    ended: str = "stop"
    requests: list[Any] = field(default_factory=list)

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.requests.append(body)
        message = {"role": "assistant", "content": self.said, "refusal": None}
        if self.said is None:
            message["refusal"] = "no"
        choice = {"index": 0, "message": message, "finish_reason": self.ended}
        usage = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}
        return self.status, {}, json.dumps({"choices": [choice], "usage": usage}).encode()

    @property
    def prompts(self) -> list[Any]:
        """The query and history of each request."""
        return [json.loads(one["messages"][-1]["content"]) for one in self.requests]


@pytest.fixture
def chat(http: Http, modules: dict[str, Any]) -> Iterator[Chat]:
    assert http
    model = Chat()
    with (
        replying(model) as url,
        renewed(
            modules,
            LANGUAGE_MODEL="openai",
            LANGUAGE_MODEL_URL=url,
            LANGUAGE_MODEL_NAME="scripted",
        ),
    ):
        yield model
        modules["rewrite"].services().rewrites.model.close()
        modules["search"].services().parts.model.close()


def rewrite(http: Http, query: Any = QUERY, **members: Any) -> Answer:
    return http.request("POST", "/rewrite", body={"query": query, **members})


def alone(answer: Answer, status: str, reason: str | None, query: str = QUERY) -> Any:
    """Its body, which must be the original alone, and why."""
    assert answer.status == 200, answer.body
    body = answer.body
    assert (body["standalone"], body["variations"]) == (query, [query])
    assert (body["status"], body["reason"]) == (status, reason)
    return body


def turns(count: int, content: str = "x") -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": content} for n in range(count)]


def test_without_a_model_the_original_alone_is_answered_and_skipped(http: Http) -> None:
    body = alone(rewrite(http, history=turns(2)), "skipped", "not_configured")
    assert body == {
        "query": QUERY,
        "standalone": QUERY,
        "variations": [QUERY],
        "deep": {"would_run": False, "signals": ["interrogative:who"]},
        "status": "skipped",
        "reason": "not_configured",
        "usage": {"llm_calls": 0, "llm_tokens": 0},
        "warnings": [],
    }


def test_the_simulated_model_rewrites_where_it_is_set(modelled: Http) -> None:
    history = [{"role": "user", "content": "the blue one"}]
    body = rewrite(modelled, history=history).body
    assert (body["status"], body["reason"]) == ("ok", None)
    assert body["standalone"] == f"the blue one {QUERY}"
    assert body["variations"][0] == QUERY
    assert len(set(body["variations"])) == 3
    assert body["deep"] == {"would_run": True, "signals": ["interrogative:who"]}
    assert body["usage"]["llm_calls"] == 1
    assert body["usage"]["llm_tokens"] > 0
    assert rewrite(modelled, "espresso machine").body["deep"] == {
        "would_run": False,
        "signals": [],
    }


@pytest.mark.parametrize("most", [1, 2, 3, None])
def test_no_more_variations_than_asked_for_come_the_original_counted(
    modelled: Http, most: int | None
) -> None:
    variations = rewrite(modelled, max_variations=most).body["variations"]
    assert (variations[0], len(variations)) == (QUERY, most or 3)


def test_where_neither_variations_nor_a_history_are_asked_for_nobody_is_asked(
    chat: Chat, http: Http
) -> None:
    alone(rewrite(http, max_variations=1), "skipped", "nothing_asked")
    assert chat.requests == []
    chat.said = json.dumps({"standalone": "who fixes the blue one", "variations": OTHERS})
    body = rewrite(http, max_variations=1, history=turns(1)).body
    assert (body["standalone"], body["variations"]) == ("who fixes the blue one", [QUERY])


def test_query_and_history_reach_the_model_in_their_order(chat: Chat, http: Http) -> None:
    chat.said = json.dumps({"standalone": "s", "variations": OTHERS})
    history = [*turns(2, '語 "quoted"'), {"role": "user", "content": ""}]
    body = rewrite(http, f"  {QUERY}\n", history=history).body
    assert chat.prompts == [{"query": QUERY, "history": history}]
    assert (body["query"], body["standalone"]) == (QUERY, "s")
    assert body["variations"] == [QUERY, *OTHERS]
    assert body["usage"] == {"llm_calls": 1, "llm_tokens": 12}
    again = rewrite(http, QUERY, history=history).body
    assert (again["variations"], again["usage"]["llm_calls"]) == (body["variations"], 0)
    assert len(chat.requests) == 1


@pytest.mark.parametrize(
    ("variations", "others"),
    [
        (["", "  ", "\n\n", "coffee maker repair"], ["coffee maker repair"]),
        (["1. **coffee maker repair**", "2) *espresso service contact*"], OTHERS),
        (["# Variations", "## Here they are:", "- coffee maker repair"], ["coffee maker repair"]),
        ([QUERY, QUERY.upper() + "?", "coffee maker repair", "Coffee  maker repair!"],
         ["coffee maker repair"]),
        ([f"way {n} to ask" for n in range(50)], ["way 0 to ask", "way 1 to ask"]),
        (["coffee maker repair\n\nespresso service contact\nand more"], OTHERS),
    ],
    ids=["blank", "numbered", "headings", "duplicates", "fifty", "lines"],
)  # fmt: skip
def test_h1_variations_are_clean_distinct_and_two_at_most_and_nothing_blank_is_embedded(
    chat: Chat, http: Http, variations: list[str], others: list[str]
) -> None:
    chat.said = json.dumps({"variations": variations})
    body = rewrite(http).body
    assert (body["status"], body["variations"]) == ("ok", [QUERY, *others])
    answer = http.search(QUERY, deep=True).body
    assert (answer["deep"]["used"], answer["deep"]["variations"]) == (True, [QUERY, *others])
    embedded = [text for call in http.query_embedder.calls for text in call]
    assert sorted(embedded) == sorted([QUERY, *others])


@pytest.mark.parametrize(
    "said",
    [FENCED, f"Sure! {FENCED} Anything else?", 'Here: ["coffee maker repair"] as asked.',
     '<think>{"variations": 5}</think>{"variations": ["coffee maker repair"]}'],
)  # fmt: skip
def test_h2_json_in_fences_and_prose_is_read(chat: Chat, http: Http, said: str) -> None:
    chat.said = said
    body = rewrite(http).body
    assert (body["status"], body["variations"]) == ("ok", [QUERY, "coffee maker repair"])


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ('{"variations": ["coffee maker rep', "no_json"),
        ("I cannot think of any.", "no_json"),
        ("", "no_json"),
        ("{}", "wrong_shape"),
        ('{"variations": "coffee"}', "wrong_shape"),
        ('{"variations": [{"text": "coffee"}]}', "not_strings"),
        ('[{"text": "coffee"}]', "not_strings"),
        ('{"variations": [5, null, true]}', "not_strings"),
        ('{"variations": []}', "no_variation"),
        (json.dumps({"variations": [QUERY, "  "]}), "no_variation"),
    ],
)
def test_h2_what_cannot_be_read_falls_back_to_the_original_with_a_reason(
    chat: Chat, http: Http, said: str, reason: str
) -> None:
    chat.said = said
    body = alone(rewrite(http), "fallback", reason)
    assert body["usage"]["llm_calls"] == 1
    answer = http.search(QUERY, deep=True).body
    assert answer["deep"] == {
        "used": False,
        "variations": [QUERY],
        "reason": f"rewrite:{reason}",
    }
    assert answer["degraded"] == ["rewrite"]


def test_h2_an_answer_that_was_cut_off_is_a_fallback(chat: Chat, http: Http) -> None:
    chat.said, chat.ended = '{"variations": ["coffee maker rep', "length"
    alone(rewrite(http), "fallback", "cut_off")


def test_a_model_that_declines_or_fails_is_a_fallback(chat: Chat, http: Http) -> None:
    alone(rewrite(http), "fallback", "model_refused")
    chat.said = "x"
    for status, reason in ((429, "model_throttled"), (500, "model_unavailable")):
        chat.status = status
        alone(rewrite(http), "fallback", reason)
    chat.status, chat.said = 200, json.dumps({"variations": OTHERS})
    assert rewrite(http).body["status"] == "ok"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [(FaultKind.OUTAGE, "model_unavailable"), (FaultKind.TIMEOUT, "model_timeout"),
     (FaultKind.THROTTLED, "model_throttled"), (FaultKind.REFUSED, "model_refused")],
)  # fmt: skip
def test_c13_a_rewriter_that_fails_is_told_in_a_search(
    modelled: Http, kind: FaultKind, reason: str
) -> None:
    modelled.put("a", {"text": "Ivo fixes the espresso machine."})
    modelled.project()
    modelled.search_parts.model.inject(Fault(kind=kind))
    answer = modelled.search(QUERY, deep=True).body
    assert answer["deep"]["reason"] == f"rewrite:{reason}"
    assert (answer["degraded"], [hit["id"] for hit in answer["hits"]]) == (["rewrite"], ["a"])


@pytest.mark.parametrize(
    "members",
    [
        {"history": turns(20)},
        {"history": turns(1, "x" * 10_000)},
        {"history": turns(1, "語" * 3333)},
        {"history": []},
        {"history": None},
        {"max_variations": 1},
        {"max_variations": 3},
        {"max_variations": None},
    ],
)
def test_what_is_within_the_limits_is_rewritten(http: Http, members: dict[str, Any]) -> None:
    alone(rewrite(http, **members), "skipped", "not_configured")


@pytest.mark.parametrize(
    "members",
    [
        {"history": turns(21)},
        {"history": turns(1, "x" * 10_001)},
        {"history": turns(1, "語" * 3334)},
        {"history": "x"},
        {"history": {}},
        {"history": [5]},
        {"history": [None]},
        {"history": [{"role": "user"}]},
        {"history": [{"content": "x"}]},
        {"history": [{"role": "system", "content": "x"}]},
        {"history": [{"role": "user", "content": None}]},
        {"history": [{"role": "user", "content": 5}]},
        {"history": [{"role": "user", "content": "x", "name": "y"}]},
        {"max_variations": 0},
        {"max_variations": 4},
        {"max_variations": -1},
        {"max_variations": "2"},
        {"max_variations": 1.5},
        {"max_variations": True},
        {"tenant": "other"},
        {"limit": 5},
        {"Query": "x"},
    ],
)
def test_what_is_outside_the_limits_is_refused_by_name(http: Http, members: dict[str, Any]) -> None:
    problem = rewrite(http, **members).problem(422, "invalid-request")
    assert any(next(iter(members)) in error["loc"] for error in problem["errors"])


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\u3000", None, 5, True, [], {}, "\0"])
def test_a13_a_query_that_asks_nothing_is_refused(http: Http, query: Any) -> None:
    problem = rewrite(http, query).problem(422, "invalid-request")
    assert any("query" in error["loc"] for error in problem["errors"])


def test_a13_a_missing_query_and_a_body_that_is_no_object_are_refused(http: Http) -> None:
    bodies: list[Any] = [{}, [], [{"query": "x"}], "x", 5]
    for body in bodies:
        http.request("POST", "/rewrite", body=body).problem(422, "invalid-request")


@pytest.mark.parametrize(
    ("query", "fits"),
    [("x" * 10_000, True), (f"  {'語' * 3333}  ", True), ("x" * 10_001, False),
     ("語" * 3334, False), ("y" * 600_000, False)],
)  # fmt: skip
def test_a7_ten_thousand_bytes_of_query_are_the_most(http: Http, query: str, *, fits: bool) -> None:
    answer = rewrite(http, query)
    if fits:
        alone(answer, "skipped", "not_configured", query.strip())
    else:
        problem = answer.problem(422, "invalid-request")
        assert "10000" in problem["errors"][0]["msg"]


def test_broken_characters_are_removed_and_each_text_that_had_some_is_named(
    chat: Chat, http: Http
) -> None:
    chat.said = json.dumps({"variations": OTHERS})
    history = [
        {"role": "user", "content": "fine"},
        {"role": "assistant", "content": "half \ud83d of it \0"},
        {"role": "user", "content": "\0"},
    ]
    body = rewrite(http, f"{QUERY}\0\udc00", history=history).body
    assert body["query"] == QUERY
    assert body["warnings"] == [
        {"field": field, "code": "broken_characters_removed"}
        for field in ("query", "history.1.content", "history.2.content")
    ]
    (asked,) = chat.prompts
    assert asked["query"] == QUERY
    assert [turn["content"] for turn in asked["history"]] == ["fine", "half  of it ", ""]


def test_a_role_with_a_broken_character_is_none(http: Http) -> None:
    history = [{"role": "user\0", "content": "x"}]
    rewrite(http, history=history).problem(422, "invalid-request")


def test_a_key_that_may_read_may_rewrite_and_none_is_no_way_in(http: Http) -> None:
    body = {"query": QUERY}
    for scopes in ("read", "write", "admin"):
        grant = {**http.grant, "scopes": scopes}
        assert http.request("POST", "/rewrite", body=body, grant=grant).status == 200
    http.request("POST", "/rewrite", body=body, grant=None).problem(401, "unauthorized")
    over = {**http.grant, "expires_at": "2020-01-01T00:00:00.000Z"}
    http.request("POST", "/rewrite", body=body, grant=over).problem(403, "forbidden")


def test_a_key_of_some_namespaces_rewrites_too_since_no_record_is_touched(http: Http) -> None:
    http.grant = {**http.grant, "namespaces": "team-*"}
    alone(rewrite(http), "skipped", "not_configured")
    problem = rewrite(http, namespace="team-a").problem(422, "invalid-request")
    assert problem["errors"][0]["loc"][-1] == "namespace"


def test_e1_tenants_do_not_share_what_was_rewritten(chat: Chat, http: Http) -> None:
    chat.said = json.dumps({"variations": OTHERS})
    for tenant in ("one", "two", "one"):
        http.grant = {**http.grant, "tenant": tenant}
        assert rewrite(http).body["status"] == "ok"
    assert len(chat.requests) == 2
