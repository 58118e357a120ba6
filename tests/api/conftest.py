import importlib
import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from moto import mock_aws

from api import conformity, machine, memory_table
from api.memory_table import TABLE
from http_event import GRANT, Context, event
from palimpsest.adapters.simulated import SimulatedEmbedder
from palimpsest.bootstrap import parts

_numbers = itertools.count(1)
RECORD = "/namespaces/{ns}/records/{id}"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a handler."""

    status: int
    body: Any
    headers: dict[str, str]
    raw: str = ""

    def problem(self, status: int, slug: str) -> Any:
        """Its body, which must be a whole problem document of that kind."""
        assert (self.status, self.body["type"]) == (status, f"urn:palimpsest:problem:{slug}")
        assert self.headers["content-type"] == "application/problem+json"
        assert self.body["status"] == status
        assert self.body["instance"] == self.headers["x-request-id"]
        assert self.body["title"]
        assert self.body["detail"]
        return self.body


class Http:
    """The HTTP functions in process, called with gateway events; projection and jobs on demand."""

    def __init__(self, modules: dict[str, Any], *, tenant: str) -> None:
        self._modules = modules
        self.grant = {**GRANT, "tenant": tenant}

    def request(self, method: str, resource: str, **options: Any) -> Answer:
        module = next(
            (m for m in self._modules.values() if (method, resource) in declared(m)),
            self._modules["records"],
        )
        options.setdefault("grant", self.grant)
        asked = event(method, resource, **options)
        told = module.handler(asked, Context())
        conformity.check(method, resource, asked["body"], told)
        headers = {k.lower(): v[0] for k, v in told["multiValueHeaders"].items()}
        return Answer(told["statusCode"], json.loads(told["body"] or "null"), headers, told["body"])

    def put(self, record_id: str, body: Any, *, ns: str = "notes", **options: Any) -> Answer:
        return self.request("PUT", RECORD, path={"ns": ns, "id": record_id}, body=body, **options)

    def get(self, record_id: str, *, ns: str = "notes", **options: Any) -> Answer:
        return self.request("GET", RECORD, path={"ns": ns, "id": record_id}, **options)

    def delete(self, record_id: str, *, ns: str = "notes", **options: Any) -> Answer:
        return self.request("DELETE", RECORD, path={"ns": ns, "id": record_id}, **options)

    def commit(self, body: Any, *, ns: str = "notes", **options: Any) -> Answer:
        return self.request(
            "POST", "/namespaces/{ns}/commits", path={"ns": ns}, body=body, **options
        )

    def namespace(self, ns: str = "notes", **options: Any) -> Answer:
        return self.request("GET", "/namespaces/{ns}", path={"ns": ns}, **options)

    def clock(self, ns: str = "notes") -> int:
        return int(self.namespace(ns).body["revision"])

    def search(self, query: Any = "x", **members: Any) -> Answer:
        body = {"query": query, "namespace": "notes", **members}
        return self.request("POST", "/search", body=body)

    def found(self, query: str, **members: Any) -> list[str]:
        answer = self.search(query, **members)
        assert answer.status == 200, answer.body
        return [hit["id"] for hit in answer.body["hits"]]

    def project(self, namespace: str = "notes", tenant: str | None = None) -> None:
        tenant = tenant or self.grant["tenant"]
        record = {
            "dynamodb": {"Keys": {"pk": {"S": f"{tenant}#{namespace}"}}, "SequenceNumber": "1"}
        }
        told = self._modules["projector"].handler({"Records": [record]}, Context())
        assert told == {"batchItemFailures": []}

    def reconcile(self, **body: Any) -> Answer:
        """A pass over `notes`, if it names no other namespace."""
        options = {name: body.pop(name) for name in ("headers", "grant") if name in body}
        asked = {"namespace": "notes", **body}
        return self.request("POST", "/reconcile", body=asked, **options)

    def purge(self, ns: str = "notes", **options: Any) -> Answer:
        return self.request("DELETE", "/namespaces/{ns}", path={"ns": ns}, **options)

    def job(self, job_id: str, **options: Any) -> Answer:
        return self.request("GET", "/jobs/{id}", path={"id": job_id}, **options)

    def run(self, job_id: str) -> Any:
        """Take the steps of a job that was started; the job then."""
        (payload,) = [one for one in machine.started() if one["job"] == job_id]
        machine.run(self._modules["jobs"].handler, payload)
        return self.job(job_id).body

    def upload(self, path: str, data: bytes, *, ns: str = "notes", **told: Any) -> str:
        """Ask for a place, put a file there and have it looked at; the id of its document."""
        resource = "/namespaces/{ns}/documents"
        granted = self.request("POST", resource, path={"ns": ns}, body={"path": path, **told})
        assert granted.status == 201, granted.body
        headers = granted.body["upload"]["headers"]
        machine.put(self.grant["tenant"], ns, path, data, headers)
        self.look(path, ns=ns)
        return str(granted.body["document_id"])

    def look(self, path: str, *, ns: str = "notes") -> None:
        """What an event of the bucket makes of a document, and what ingest asks of its queue."""
        self.ingest({"detail": {"object": {"key": machine.key(self.grant["tenant"], ns, path)}}})

    def ingest(self, body: Any) -> None:
        """Hand one message to ingest."""
        record = {"messageId": "m1", "body": json.dumps(body)}
        told = self._modules["ingest"].handler({"Records": [record]}, Context())
        assert told == {"batchItemFailures": []}

    def document(self, its_id: str, rest: str = "", *, ns: str = "notes", **options: Any) -> Answer:
        resource = f"/namespaces/{{ns}}/documents/{{id}}{rest}"
        method = options.pop("method", "GET")
        return self.request(method, resource, path={"ns": ns, "id": its_id}, **options)

    def active(self, ns: str = "notes") -> dict[str, str]:
        """The texts of the active records by id."""
        listed = self.request("GET", "/namespaces/{ns}/records", path={"ns": ns})
        assert listed.body["next_cursor"] is None
        return {record["id"]: record["text"] for record in listed.body["records"]}

    @property
    def query_embedder(self) -> SimulatedEmbedder:
        found: SimulatedEmbedder = only_embedder(self._modules)
        return found

    @property
    def routes(self) -> set[tuple[str, str]]:
        """Every route that a function declares."""
        return {route for module in self._modules.values() for route in declared(module)}

    def tool(self, name: str, arguments: Any, *, ns: str = "notes", **options: Any) -> Any:
        """What a tool answers a model."""
        body = {"arguments": arguments, "namespace": ns}
        told = self.request("POST", "/tools/{name}", path={"name": name}, body=body, **options)
        assert told.status == 200, told.body
        assert told.body["sources"] == [] or not told.body["is_error"]
        return told.body

    def refused(self, name: str, arguments: Any, **options: Any) -> str:
        """The sentence with which a tool refuses."""
        told = self.tool(name, arguments, **options)
        assert told["is_error"], told
        assert 5 < len(told["content"]) < 500
        assert "\n" not in told["content"]
        assert "Traceback" not in told["content"]
        return str(told["content"])

    def items_of(self, ns: str) -> list[Any]:
        """Everything that the table holds of a namespace of this tenant."""
        return TABLE.items_of(f"{self.grant['tenant']}#{ns}")

    @property
    def search_parts(self) -> Any:
        """Index, models and the like of the search function."""
        return self._modules["search"].services().parts

    @property
    def tool_parts(self) -> Any:
        """Index, models and the like of the tools function."""
        return self._modules["tools"].services().parts

    @property
    def projecting_index(self) -> Any:
        """The index as the projector writes it."""
        return self._modules["projector"].services().projection.index

    @property
    def readiness_checks(self) -> dict[str, Any]:
        found: dict[str, Any] = self._modules["search"].services().readiness.needed
        return found

    @property
    def reconciling(self) -> Any:
        """What the reconcile function works with."""
        return self._modules["reconcile"].services()

    @property
    def passage_embedder(self) -> SimulatedEmbedder:
        projection = self._modules["projector"].services().projection
        found: SimulatedEmbedder = projection.embedding.embedder
        return found


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """The handlers, loaded once as a warm function would be."""
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        patch.setenv("TABLE_NAME", memory_table.NAME)
        patch.setattr(parts, "make_client", TABLE.made)
        patch.setenv("EMBEDDER", "simulated")
        patch.setenv("EMBEDDING_DIMENSION", "64")
        patch.setenv("INDEX_FOLDER", str(tmp_path_factory.mktemp("index")))
        patch.setenv("WAKE_QUEUE_URL", "")
        patch.setenv("UPLOADS_BUCKET", machine.BUCKET)
        patch.setenv("JOBS_MACHINE_ARN", machine.ARN)
        patch.setenv("INGEST_QUEUE_URL", machine.QUEUE_URL)
        names = ["records", "search", "rewrite", "projector", "reconcile", "jobs"]
        names += ["documents", "ingest", "tools"]
        loaded = {name: importlib.import_module(f"{name}.handler") for name in names}
        for module in loaded.values():
            module.services()
    yield loaded
    for name in ("search", "tools"):
        loaded[name].services().parts.executor.close()
        loaded[name].services().parts.index.close()
    loaded["projector"].services().projection.index.close()
    loaded["reconcile"].services().passes.steps.verifying.index.close()
    loaded["jobs"].services().passes.steps.verifying.index.close()
    loaded["ingest"].services().ingesting.settling.projection.index.close()


@contextmanager
def renewed(modules: dict[str, Any], **environment: str) -> Iterator[None]:
    """Search, rewrite and tools as they would be had they started with these settings too."""
    settings = modules["search"].services().settings
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "make_client", TABLE.made)
        patch.setenv("UPLOADS_BUCKET", machine.BUCKET)
        patch.setenv("INGEST_QUEUE_URL", machine.QUEUE_URL)
        for name in ("table_name", "embedder", "embedding_dimension", "index_folder"):
            patch.setenv(name.upper(), str(getattr(settings, name)))
        with pytest.MonkeyPatch.context() as more:
            for name, value in environment.items():
                more.setenv(name, value)
            _start_anew(modules)
            yield
        _start_anew(modules)


def _start_anew(modules: dict[str, Any]) -> None:
    for name in ("search", "tools"):
        parts = modules[name].services().parts
        parts.executor.close()
        parts.index.close()
    for name in ("search", "rewrite", "tools"):
        modules[name].services.cache_clear()
        modules[name].services()


@pytest.fixture
def modelled(http: Http, modules: dict[str, Any]) -> Iterator[Http]:
    """A tenant where a simulated language model rewrites and a simulated reranker orders."""
    with renewed(modules, LANGUAGE_MODEL="simulated", RERANKER="simulated"):
        yield http


def declared(module: Any) -> Any:
    """The routes of a function that has an HTTP entry point."""
    return module.api.declared if hasattr(module, "api") else ()


def only_embedder(modules: dict[str, Any]) -> SimulatedEmbedder:
    """The embedder of the search function."""
    found: SimulatedEmbedder
    (found,) = modules["search"].services().parts.embedders.values()
    return found


@pytest.fixture
def http(modules: dict[str, Any], aws: None) -> Iterator[Http]:  # noqa: ARG001  # to be there
    """A tenant of its own on an empty table."""
    TABLE.renew()
    yield Http(modules, tenant=f"t{next(_numbers)}")
    only_embedder(modules).heal()
    for embedder in modules["tools"].services().parts.embedders.values():
        embedder.heal()
    modules["projector"].services().projection.embedding.embedder.heal()
    for name in ("reconcile", "jobs"):
        modules[name].services().passes.steps.preparing.embedding.embedder.heal()
    modules["ingest"].services().ingesting.writing.embedding.embedder.heal()


@pytest.fixture
def places(aws: None) -> None:  # noqa: ARG001  # in the same AWS
    """The bucket of lists and the machine of jobs."""
    machine.create_places()


@pytest.fixture
def passes(http: Http, places: None) -> Http:  # noqa: ARG001  # to be there
    """A tenant whose passes may have lists and become jobs."""
    return http
