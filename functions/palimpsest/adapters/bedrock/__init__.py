"""Models on Amazon Bedrock."""

from palimpsest.adapters.bedrock.embedder import BedrockEmbedder

__all__ = ["BedrockEmbedder"]
