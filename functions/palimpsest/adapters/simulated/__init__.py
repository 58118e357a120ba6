"""Models made of arithmetic and scripts: deterministic, seeded, with faults on demand."""

from palimpsest.adapters.simulated.embedder import Operation, SimulatedEmbedder
from palimpsest.adapters.simulated.faults import Fault, FaultKind
from palimpsest.adapters.simulated.language import SimulatedLanguageModel
from palimpsest.adapters.simulated.reranker import SimulatedReranker
from palimpsest.adapters.simulated.rewriter import rearranged

__all__ = [
    "Fault",
    "FaultKind",
    "Operation",
    "SimulatedEmbedder",
    "SimulatedLanguageModel",
    "SimulatedReranker",
    "rearranged",
]
