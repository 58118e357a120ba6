"""Purging a namespace."""

from aws_lambda_powertools.event_handler import Response

from palimpsest.api.request_guards import idempotency_key, refuse_guards
from palimpsest.api.resolver import Access
from palimpsest.domain.keys import Scope
from reconcile import answers
from reconcile.app import api, services
from reconcile.job_routes import begun


@api.route(
    "DELETE",
    "/namespaces/{ns}",
    Access(Scope.ADMIN),
    answers={202: answers.JobBegun},
    takes=("Idempotency-Key",),
)
def purge_namespace(ns: str) -> Response[str]:
    """Purge a namespace: nothing of it is shown from now on, and a job erases it everywhere.

    The job ends with a receipt: what a new look at every place still finds.
    """
    refuse_guards(api)
    grant = api.caller.grant
    job = services().purges.purge(
        grant.tenant, api.caller.path["ns"], by=grant.key_id, key=idempotency_key(api)
    )
    return begun(job)
