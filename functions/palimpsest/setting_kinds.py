"""The choices that settings name."""

from enum import StrEnum


class Engine(StrEnum):
    """Which search index answers."""

    SQLITE = "sqlite"
    OPENSEARCH = "opensearch"


class Signing(StrEnum):
    """How requests to OpenSearch are signed: not at all, or with SigV4 for a managed domain (`es`)
    or a serverless collection (`aoss`).
    """

    NONE = "none"
    ES = "es"
    AOSS = "aoss"


class KnnEngine(StrEnum):
    """What builds the graph of vectors in OpenSearch."""

    LUCENE = "lucene"
    FAISS = "faiss"


class TokenizerKind(StrEnum):
    """Who counts the tokens of chunks: an estimate, or the embedding endpoint's own `/tokenize`."""

    ESTIMATE = "estimate"
    SERVER = "server"


class EmbedderKind(StrEnum):
    """Which embedder is asked."""

    OPENAI = "openai"
    BEDROCK = "bedrock"
    ONNX = "onnx"
    SIMULATED = "simulated"


class LanguageModelKind(StrEnum):
    """Which language model rewrites questions."""

    NONE = "none"
    BEDROCK = "bedrock"
    OPENAI = "openai"
    SIMULATED = "simulated"


class RerankerKind(StrEnum):
    """Which reranker orders hits."""

    NONE = "none"
    BEDROCK = "bedrock"
    HTTP = "http"
    SIMULATED = "simulated"


class RerankerShape(StrEnum):
    """How a reranker behind HTTP is asked."""

    COHERE = "cohere"
    JINA = "jina"
    LLAMA_SERVER = "llama_server"
    TEI = "tei"
