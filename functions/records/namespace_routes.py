"""Namespaces: their status."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from palimpsest.api.resolver import Access, answer
from palimpsest.domain.keys import Scope
from records.app import NAMESPACE, api, services


@api.route("GET", NAMESPACE, Access(Scope.READ))
def get_namespace(ns: str) -> Response[str]:
    """The status of a namespace: its clock, how far the index is, its counts."""
    status = services().status.status(api.caller.grant.tenant, api.caller.path["ns"])
    return answer(
        HTTPStatus.OK,
        {
            "namespace": api.caller.path["ns"],
            "revision": status.revision,
            "indexed_revision": status.indexed_revision,
            "lag": status.lag,
            "counts": status.counts,
            "embedding_model": status.embedding_model,
            "index_generation": status.index_generation,
        },
    )
