"""A tenant's directory of namespaces on DynamoDB."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.commits import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_PREFIX = "N#"


class DynamoDirectory:
    """`Directory` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def names(self, tenant: str, *, after: str, limit: int) -> list[str]:
        """See `Directory.names`. `!` sorts before every character of a name."""
        first = f"{_PREFIX}{after}!" if after else _PREFIX
        with translated():
            found = query(
                self._client,
                self._table,
                tenant,
                first=first,
                last=_PREFIX + items.LAST,
                limit=limit,
            )
            return [item["sk"]["S"].removeprefix(_PREFIX) for item in found]

    def clocks(self, tenant: str, names: Sequence[str]) -> Mapping[str, Clock]:
        """See `Directory.clocks`."""
        keys = [items.key(items.partition(tenant, name), items.CLOCK) for name in names]
        with translated():
            found = get_items(self._client, self._table, keys) if keys else []
        return {item["pk"]["S"].partition("#")[2]: items.clock_of(item) for item in found}
