from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.batching import batched


@given(st.lists(st.integers(0, 30), max_size=40), st.integers(1, 5), st.integers(1, 40))
def test_batches_keep_order_and_limits_and_are_never_empty(
    sizes: list[int], most: int, size: int
) -> None:
    batches = list(batched(sizes, most=most, size=size, size_of=lambda one: one))
    assert [one for batch in batches for one in batch] == sizes
    for batch in batches:
        assert 1 <= len(batch) <= most
        assert sum(batch) <= size or len(batch) == 1


def test_an_item_larger_than_a_batch_goes_alone() -> None:
    assert list(batched([1, 9, 1], most=3, size=5, size_of=lambda one: one)) == [[1], [9], [1]]
