from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from contract.index_entries import FINGERPRINT
from palimpsest.adapters.sqlite import SqliteIndex


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., SqliteIndex]]:
    """Opens indexes in one folder, each as another process would."""
    indexes = []

    def opened(**settings: object) -> SqliteIndex:
        known = {"fingerprint": FINGERPRINT, **settings}
        indexes.append(SqliteIndex(tmp_path, **known))  # type: ignore[arg-type]
        return indexes[-1]

    yield opened
    for index in indexes:
        index.close()
