"""The HTTP contract of a search."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from palimpsest.api import filter_shape
from palimpsest.api.fields import Instant, Namespace, ReadId
from palimpsest.api.filter_body import parsed_filter
from palimpsest.api.query_field import Query
from palimpsest.domain import names
from palimpsest.domain.filters import TimeRange
from palimpsest.domain.fusion import DEFAULT_WEIGHT, Fusion, FusionMethod
from palimpsest.domain.queries import Mode, SearchRequest, SemanticPolicy

MAX_LIMIT = 100
DEFAULT_LIMIT = 10
MAX_WAIT_MS = 5_000
TIMEOUT_MS = (50, 25_000)
DEFAULT_TIMEOUT_MS = 5_000
MAX_TOKENS = 1_000_000
MAX_CURSOR = 500_000
MAX_EXPECTED = 10


def _distinct(several: list[str]) -> list[str]:
    if len(set(several)) < len(several):
        raise PydanticCustomError("distinct", "each namespace once")
    return several


FilterBody = Annotated[
    Any, PlainValidator(parsed_filter, json_schema_input_type=filter_shape.Filter | None)
]
AutoOrNot = Literal["auto"] | bool
Namespaces = Annotated[
    list[Namespace],
    Field(min_length=1, max_length=names.MAX_NAMESPACES, json_schema_extra={"uniqueItems": True}),
    AfterValidator(_distinct),
]
Weight = Annotated[float, Field(ge=0, le=1_000_000)]


_SOME_WEIGHT: dict[str, Any] = {
    "not": {
        "properties": {"lexical": {"const": 0}, "semantic": {"const": 0}},
        "required": ["lexical", "semantic"],
    }
}


_ONE_OR_SEVERAL: dict[str, Any] = {
    "not": {
        "required": ["namespaces"],
        "properties": {"namespaces": {"type": "array"}},
        "anyOf": [
            {"required": ["namespace"], "properties": {"namespace": {"type": "string"}}},
            {"required": ["min_revision"], "properties": {"min_revision": {"type": "integer"}}},
        ],
    }
}
"""`namespaces` excludes `namespace` and `min_revision`."""


class FusionBody(BaseModel):
    """How the legs become one ranking."""

    model_config = ConfigDict(strict=True, extra="forbid", json_schema_extra=_SOME_WEIGHT)
    method: Literal["weighted", "rrf", "blend"] | None = None
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
            method=FusionMethod(self.method or FusionMethod.WEIGHTED),
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

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        arbitrary_types_allowed=True,
        json_schema_extra=_ONE_OR_SEVERAL,
    )
    query: Query
    namespace: Namespace | None = None
    namespaces: Namespaces | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT)] | None = None
    filter: FilterBody = None
    time_range: TimeRangeBody | None = None
    mode: Literal["hybrid", "lexical", "semantic"] | None = None
    semantic: Literal["always", "when_lexical_thin", "never"] | None = None
    deep: AutoOrNot | None = None
    fusion: FusionBody | None = None
    rerank: AutoOrNot | None = None
    min_score: Annotated[float, Field(ge=-1e9, le=1e9)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=MAX_TOKENS)] | None = None
    min_revision: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = None
    wait_ms: Annotated[int, Field(ge=0, le=MAX_WAIT_MS)] | None = None
    timeout_ms: Annotated[int, Field(ge=TIMEOUT_MS[0], le=TIMEOUT_MS[1])] | None = None
    explain: bool | None = None
    cursor: Annotated[str, Field(min_length=1, max_length=MAX_CURSOR)] | None = None

    @field_validator("namespaces")
    @classmethod
    def _in_place_of_one(cls, several: list[str] | None, info: ValidationInfo) -> list[str] | None:
        if several is not None and info.data.get("namespace") is not None:
            raise PydanticCustomError("namespaces", "namespace and namespaces exclude each other")
        return several

    @field_validator("min_revision")
    @classmethod
    def _of_one_clock(cls, revision: int | None, info: ValidationInfo) -> int | None:
        if revision is not None and info.data.get("namespaces") is not None:
            raise PydanticCustomError("min_revision", "namespaces have a clock each")
        return revision

    def to_request(self, tenant: str) -> SearchRequest:
        """The domain's form of it, for the caller's tenant."""
        return SearchRequest(
            tenant=tenant,
            namespaces=tuple(self.namespaces or [self.namespace or names.DEFAULT_NAMESPACE]),
            query=self.query,
            limit=self.limit or DEFAULT_LIMIT,
            filter=self.filter,
            time_range=self.time_range.to_range() if self.time_range else None,
            mode=Mode(self.mode or Mode.HYBRID),
            semantic=SemanticPolicy(self.semantic or SemanticPolicy.ALWAYS),
            deep=None if self.deep == "auto" else self.deep,
            fusion=self.fusion.to_fusion() if self.fusion else Fusion(),
            rerank=None if self.rerank == "auto" else self.rerank,
            min_score=self.min_score,
            max_tokens=self.max_tokens,
            min_revision=self.min_revision,
            wait_ms=self.wait_ms or 0,
            timeout_ms=self.timeout_ms or DEFAULT_TIMEOUT_MS,
            explain=bool(self.explain),
        )


class ExplainBody(SearchBody):
    """A search, and the ids that are expected of its first page."""

    expected: Annotated[list[ReadId], Field(min_length=1, max_length=MAX_EXPECTED)]
    cursor: Annotated[None, Field(description="A first page is explained.")] = None
