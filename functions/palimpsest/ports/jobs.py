"""What services need of whatever runs long jobs."""

from collections.abc import Mapping
from typing import Any, Protocol


class JobStarter(Protocol):
    """Starts long jobs that go on without their caller."""

    def start(self, name: str, payload: Mapping[str, Any]) -> None:
        """Start a job under a name of 1 to 80 letters, digits, `-` and `_`. One that was started
        under that name with an equal payload, running or ended, is left as it is; another payload
        is a `ValueError`. Raises `Unavailable`, `DeadlineExceeded` (stage `jobs`) or `Throttled`;
        then it may or may not have begun, and the call may be repeated.
        """
        ...

    def running(self, name: str) -> bool | None:
        """Whether the job of that name is running; None if none was ever started. Raises as
        `start`.
        """
        ...
