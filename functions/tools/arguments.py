"""What each tool takes: the one source of its definition and of the check of its arguments."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from palimpsest.api.fields import limited
from palimpsest.domain import names

MOST_PAGES = 1_000_000
_PAGE = {"type": "integer", "minimum": 1, "maximum": MOST_PAGES}


def _said(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return text


def _about(description: str) -> object:
    return Field(min_length=1, description=description, json_schema_extra={"pattern": r"\S"})


Said = AfterValidator(_said)


class Arguments(BaseModel):
    """What is common to all: nothing but what is declared, each of its own type."""

    model_config = ConfigDict(strict=True, extra="forbid")


class SearchMemory(Arguments):
    """Arguments of `search_memory`."""

    query: Annotated[
        str,
        limited(names.MAX_QUERY_BYTES),
        Said,
        _about("What you want to know, as a question or a statement in plain words."),
    ]


class NamedSource(Arguments):
    """Arguments of a tool that works on one source."""

    source: Annotated[
        str,
        limited(names.MAX_STRING_BYTES),
        Said,
        _about(
            "The id that stands behind the label in a search result, or the source's address. "
            "Never a label such as S1."
        ),
    ]


class ReadSource(NamedSource):
    """Arguments of `read_source`."""

    page: Annotated[
        int | None,
        Field(ge=1, le=MOST_PAGES, description="The page of a long source, from 1."),
        WithJsonSchema(_PAGE),
    ] = None


class Remember(Arguments):
    """Arguments of `remember`."""

    text: Annotated[
        str,
        limited(names.MAX_TEXT_BYTES),
        Said,
        _about("What to keep: one fact or note that can be understood by itself."),
    ]
