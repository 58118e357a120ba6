"""Every embedder against the contract."""

from collections.abc import Iterator
from typing import ClassVar

import pytest

from built_model import model_folder
from contract.embedder_contract import LONG_TEXTS, EmbedderContract
from contract.serving import embedding_server
from contract.simulated_bedrock import SimulatedBedrock, bedrock_client
from local.embedding_backend import EmbedderBackend, OnnxBackend
from palimpsest.adapters.bedrock import BedrockEmbedder
from palimpsest.adapters.http_models import OpenAICompatibleEmbedder
from palimpsest.adapters.simulated import SimulatedEmbedder
from palimpsest.ports import Embedder


class TestSimulated(EmbedderContract):
    long_texts: ClassVar = {name: text for name, text in LONG_TEXTS.items() if "blob" not in name}

    @pytest.fixture
    def embedder(self) -> Embedder:
        return SimulatedEmbedder(dimension=128)


class TestOpenAICompatible(EmbedderContract):
    """Over the project's own server, which cuts texts itself and says so."""

    long_texts: ClassVar = {name: text for name, text in LONG_TEXTS.items() if "blob" not in name}

    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        simulated = SimulatedEmbedder(dimension=128)
        with embedding_server(EmbedderBackend(simulated, name="simulated")) as url:
            adapter = OpenAICompatibleEmbedder(base_url=url, model="simulated", dimension=128)
            yield adapter
            adapter.close()


class TestOpenAICompatibleCutting(EmbedderContract):
    """A model of a known limit: texts are cut before they are sent."""

    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        name = "text-embedding-3-small"
        simulated = SimulatedEmbedder(dimension=128, max_tokens=10**9)
        with embedding_server(EmbedderBackend(simulated, name=name)) as url:
            adapter = OpenAICompatibleEmbedder(base_url=url, model=name, dimension=128)
            yield adapter
            adapter.close()


class TestTitan(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        client = bedrock_client(SimulatedBedrock(dimension=256))
        return BedrockEmbedder(client, model="amazon.titan-embed-text-v2:0", dimension=256)


class TestCohere3(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        client = bedrock_client(SimulatedBedrock(dimension=1024))
        return BedrockEmbedder(client, model="cohere.embed-multilingual-v3", dimension=1024)


class TestCohere4(EmbedderContract):
    """Its limit of 128,000 tokens is far beyond the texts of the contract."""

    long_texts: ClassVar = {"many words": "mortar " * 70_000}

    @pytest.fixture
    def embedder(self) -> Embedder:
        client = bedrock_client(SimulatedBedrock(dimension=256))
        return BedrockEmbedder(client, model="eu.cohere.embed-v4:0", dimension=256)


@pytest.fixture(scope="module")
def backend() -> OnnxBackend:
    return OnnxBackend(model_folder(), threads=2)


@pytest.mark.model
class TestOnnx(EmbedderContract):
    @pytest.fixture
    def embedder(self, backend: OnnxBackend) -> Embedder:
        return backend.model


@pytest.mark.model
class TestOnnxBehindTheServer(EmbedderContract):
    @pytest.fixture
    def embedder(self, backend: OnnxBackend) -> Iterator[Embedder]:
        with embedding_server(backend) as url:
            adapter = OpenAICompatibleEmbedder(
                base_url=url,
                model=backend.name,
                dimension=backend.dimension,
                fingerprint=backend.fingerprint,
            )
            yield adapter
            adapter.close()
