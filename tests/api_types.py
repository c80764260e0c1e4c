"""TypeScript declarations of the API, as far as the pages use it, from the OpenAPI document.

`python tests/api_types.py` writes them to `app/pages/shared/api_types.d.ts`. The pages name an
operation by its method and path, such as `"GET /v1/session"`. These operations are declared.
"""

import json
import re
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from nextpair.app.main import ROUTERS

PAGES = Path(__file__).resolve().parents[1] / "app" / "pages"
DECLARATIONS = PAGES / "shared" / "api_types.d.ts"
NAMED = re.compile(r'"((?:GET|POST|PATCH|DELETE) /[^"]*)"')
HEAD = """\
// Written by `python tests/api_types.py` from the OpenAPI document. Do not edit.
"""
LIST = """\
/** One page of a list; `next` is where the following page begins. */
export interface Page<Item> {
  items: Item[];
  next: string | null;
}
"""
SIMPLE = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
NOTHING = "Record<string, never>"
Schema = dict[str, Any]


class Writer:
    """Writes declarations of schemas, each once for requests and once for answers.

    A field with a default may be left out of a request; an answer has all fields.
    """

    def __init__(self, schemas: Schema) -> None:
        self.schemas = schemas
        self.declared: dict[str, str] = {}

    def type_of(self, schema: Schema, request: bool) -> str:
        """Return the type of a schema."""
        match schema:
            case {"$ref": str(reference)}:
                return self.reference(reference.rsplit("/", 1)[1], request)
            case {"enum": list(values)}:
                return " | ".join(json.dumps(value) for value in values)
            case {"const": value}:
                return json.dumps(value)
            case {"anyOf": list(options)}:
                return " | ".join(dict.fromkeys(self.type_of(one, request) for one in options))
            case {"prefixItems": list(items)}:
                return f"[{', '.join(self.type_of(one, request) for one in items)}]"
            case {"type": "array"}:
                item = self.type_of(schema.get("items", {}), request)
                return f"({item})[]" if " | " in item else f"{item}[]"
            case {"type": "object", "properties": dict(properties)}:
                fields = self.fields(schema, properties, request)
                return "{ " + " ".join(fields) + " }"
            case {"type": "object", "additionalProperties": dict(values)}:
                return f"Record<string, {self.type_of(values, request)}>"
            case {"type": "object"}:
                return "Record<string, unknown>"
            case {"type": str(name)}:
                return SIMPLE[name]
        return "unknown"

    def reference(self, name: str, request: bool) -> str:
        """Return the name of a declaration, which is written if it is needed for the first time."""
        schema = self.schemas[name]
        if "properties" not in schema:
            return self.type_of(schema, request)
        if name.startswith("Page_"):
            return f"Page<{self.type_of(schema['properties']['items']['items'], request)}>"
        declaration = name if not request or name.endswith(("In", "Change")) else f"{name}Request"
        if declaration not in self.declared:
            self.declared[declaration] = ""
            lines = self.fields(schema, schema["properties"], request)
            body = "".join(f"  {line}\n" for line in lines)
            self.declared[declaration] = f"export interface {declaration} {{\n{body}}}\n"
        return declaration

    def fields(self, schema: Schema, properties: Schema, request: bool) -> list[str]:
        """Return a line for each field of an object."""
        required = schema.get("required", ()) if request else properties
        return [
            f"{name}{'' if name in required else '?'}: {self.type_of(field, request)};"
            for name, field in properties.items()
        ]

    def parameters(self, operation: Schema, place: str) -> str:
        """Return the type of an operation's parameters in its path or its query."""
        found = [one for one in operation.get("parameters", ()) if one["in"] == place]
        fields = (
            f"{one['name']}{'' if one['required'] else '?'}: {self.type_of(one['schema'], True)}"
            for one in found
        )
        return "{ " + "; ".join(fields) + " }" if found else NOTHING

    def operation(self, operation: Schema) -> str:
        """Return the type of an operation: its parameters, its body and its answer."""
        body = _json(operation.get("requestBody", {}))
        answers = (one for status, one in operation["responses"].items() if status.startswith("2"))
        answer = _json(next(answers))
        parts = {
            "path": self.parameters(operation, "path"),
            "query": self.parameters(operation, "query"),
            "body": "undefined" if body is None else self.type_of(body, True),
            "answer": "undefined" if answer is None else self.type_of(answer, False),
        }
        return "{ " + "; ".join(f"{name}: {kind}" for name, kind in parts.items()) + " }"


def _json(message: Schema) -> Schema | None:
    found: Schema | None = message.get("content", {}).get("application/json", {}).get("schema")
    return found or None


def named_operations() -> list[str]:
    """Return the operations that the pages name."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(PAGES.rglob("*.js")))
    return sorted({name for text in texts for name in NAMED.findall(text)})


def declarations() -> str:
    """Return the declarations."""
    app = FastAPI()
    for router in ROUTERS:
        app.include_router(router)
    described = get_openapi(title="nextpair", version="", routes=app.routes)
    writer = Writer(described["components"]["schemas"])
    lines = []
    for name in named_operations():
        method, path = name.split(" ")
        operation = described["paths"][path][method.lower()]
        lines.append(f"  {json.dumps(name)}: {writer.operation(operation)};\n")
    operations = f"export interface Operations {{\n{''.join(lines)}}}\n"
    shapes = (writer.declared[name] for name in sorted(writer.declared))
    return "\n".join((HEAD, operations, LIST, *shapes))


if __name__ == "__main__":
    DECLARATIONS.write_text(declarations(), encoding="utf-8")
