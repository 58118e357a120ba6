"""16 clients write, 4 reconcile, 4 search, while workers and the stream source are killed."""

import logging

import pytest

from e2e.client import Client
from e2e.reconciling_fire import assert_nothing_is_wrong, burn
from stack import LocalStack

pytestmark = pytest.mark.stack


def test_d2_passes_under_fire_leave_exactly_a_list_and_undo_nothing(
    client: Client, local_stack: LocalStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    scene = burn(client, local_stack)
    assert_nothing_is_wrong(scene, client, local_stack)
