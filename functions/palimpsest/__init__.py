"""Palimpsest: memory and knowledge retrieval for AI agents, with a canonical store and a provable
index.
"""

__version__ = "0.1.0"
