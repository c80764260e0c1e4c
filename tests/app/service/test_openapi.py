"""The description of the API is valid, and says what goes wrong and what to send."""

import json
from typing import Any

import pytest
from in_process import InProcess
from openapi_spec_validator import OpenAPIV31SpecValidator
from pydantic import BaseModel

from nextpair.app.designs.base import answer_schemas
from nextpair.app.schemas.common import ProblemOut
from nextpair.app.web.api_examples import EXAMPLES

PROBLEM = {"$ref": "#/components/schemas/ProblemOut"}


def operations(described: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method} {path}", operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]


def test_the_description_is_valid(light: InProcess) -> None:
    described = light.get("/openapi.json")
    assert described["openapi"].startswith("3.1.")
    errors = [error.message for error in OpenAPIV31SpecValidator(described).iter_errors()]
    assert errors == []


def test_every_operation_says_which_problems_it_may_answer_with(light: InProcess) -> None:
    found = operations(light.app.openapi())
    assert len(found) > 50
    for name, operation in found:
        problems = {
            status: answer for status, answer in operation["responses"].items() if status >= "400"
        }
        assert problems, name
        for status, answer in problems.items():
            assert answer["content"]["application/problem+json"]["schema"] == PROBLEM, (
                name,
                status,
            )
    ProblemOut.model_validate(light.app.openapi()["components"]["schemas"]["ProblemOut"]["example"])


def test_every_body_has_an_example(light: InProcess) -> None:
    described = light.app.openapi()
    for name, operation in operations(described):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            named = content["schema"].get("$ref", "").rpartition("/")[2]
            schema = described["components"]["schemas"][named] if named else content["schema"]
            shown = "example" in content or "examples" in schema or schema.get("properties")
            assert shown, f"{name} has no example of its body"
            if named:
                assert schema["examples"], name


@pytest.mark.parametrize("shape", EXAMPLES, ids=lambda shape: shape.__name__)
def test_an_example_can_be_sent(shape: type[BaseModel]) -> None:
    shape.model_validate(EXAMPLES[shape])


def test_answers_are_described_without_references_that_lead_nowhere() -> None:
    schemas = answer_schemas()
    assert len(schemas) > 5
    assert "$ref" not in json.dumps(schemas)
    assert "$defs" not in json.dumps(schemas)
