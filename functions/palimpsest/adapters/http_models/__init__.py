"""Models behind HTTP endpoints: embeddings and chats in the shape of OpenAI's API, rerankers in
several.
"""

from palimpsest.adapters.http_models.chat import ChatCompletionsModel
from palimpsest.adapters.http_models.embedder import OpenAICompatibleEmbedder
from palimpsest.adapters.http_models.rerank import HttpReranker, RerankShape

__all__ = ["ChatCompletionsModel", "HttpReranker", "OpenAICompatibleEmbedder", "RerankShape"]
