"""Models on Amazon Bedrock."""

from palimpsest.adapters.bedrock.converse import ConverseModel
from palimpsest.adapters.bedrock.embedder import BedrockEmbedder
from palimpsest.adapters.bedrock.rerank import BedrockReranker

__all__ = ["BedrockEmbedder", "BedrockReranker", "ConverseModel"]
