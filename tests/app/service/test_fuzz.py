"""Fuzz: whatever is sent, an answer as it is described, and every error a problem document."""

import json
import os
from collections.abc import Iterator
from itertools import count
from typing import Any, TypeAlias, cast

import pytest
import schemathesis
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from in_process import AT, PROBLEM, STUDY, TOPIC, InProcess, installed
from installations import new_database
from plain import assert_plain
from schemathesis import GenerationMode
from schemathesis.checks import CheckContext, CheckFunction, not_a_server_error
from schemathesis.core.transport import Response
from schemathesis.python import asgi
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from nextpair.app.main import ROUTERS

Case: TypeAlias = schemathesis.Case[Any]
EXAMPLES = int(os.environ.get("NEXTPAIR_FUZZ_EXAMPLES", "5"))
"""Per operation; more find more."""
SEEDED = "NEXTPAIR_FUZZ_EXAMPLES" not in os.environ
"""The same examples each time, unless someone looks for more."""


_words = st.sampled_from(["id", "title", "text", "features", "prior", "seed", "url"]) | st.text()
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
_named: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict, id=st.text(min_size=1, max_size=5) | st.sampled_from("abc")
)
_lines = (
    st.builds(json.dumps, _named | st.dictionaries(_words, _values, max_size=4)).map(str.encode)
    | st.binary()
)
schemathesis.openapi.media_type("application/jsonl", st.lists(_lines, max_size=5).map(b"\n".join))


@schemathesis.serializer("application/jsonl")
def as_it_is(context: schemathesis.SerializationContext, value: Any) -> bytes:
    """Send what was drawn."""
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


class Fuzzed:
    """A service with something in it for every route to be about, and a client to it."""

    def __init__(self, service: InProcess, client: asgi.ASGIClient) -> None:
        self.service = service
        self.client = client
        self._fresh = count()
        opened = service.post(f"{AT}/sessions", {"worker": "eve"}, status=201)
        self.session: str = opened["session"]

    def call(self, case: Case) -> None:
        """Make a call, and check its answer."""
        bearer = self.session if case.path.startswith("/v1/session") else self.service.key
        case.call_and_validate(
            session=self.client,
            app=self.service.app,
            checks=CHECKS,
            headers={"Authorization": f"Bearer {bearer}"},
        )

    def there(self, case: Case) -> dict[str, object]:
        """Return parameters like a case's, of things that are there."""
        given = {"study": STUDY, "topic": TOPIC, "worker": "ann", "assignment": "1-1"}
        if "assignment" in case.path_parameters and next(self._fresh) % 2:
            held = self.service.next(f"worker-{next(self._fresh)}")["assignments"]
            given["assignment"] = held[0]["id"] if held else "1-1"
        return {name: given.get(name, value) for name, value in case.path_parameters.items()}


@pytest.fixture(scope="module")
def fuzzed(postgresql_server: str) -> Iterator[Fuzzed]:
    """A service that has been at work, on the database that takes less."""
    with (
        new_database(postgresql_server) as url,
        installed(url, max_documents=100) as service,
    ):
        service.make_study(votes=99, selector="uniform")
        service.make_topic(12)
        for worker in ("ann", "bob"):
            for asked in service.next(worker, count=3)["assignments"]:
                service.judge(asked)
        with asgi.get_client(cast(Any, service.app)) as client:
            yield Fuzzed(service, client)


@pytest.fixture(scope="module")
def api(fuzzed: Fuzzed) -> OpenApiSchema:
    """The description of the service."""
    return schemathesis.openapi.from_dict(fuzzed.service.app.openapi())


def errors_are_problems(ctx: CheckContext, response: Response, case: Case) -> None:
    """Check that every error is a problem document."""
    if response.status_code >= 400:
        assert response.headers["content-type"] == [PROBLEM]
        body = response.json()
        assert body["status"] == response.status_code
        assert body["type"] and body["title"] and body["detail"]
        for said in (body["detail"], *(one["what"] for one in body.get("errors", ()))):
            assert_plain(said)


CHECKS: list[CheckFunction] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    errors_are_problems,
]

# The two streams of events have no end, so a call of them would never be answered here; test_events
# has them on a real server.
OPERATIONS = [
    (method, route.path)
    for router in ROUTERS
    for route in router.routes
    if isinstance(route, APIRoute) and route.include_in_schema
    if not route.path.endswith("/events")
    for method in route.methods or ()
]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_answer_is_as_described(
    fuzzed: Fuzzed, api: OpenApiSchema, method: str, path: str, mode: GenerationMode
) -> None:
    @given(case=api[path][method].as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        derandomize=SEEDED,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def answers_are_as_described(case: Case) -> None:
        fuzzed.call(case)
        if case.path_parameters:
            case.path_parameters = fuzzed.there(case)
            fuzzed.call(case)

    try:
        answers_are_as_described()
    except Unsatisfiable:
        pytest.skip("nothing that could be sent here is wrong")
