"""A deliberate fault: where it is, and what it breaks."""

from dataclasses import dataclass

TABLE = "palimpsest/adapters/dynamodb/"
INDEX = "palimpsest/adapters/opensearch/"
SERVICES = "palimpsest/services/"
DOMAIN = "palimpsest/domain/"


@dataclass(frozen=True, slots=True)
class Mutation:
    """One fault: `old` occurs in `file` once and becomes `new`. `scenario`: the one to look in.
    `also`: a second change, where one guard alone is doubled by another.
    """

    name: str
    file: str
    old: str
    new: str
    breaks: str
    scenario: str | None = None
    also: tuple[str, str] | None = None
