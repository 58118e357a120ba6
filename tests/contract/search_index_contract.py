"""What every search index does. An adapter's test class inherits it and gives it an `index` that
takes vectors of three numbers under the fingerprint `FINGERPRINT`.
"""

from contract.index_entries import FINGERPRINT
from contract.search_index_candidates import CandidatesContract
from contract.search_index_common_terms import CommonTermsContract
from contract.search_index_filters import FiltersContract
from contract.search_index_generations import GenerationsContract
from contract.search_index_lexical import LexicalContract
from contract.search_index_matching import MatchingContract
from contract.search_index_partitions import PartitionsContract
from contract.search_index_semantic import OrderContract, SemanticContract
from contract.search_index_strays import StraysContract
from contract.search_index_versions import VersionsContract

__all__ = ["FINGERPRINT", "SearchIndexContract"]


class SearchIndexContract(
    VersionsContract,
    CandidatesContract,
    FiltersContract,
    PartitionsContract,
    LexicalContract,
    CommonTermsContract,
    SemanticContract,
    OrderContract,
    GenerationsContract,
    StraysContract,
    MatchingContract,
):
    """All of it."""
