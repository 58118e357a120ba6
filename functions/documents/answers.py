"""What the routes of documents answer when they succeed."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from palimpsest.api.shapes import Count, Cursor, Document, Revision, Upload


class DocumentPage(TypedDict):
    """Documents, in the order of their ids."""

    documents: list[Document]
    next_cursor: Cursor


class UploadPlace(TypedDict):
    """A place for the file of a document, which is listed once that has arrived."""

    document_id: str
    upload: Upload


class TextPage(TypedDict):
    """A part of a document's text. Offsets and `total` are characters (code points)."""

    text: str
    offset: Count
    total: Count
    next_offset: Annotated[int | None, Field(description="Of the next page; null on the last.")]


class ForgottenDocument(TypedDict):
    """A document that was forgotten, and the revision that forgot it."""

    id: str
    revision: Revision


class ReadAgain(TypedDict):
    """A document that will be read again, as it is until then."""

    document: Document
