"""What is said to a language model, and what it answers."""

from dataclasses import dataclass

from palimpsest.domain.errors import ProviderError


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One request: how the model is to behave (`system`), what it is given (`user`), and the most
    tokens that it may answer.
    """

    system: str
    user: str
    max_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's answer as it came, and the tokens it was paid for: those read and those written (0
    where the provider does not tell). `cut`: it was broken off at the most tokens allowed.
    """

    text: str
    tokens: int = 0
    cut: bool = False


class Refused(ProviderError):
    """The model, or a guard before it, declined to answer."""
