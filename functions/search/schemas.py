"""The HTTP contract of a search. What a later version brings is refused by name, never ignored."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from palimpsest.api import filter_shape
from palimpsest.api.fields import Instant, Namespace, limited
from palimpsest.api.filter_body import parsed_filter
from palimpsest.domain import names
from palimpsest.domain.filters import TimeRange
from palimpsest.domain.fusion import DEFAULT_WEIGHT, Fusion, FusionMethod
from palimpsest.domain.queries import Mode, SearchRequest

MAX_LIMIT = 100
DEFAULT_LIMIT = 10
MAX_WAIT_MS = 5_000
TIMEOUT_MS = (50, 25_000)
DEFAULT_TIMEOUT_MS = 5_000


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _asked(query: str) -> str:
    if not query:
        raise PydanticCustomError("blank", "a query must not be blank")
    return query


def _later(_: Any) -> Any:
    raise PydanticCustomError("not_yet", "this version cannot do that")


def _only(*allowed: Any) -> BeforeValidator:
    def check(value: Any) -> Any:
        if any(value is known or (isinstance(value, str) and value == known) for known in allowed):
            return value
        raise PydanticCustomError("not_yet", "not a choice of this version")

    return BeforeValidator(check, json_schema_input_type=Literal[allowed])


FilterBody = Annotated[
    Any, PlainValidator(parsed_filter, json_schema_input_type=filter_shape.Filter | None)
]
Later = Annotated[Any, BeforeValidator(_later), WithJsonSchema({"type": "null"})]
Weight = Annotated[float, Field(ge=0, le=1_000_000)]


_QUERY: dict[str, Any] = {
    "type": "string",
    "pattern": rf"^\s*\S([\s\S]{{0,{names.MAX_QUERY_BYTES - 2}}}\S)?\s*$",
    "description": f"1 to {names.MAX_QUERY_BYTES} bytes of UTF-8 between the space around them.",
}
_SOME_WEIGHT: dict[str, Any] = {
    "not": {
        "properties": {"lexical": {"const": 0}, "semantic": {"const": 0}},
        "required": ["lexical", "semantic"],
    }
}


class FusionBody(BaseModel):
    """How the legs become one ranking."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra=_SOME_WEIGHT)
    method: Literal["weighted", "rrf"] = "weighted"
    lexical: Weight | None = None
    semantic: Weight | None = None

    @model_validator(mode="after")
    def _some_weight(self) -> "FusionBody":
        if self.to_fusion().lexical + self.to_fusion().semantic <= 0:
            raise PydanticCustomError("weights", "one leg must have a weight above 0")
        return self

    def to_fusion(self) -> Fusion:
        """The domain's form of it."""
        return Fusion(
            method=FusionMethod(self.method),
            lexical=DEFAULT_WEIGHT if self.lexical is None else self.lexical,
            semantic=DEFAULT_WEIGHT if self.semantic is None else self.semantic,
        )


class TimeRangeBody(BaseModel):
    """A range of `event_time`, both ends inclusive."""

    model_config = ConfigDict(strict=True, extra="forbid")
    start: Instant | None = None
    end: Instant | None = None

    @model_validator(mode="after")
    def _in_order(self) -> "TimeRangeBody":
        if self.start is not None and self.end is not None and self.end < self.start:
            raise PydanticCustomError("time_range", "end is before start")
        return self

    def to_range(self) -> TimeRange | None:
        """The domain's form of it; None where neither end is given."""
        if self.start is None and self.end is None:
            return None
        return TimeRange(self.start, self.end)


class SearchBody(BaseModel):
    """A search. Everything but `query` is optional; null means: not given."""

    model_config = ConfigDict(strict=True, extra="forbid", arbitrary_types_allowed=True)
    query: Annotated[
        str,
        BeforeValidator(_trimmed),
        limited(names.MAX_QUERY_BYTES),
        AfterValidator(_asked),
        WithJsonSchema(_QUERY),
    ]
    namespace: Namespace | None = None
    namespaces: Later | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] | None = None
    filter: FilterBody = None
    time_range: TimeRangeBody | None = None
    mode: Literal["hybrid", "lexical", "semantic"] | None = None
    semantic: Annotated[Any, _only("always")] | None = None
    deep: Annotated[Any, _only("auto", False)] | None = None
    fusion: FusionBody | None = None
    rerank: Annotated[Any, _only("auto", False)] | None = None
    min_score: Later | None = None
    max_tokens: Later | None = None
    min_revision: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = None
    wait_ms: Annotated[int, Field(ge=0, le=MAX_WAIT_MS)] | None = None
    timeout_ms: Annotated[int, Field(ge=TIMEOUT_MS[0], le=TIMEOUT_MS[1])] | None = None
    explain: bool | None = None
    cursor: Later | None = None

    def to_request(self, tenant: str) -> SearchRequest:
        """The domain's form of it, for the caller's tenant."""
        return SearchRequest(
            tenant=tenant,
            namespace=self.namespace or names.DEFAULT_NAMESPACE,
            query=self.query,
            limit=self.limit or DEFAULT_LIMIT,
            filter=self.filter,
            time_range=self.time_range.to_range() if self.time_range else None,
            mode=Mode(self.mode or Mode.HYBRID),
            fusion=self.fusion.to_fusion() if self.fusion else Fusion(),
            min_revision=self.min_revision,
            wait_ms=self.wait_ms or 0,
            timeout_ms=self.timeout_ms or DEFAULT_TIMEOUT_MS,
            explain=bool(self.explain),
        )
