"""Every counter of tokens against the contract, and the chunks that are cut with them."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from built_model import model_folder
from contract.serving import embedding_server
from contract.token_counter_contract import TEXTS, TokenCounterContract
from local.embedding_backend import EmbedderBackend, OnnxBackend
from palimpsest.adapters.http_models.token_counter import HttpTokenCounter
from palimpsest.adapters.onnx import OnnxTokenCounter
from palimpsest.adapters.simulated import SimulatedEmbedder
from palimpsest.domain.chunks import OVERLAP, SIZE, chunked
from palimpsest.domain.extraction import Block, BlockKind
from palimpsest.domain.token_estimate import TokenEstimate
from palimpsest.ports.extracting import TokenCounter

JOINED = 4
"""Tokens that a chunk may have beyond those of its pieces."""

SAMPLES = {
    "English": "The kiln is fired overnight, when power is cheap, and it cools until noon. Nobody "
    "opens the door before that; the glaze would craze. ",
    "German": "Der Ofen wird über Nacht gebrannt, wenn der Strom günstig ist, und kühlt bis zum "
    "Mittag ab. Niemand öffnet vorher die Tür, sonst reißt die Glasur. ",
    "Russian": "Печь обжигают ночью, когда электричество дешевле, и она остывает до полудня. До "
    "этого никто не открывает дверцу, иначе глазурь потрескается. ",
    "Arabic": "يُشعل الفرن ليلاً عندما تكون الكهرباء رخيصة، ثم يبرد حتى الظهر. "
    "لا يفتح أحد الباب قبل ذلك. ",
    "Chinese": "窑炉在夜间烧制，那时电价便宜，一直冷却到中午。"
    "在那之前没有人打开炉门，否则釉面会开裂。",
    "Japanese": "窯は電気代の安い夜のうちに焼き上げ、昼までゆっくり冷まします。"
    "それまでは誰も扉を開けません。",
    "Thai": "เตาเผาจะเผาในตอนกลางคืนเมื่อค่าไฟฟ้าถูกและจะเย็นลงจนถึงเที่ยงวัน ก่อนหน้านั้นไม่มีใครเปิดประตู ",
    "Korean": "가마는 전기가 싼 밤에 굽고 정오까지 식힌다. 그 "
    "전에는 아무도 문을 열지 않는다. 유약이 갈라지기 때문이다. ",
    "code": "    def cooled(self, *, until: datetime) -> bool:\n        return self._heat < 40.0 "
    "and until > self.opened_at\n",
    "JSON": '{"kiln": "north", "cone": 6, "hours": 9.5, "fired_at": "2025-03-04T22:15:00Z"}, ',
    "base64": "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4/8/w38GIAXDIBKE0"
    "DHxgljNBAAO9TXL0Y",
}


class TestEstimate(TokenCounterContract):
    @pytest.fixture
    def counter(self) -> TokenCounter:
        return TokenEstimate()


class TestHttp(TokenCounterContract):
    """Over the project's own server, which counts the words of a simulated model."""

    @pytest.fixture
    def counter(self) -> Iterator[TokenCounter]:
        simulated = EmbedderBackend(SimulatedEmbedder(dimension=8), name="simulated")
        with embedding_server(simulated) as url:
            counter = HttpTokenCounter(base_url=url, model="simulated")
            yield counter
            counter.close()


@pytest.fixture(scope="module")
def backend() -> OnnxBackend:
    return OnnxBackend(model_folder(), threads=1)


@pytest.mark.model
class TestOnnx(TokenCounterContract):
    @pytest.fixture
    def counter(self, backend: OnnxBackend) -> TokenCounter:
        return OnnxTokenCounter(backend.model)


@pytest.mark.model
class TestOnnxBehindTheServer(TokenCounterContract):
    @pytest.fixture
    def counter(self, backend: OnnxBackend) -> Iterator[TokenCounter]:
        with embedding_server(backend) as url:
            counter = HttpTokenCounter(base_url=url, model=backend.name)
            yield counter
            counter.close()

    def test_it_counts_as_the_model_in_process_does(
        self, counter: TokenCounter, backend: OnnxBackend
    ) -> None:
        assert counter.count(TEXTS) == backend.model.count_tokens(TEXTS)


@pytest.mark.model
def test_special_tokens_and_the_prefix_are_not_counted(backend: OnnxBackend) -> None:
    (count,) = backend.model.count_tokens(["kiln"])
    assert backend.model.encode("kiln", prefix="").tokens == count + 2


@pytest.mark.model
@pytest.mark.parametrize("name", SAMPLES)
def test_the_estimate_is_seldom_too_low(name: str, backend: OnnxBackend) -> None:
    text = SAMPLES[name] * 4
    (estimated,), (exact,) = TokenEstimate().count([text]), backend.model.count_tokens([text])
    assert estimated >= 0.9 * exact


@pytest.mark.model
@pytest.mark.parametrize("name", SAMPLES)
def test_chunks_hold_their_size_in_the_tokens_of_the_true_model(
    name: str, backend: OnnxBackend
) -> None:
    kind = BlockKind.CODE if name == "code" else BlockKind.PARAGRAPH
    count = backend.model.count_tokens
    chunks = list(chunked([Block(kind, SAMPLES[name] * 60)], tokens=count))
    sizes = count([chunk.text for chunk in chunks])
    assert len(chunks) > 4
    assert max(sizes) <= SIZE + JOINED
    assert min(sizes[:-1]) > SIZE / 2
    shared = [former.text[chunk.start - former.start :] for former, chunk in pairwise(chunks)]
    assert max(count(shared)) <= OVERLAP + JOINED
