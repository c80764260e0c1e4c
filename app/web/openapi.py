"""The description of the API, as OpenAPI 3.1."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from nextpair.app.schemas.common import ErrorAt, ProblemOut
from nextpair.app.web.api_examples import EXAMPLES

Description = dict[str, Any]

OPEN_PATHS = (
    "/healthz",
    "/readyz",
    "/judge/{study}/preview",
    "/judge/{study}/enter",
    "/v1/studies/{study}/news/{word}",
    "/v1/sign-ins/use",
)
"""What can be asked without a key."""
_KEY = {
    "type": "http",
    "scheme": "bearer",
    "description": "A key of `nextpair keys create`; to answer, an assignment's token will do.",
}
_EVENT = 'event: judgment\ndata: {"topic": "coffee", "number": 7}\nid: 12\n\n'


def describe(app: FastAPI) -> Description:
    """Describe the API; every problem document by its own schema instead of the framework's."""
    if app.openapi_schema is None:
        described = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes
        )
        _describe_problems(described["components"]["schemas"])
        _add_examples(described["components"]["schemas"])
        _add_security(described)
        _describe_streams(described)
        app.openapi_schema = described
    return app.openapi_schema


def _describe_problems(schemas: Description) -> None:
    for shape in (ProblemOut, ErrorAt):
        template = "#/components/schemas/{model}"
        schemas[shape.__name__] = shape.model_json_schema(ref_template=template)
        schemas[shape.__name__].pop("$defs", None)
    schemas.pop("HTTPValidationError", None)
    schemas.pop("ValidationError", None)


def _add_examples(schemas: Description) -> None:
    for shape, example in EXAMPLES.items():
        schemas[shape.__name__]["examples"] = [example]


def _add_security(described: Description) -> None:
    described["components"]["securitySchemes"] = {"key": _KEY}
    for path, operations in described["paths"].items():
        if path not in OPEN_PATHS:
            for operation in operations.values():
                operation["security"] = [{"key": []}]


def _describe_streams(described: Description) -> None:
    """Describe streams of events as text: the framework's way to do so came with OpenAPI 3.2."""
    for operations in described["paths"].values():
        for operation in operations.values():
            for answer in operation["responses"].values():
                stream = answer.get("content", {}).get("text/event-stream")
                if stream is not None:
                    stream.clear()
                    stream |= {"schema": {"type": "string"}, "example": _EVENT}
