"""The types of the API that the pages are checked against."""

from api_types import DECLARATIONS, declarations, named_operations


def test_the_declared_types_are_those_of_the_openapi_document() -> None:
    written = DECLARATIONS.read_text(encoding="utf-8")
    assert written == declarations(), "run: python tests/api_types.py"


def test_the_operations_that_the_pages_name_are_found() -> None:
    assert {"GET /v1/session", "POST /v1/session/begin", "GET /v1/studies"} <= {*named_operations()}
