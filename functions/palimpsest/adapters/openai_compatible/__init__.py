"""Models behind an endpoint in the shape of OpenAI's API."""

from palimpsest.adapters.openai_compatible.embedder import OpenAICompatibleEmbedder

__all__ = ["OpenAICompatibleEmbedder"]
