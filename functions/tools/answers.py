"""What the routes of tools answer when they succeed."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from palimpsest.api.shapes import Revision


class Tools(TypedDict):
    """Definitions, in the form that was asked for: as that provider takes them."""

    tools: list[dict[str, Any]]


class LabelledSource(TypedDict):
    """What a label in the content stands for: a record or a document, as it was at a revision."""

    alias: Annotated[str, Field(pattern=r"^S[1-9][0-9]*$")]
    id: str
    namespace: str
    revision: Revision


class ToolAnswer(TypedDict):
    """Text for the model. `is_error`: the call failed, and the text says what to do."""

    content: str
    is_error: bool
    sources: list[LabelledSource]
