"""Every reranker against the contract."""

from collections.abc import Callable, Iterator

import pytest

from contract.reranker_contract import RerankerContract
from contract.serving import replying
from contract.simulated_rerankers import (
    ARN,
    MODEL,
    SimulatedRerank,
    SimulatedRerankEndpoint,
    agent_runtime_client,
)
from palimpsest.adapters.bedrock import BedrockReranker
from palimpsest.adapters.http_models import HttpReranker, RerankShape
from palimpsest.adapters.simulated import SimulatedReranker
from palimpsest.ports import Reranker


class TestSimulated(RerankerContract):
    @pytest.fixture
    def reranker(self) -> SimulatedReranker:
        return SimulatedReranker()

    @pytest.fixture
    def requests(self, reranker: SimulatedReranker) -> Callable[[], int]:
        return lambda: len(reranker.calls)


@pytest.mark.parametrize("shape", RerankShape)
class TestHttp(RerankerContract):
    @pytest.fixture
    def endpoint(self, shape: RerankShape) -> SimulatedRerankEndpoint:
        return SimulatedRerankEndpoint(shape)

    @pytest.fixture
    def reranker(
        self, shape: RerankShape, endpoint: SimulatedRerankEndpoint
    ) -> Iterator[HttpReranker]:
        with replying(endpoint) as url:
            adapter = HttpReranker(url=f"{url}/rerank", model=MODEL, shape=shape)
            yield adapter
            adapter.close()

    @pytest.fixture
    def requests(self, endpoint: SimulatedRerankEndpoint) -> Callable[[], int]:
        return lambda: len(endpoint.requests)


class TestBedrock(RerankerContract):
    """In pages of 20 scores."""

    @pytest.fixture
    def model(self) -> SimulatedRerank:
        return SimulatedRerank()

    @pytest.fixture
    def reranker(self, model: SimulatedRerank) -> Reranker:
        return BedrockReranker(agent_runtime_client(model), model=ARN, region="")

    @pytest.fixture
    def requests(self, model: SimulatedRerank) -> Callable[[], int]:
        return lambda: len(model.requests)
