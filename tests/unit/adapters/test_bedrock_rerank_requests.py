"""What the Bedrock reranker sends. botocore is the real one; what it would send is answered in this
process.
"""

from typing import Any

import pytest

from contract.simulated_rerankers import ARN, Answer, SimulatedRerank, agent_runtime_client
from palimpsest.adapters.bedrock import BedrockReranker
from palimpsest.domain.errors import DeadlineExceeded

MODEL = "cohere.rerank-v3-5:0"
ONE = {"results": [{"index": 0, "relevanceScore": 0.5}]}


def reranker(answer: Any, model: str = MODEL, region: str = "eu-central-1") -> BedrockReranker:
    return BedrockReranker(agent_runtime_client(answer), model=model, region=region)


def test_fifty_documents_go_at_once() -> None:
    model = SimulatedRerank()
    reranker(model).rerank("why", [f"note {n}" for n in range(50)], timeout=5)
    assert [len(request["sources"]) for request in model.requests] == [50, 50, 50]


def test_no_documents_are_no_request_and_no_time_is_none() -> None:
    model = SimulatedRerank()
    assert reranker(model).rerank("why", [], timeout=0) == []
    with pytest.raises(DeadlineExceeded):
        reranker(model).rerank("why", ["first"], timeout=0)
    assert model.requests == []


def test_what_bedrock_does_not_take_is_not_sent() -> None:
    model = SimulatedRerank()
    texts = ["mortar " * 5_000, "記" * 40_000, "", "\0", *(["x"] * 1_000)]
    scores = reranker(model).rerank("why " * 10_000, texts, timeout=60)
    assert len(scores) == 1_004
    first = [source["inlineDocumentSource"] for source in model.requests[0]["sources"]]
    lengths = [len(source["textDocument"]["text"]) for source in first]
    assert lengths[:5] == [31_996, 32_000, 1, 1, 1]
    assert len(lengths) == 1_000
    assert len(model.requests[-1]["sources"]) == 4


def test_a_request_has_the_form_of_the_api() -> None:
    bodies: list[dict[str, Any]] = []

    def answer(body: dict[str, Any]) -> Answer:
        bodies.append(body)
        return 200, "", ONE

    reranker(answer).rerank("why", ["first"], timeout=5)
    document = {"type": "TEXT", "textDocument": {"text": "first"}}
    model = {"modelConfiguration": {"modelArn": ARN}, "numberOfResults": 1}
    configuration = {
        "type": "BEDROCK_RERANKING_MODEL",
        "bedrockRerankingConfiguration": model,
    }
    assert bodies == [
        {
            "queries": [{"type": "TEXT", "textQuery": {"text": "why"}}],
            "sources": [{"type": "INLINE", "inlineDocumentSource": document}],
            "rerankingConfiguration": configuration,
        }
    ]


@pytest.mark.parametrize(
    ("region", "partition"),
    [("eu-central-1", "aws"), ("us-gov-west-1", "aws-us-gov"), ("cn-north-1", "aws-cn")],
)
def test_a_model_is_named_by_its_id_in_the_region_or_by_its_arn(
    region: str, partition: str
) -> None:
    asked: list[str] = []

    def answer(body: dict[str, Any]) -> Answer:
        wanted = body["rerankingConfiguration"]["bedrockRerankingConfiguration"]
        asked.append(wanted["modelConfiguration"]["modelArn"])
        return 200, "", ONE

    arn = f"arn:{partition}:bedrock:{region}::foundation-model/{MODEL}"
    for model in (MODEL, arn):
        made = reranker(answer, model, region)
        assert made.name == MODEL
        made.rerank("why", ["first"], timeout=5)
    assert asked == [arn, arn]
