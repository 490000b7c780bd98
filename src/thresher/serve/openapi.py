"""OpenAPI 3.1, made from the table of routes and the structs it names."""

from typing import Any

import msgspec

from thresher import __version__
from thresher.serve.problems import CONTENT_TYPE, ProblemDocument
from thresher.serve.routes import ROUTES, Needs, Route

REFERENCE = "#/components/schemas/{name}"


def document() -> dict[str, Any]:
    """Return the description of the API."""
    structs = [route.answer for route in ROUTES if not isinstance(route.answer, str)]
    asked = [route.ask for route in ROUTES]
    _, schemas = msgspec.json.schema_components([*structs, *asked, ProblemDocument], ref_template=REFERENCE)
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    described = {
        "openapi": "3.1.0",
        "info": {"title": "Thresher", "version": __version__, "description": "Crawls: watch, search, steer."},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    return msgspec.json.decode(msgspec.json.encode(described), type=dict[str, Any])  # its tuples as lists


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": name_of(route),
        "summary": route.sentence,
        "security": [{"token": []}] if route.needs is Needs.TOKEN else [],
        "parameters": _parameters(route, schemas),
        "responses": {str(route.status): _answer(route), "default": _problem()},
    }
    if route.method != "GET":
        properties = {
            n: p for n, p in schemas[route.ask.__name__]["properties"].items() if n not in in_path(route)
        }
        required = [n for n in schemas[route.ask.__name__].get("required", []) if n in properties]
        body = {"type": "object", "properties": properties, "required": required}
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return operation


def _parameters(route: Route, schemas: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what stands in the path, and for questions that read, what stands in the query."""
    schema = schemas[route.ask.__name__]
    names = [name for name in schema.get("properties", {}) if route.method == "GET" or name in in_path(route)]
    return [
        {
            "name": name,
            "in": "path" if name in in_path(route) else "query",
            "required": name in in_path(route) or name in schema.get("required", []),
            "schema": schema["properties"][name],
        }
        for name in names
    ]


def _answer(route: Route) -> dict[str, Any]:
    if isinstance(route.answer, str):
        return {"description": route.sentence, "content": {route.answer: {}}}
    schema = {"$ref": REFERENCE.format(name=route.answer.__name__)}
    return {"description": route.sentence, "content": {"application/json": {"schema": schema}}}


def _problem() -> dict[str, Any]:
    schema = {"$ref": REFERENCE.format(name="ProblemDocument")}
    return {"description": "What went wrong (RFC 9457).", "content": {CONTENT_TYPE: {"schema": schema}}}


def in_path(route: Route) -> list[str]:
    """Return the names that stand in a route's path."""
    return [part[1:-1] for part in route.path.split("/") if part.startswith("{")]


def name_of(route: Route) -> str:
    """Return what generated clients call a route: get_crawls_id_pages."""
    words = route.path.removeprefix("/api/v1").replace("{", "").replace("}", "").replace(".", "_")
    return f"{route.method.lower()}{words.replace('/', '_')}"


def table() -> str:
    """Return the routes as a table for the documents."""
    rows = [f"| `{route.method} {route.path}` | {route.sentence} | {route.needs.value} |" for route in ROUTES]
    return "\n".join(["| route | what it does | opened by |", "|---|---|---|", *rows])
