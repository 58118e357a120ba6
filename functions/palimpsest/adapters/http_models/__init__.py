"""Models behind HTTP endpoints: embeddings in the shape of OpenAI's API."""

from palimpsest.adapters.http_models.embedder import OpenAICompatibleEmbedder

__all__ = ["OpenAICompatibleEmbedder"]
