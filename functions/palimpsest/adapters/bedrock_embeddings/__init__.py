"""Embedding models on Amazon Bedrock."""

from palimpsest.adapters.bedrock_embeddings.embedder import BedrockEmbedder

__all__ = ["BedrockEmbedder"]
