"""The one table of routes: from it come the server's paths, OpenAPI and the page in docs."""

from collections.abc import Callable
from enum import Enum
from typing import Any

import msgspec
from msgspec import Struct

from thresher import __version__
from thresher.serve import pages, requests, responses
from thresher.serve.changes import list_changes
from thresher.serve.compare import compare
from thresher.serve.files import copy_key, list_exports, make_export
from thresher.serve.labels import label, suggestions, why
from thresher.serve.overview import (
    begin_crawl,
    change_state,
    curve,
    list_crawls,
    list_hosts,
    list_requests,
    now,
    overview,
)
from thresher.serve.pages import list_pages, one_page, search_all
from thresher.serve.requests import CONTENT_TYPE, ProblemDocument
from thresher.serve.state import CrawlRegistry
from thresher.serve.topics import apply_topic, topic_detail, try_topic, understand

Handler = Callable[[CrawlRegistry, Any], Struct]


class RouteAccess(Enum):
    """What opens a route."""

    NOTHING = "nothing"
    TOKEN = "token"
    KEY = "key"  # made by the server for this one thing


class Route(Struct, frozen=True):
    """One thing that can be asked: how, with what, what comes back, and in a sentence why."""

    method: str
    path: str
    ask: type[requests.Ask]
    answer: type[Struct] | str  # a type of content where it is no struct
    sentence: str
    handler: Handler | None = None  # none: the server has one of its own for what is no struct
    status: int = 200
    needs: RouteAccess = RouteAccess.TOKEN


API = "/api/v1"
ONE = f"{API}/crawls/{{id}}"

ROUTES: tuple[Route, ...] = (
    Route("GET", f"{API}/crawls", requests.CrawlList, responses.CrawlSummaries,
          "List all crawls.", list_crawls),
    Route("POST", f"{API}/crawls", requests.NewCrawl, responses.CrawlSummary,
          "Start a crawl.", begin_crawl, 201),
    Route("GET", ONE, requests.OfCrawl, responses.Overview, "Show one crawl and its figures.", overview),
    Route("POST", f"{ONE}/state", requests.NewState, responses.CrawlSummary,
          "Pause, stop or resume a crawl.", change_state, 202),
    Route("GET", f"{ONE}/curve", requests.DrawnCrawl, responses.HarvestCurve,
          "Draw the harvest of a crawl.", curve),
    Route("GET", f"{ONE}/now", requests.OfCrawl, responses.Now,
          "Show what is being fetched and what is next.", now),
    Route("GET", f"{ONE}/pages", requests.PageList, pages.PageItems, "List or search pages.", list_pages),
    Route("GET", f"{ONE}/pages/{{key}}", requests.OnePage, pages.PageDetail, "Read one page.", one_page),
    Route("GET", f"{ONE}/pages/{{key}}/why", requests.WhyOf, pages.PageExplanation,
          "Explain one page.", why),
    Route("POST", f"{ONE}/copies", requests.Copy, pages.CopyKey,
          "Open an archived copy for five minutes.", copy_key, 201),
    Route("POST", f"{ONE}/labels", requests.Label, pages.Effect,
          "Label a page, or remove its label.", label),
    Route("GET", f"{ONE}/suggestions", requests.OfCrawl, pages.LabelSuggestions,
          "List the pages to label next.", suggestions),
    Route("GET", f"{ONE}/changes", requests.ChangeList, responses.ChangeItems,
          "List what changed.", list_changes),
    Route("GET", f"{ONE}/changes.atom", requests.Feed, "application/atom+xml",
          "Follow the changes by Atom.", needs=RouteAccess.KEY),
    Route("GET", f"{ONE}/changes.json", requests.Feed, "application/feed+json",
          "Follow the changes by JSON Feed.", needs=RouteAccess.KEY),
    Route("GET", f"{ONE}/hosts", requests.HostList, responses.HostItems, "List hosts.", list_hosts),
    Route("GET", f"{ONE}/requests", requests.RequestList, responses.RequestItems,
          "List requests.", list_requests),
    Route("GET", f"{ONE}/topic", requests.DrawnCrawl, responses.TopicDetail, "Show the topic.", topic_detail),
    Route("POST", f"{ONE}/topic/try", requests.TopicTrial, responses.Preview,
          "Show which pages another topic would change.", try_topic),
    Route("PUT", f"{ONE}/topic", requests.TopicTrial, responses.Preview,
          "Judge all pages again.", apply_topic),
    Route("GET", f"{ONE}/exports", requests.OfCrawl, responses.Exports,
          "List files for other programs.", list_exports),
    Route("POST", f"{ONE}/exports", requests.NewExport, responses.ExportItem,
          "Make such a file.", make_export, 202),
    Route("GET", f"{ONE}/exports/{{name}}", requests.ExportFile, "application/octet-stream",
          "Download such a file."),
    Route("POST", f"{API}/topics/understand", requests.TopicQuery, responses.Understood,
          "Show how a topic is understood.", understand),
    Route("GET", f"{API}/compare", requests.CompareRequest, responses.Compared,
          "Set crawls side by side.", compare),
    Route("GET", f"{API}/search", requests.SearchAll, pages.PageItems, "Search several crawls.", search_all),
    Route("GET", f"{API}/events", requests.WatchRequest, "text/event-stream", "Follow crawls live."),
    Route("GET", f"{API}/openapi.json", requests.Ask, "application/json",
          "Describe all of this.", needs=RouteAccess.NOTHING),
    Route("GET", "/copy/{id}/{visit}", requests.ShownCopy, "text/html",
          "Show an archived copy.", needs=RouteAccess.KEY),
    Route("GET", "/metrics", requests.Ask, "text/plain", "Metrics for Prometheus."),
    Route("GET", "/healthz", requests.Ask, responses.Health,
          "Report that the server is up.", needs=RouteAccess.NOTHING),
)  # fmt: skip


# OpenAPI 3.1, made from the table of routes


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
        "security": [{"token": []}] if route.needs is RouteAccess.TOKEN else [],
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
