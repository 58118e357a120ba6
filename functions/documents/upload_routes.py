"""A place to upload a document."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from documents import answers
from documents.app import DOCUMENTS, api, services
from documents.schemas import UploadBody
from palimpsest.api.request_guards import idempotency_key, refuse_guards
from palimpsest.api.resolver import Access, answer
from palimpsest.api.upload_json import upload_json
from palimpsest.domain.documents import document_id
from palimpsest.domain.keys import Scope
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.services.answer_once import Answered


@api.route(
    "POST",
    DOCUMENTS,
    Access(Scope.WRITE, body=True),
    answers={201: answers.UploadPlace},
    takes=("Idempotency-Key",),
)
def post_document(ns: str, upload: Annotated[UploadBody, Body()]) -> Response[str]:
    """A place to upload the file of a document, good for an hour.

    The document is listed once its file has arrived. A repeated answer has a fresh place.
    """
    refuse_guards(api)
    tenant, namespace = api.caller.grant.tenant, api.caller.path["ns"]
    its_id = document_id(upload.path)
    services().once.answer(tenant, namespace, idempotency_key(api), lambda: Answered(report=its_id))
    place = services().documents.place(
        UploadPlace(tenant, namespace, upload.path),
        content_type=upload.content_type,
        told=upload.told,
    )
    body = {"document_id": its_id, "upload": upload_json(place)}
    return answer(HTTPStatus.CREATED, body)
