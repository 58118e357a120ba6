import pytest

from palimpsest.domain.records import Content
from palimpsest.domain.thin import coverage, is_thin

WHOLE = Content(text="the heron nests by the weir", title="spring", aliases=("egret",))


@pytest.mark.parametrize(
    ("query", "share"),
    [
        ("heron weir", 1.0),
        ("HERONS at the weirs", 1.0),  # stems, without what is no term
        ("heron pangolin", 0.5),
        ("heron heron heron pangolin", 0.5),  # distinct terms
        ("spring egret", 1.0),  # any field
        ("heron pangolin tapir", pytest.approx(1 / 3)),
        ("pangolin", 0.0),
        ("to be or not to be", 1.0),  # nothing to look for is not lacking
    ],
)
def test_coverage_is_the_share_of_the_distinct_terms(query: str, share: float) -> None:
    assert coverage(query, WHOLE) == share


def test_a_ranking_is_thin_below_the_limit_below_half_or_without_its_best() -> None:
    assert not is_thin("heron pangolin", found=10, limit=10, best=WHOLE)
    assert is_thin("heron pangolin", found=9, limit=10, best=WHOLE)
    assert is_thin("heron pangolin tapir", found=10, limit=10, best=WHOLE)
    assert is_thin("heron", found=10, limit=10, best=None)
