"""The server: every request passes the guards, becomes a struct, and is answered in a thread with another."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import Any

import msgspec
from aiohttp import web

from thresher import __version__
from thresher.core.errors import ThresherError
from thresher.serve import changes, overview, requests, routes
from thresher.serve.events import stream
from thresher.serve.files import export_file, shown_copy
from thresher.serve.requests import Problem, bad_request, not_found, of_folder, too_many
from thresher.serve.responses import Health
from thresher.serve.routes import ROUTES, Route, RouteAccess
from thresher.serve.security import (
    AT_WORK,
    BODY,
    STREAMS,
    WAITING,
    Guards,
    security_headers,
    took_too_long,
    wrong_key,
)
from thresher.serve.state import CrawlRegistry, Watcher

log = logging.getLogger(__name__)

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
SHELL = "index.html"
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


class Server:
    """The routes over one desk, behind one set of guards."""

    def __init__(self, desk: CrawlRegistry, guards: Guards) -> None:
        """Make the server; `app` is what aiohttp runs."""
        if not guards.hosts:
            raise ValueError("A server without a list of its names would answer to anybody's.")
        self._desk, self._guards = desk, guards
        self._watcher = Watcher(desk)
        self._threads = ThreadPoolExecutor(AT_WORK, thread_name_prefix="answer")
        self._waiting = self.streams = 0
        self._open = {route.path for route in ROUTES if route.needs is not RouteAccess.TOKEN}
        self.app = web.Application(client_max_size=BODY, middlewares=[self._guarded])
        self.app.cleanup_ctx.append(self._running)
        for route in ROUTES:
            self.app.router.add_route(route.method, route.path, self._special(route) or self._handler(route))
        self.app.router.add_get("/static/{name}", self._static)
        for path in ("/", "/new", "/compare", "/search", "/c/{id}", "/c/{id}/{screen}"):
            self.app.router.add_get(path, self._shell)

    async def _running(self, app: web.Application) -> AsyncIterator[None]:
        with self._watcher.watching(asyncio.get_running_loop()):
            yield
        self._threads.shutdown(wait=False, cancel_futures=True)

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Answer) -> web.StreamResponse:
        """Let the request pass the guards, and every answer leave with its headers; errors are problems."""
        try:
            self._guards.admit(request.method, request.headers, self._is_open(request))
            response = await handler(request)
        except Exception as error:
            response = self._problem(error).answer()
        if not response.prepared:
            response.headers.update(security_headers(request.path, self._guards.isolates_copies))
        return response

    def _is_open(self, request: web.Request) -> bool:
        """Tell whether a request needs no token: the screens' own files, and what a key opens."""
        resource = request.match_info.route.resource
        path = resource.canonical if resource else request.path
        return path in self._open or not path.startswith(("/api/", "/metrics"))

    def _problem(self, error: Exception) -> Problem:
        if isinstance(error, Problem):
            return error
        if isinstance(error, ThresherError):
            return of_folder(error)
        if isinstance(error, web.HTTPRequestEntityTooLarge):
            return Problem(
                "too-large", "Too large", 413, f"At most {BODY} bytes are read.", "Nothing was changed."
            )
        if isinstance(error, web.HTTPMethodNotAllowed):
            return Problem("wrong-method", "Not so", 405, "This address does not take this method.")
        if isinstance(error, web.HTTPException):
            return not_found("There is nothing at this address.", "Begin at /.")
        if isinstance(error, sqlite3.OperationalError) and "interrupted" in str(error):
            return took_too_long()
        log.error("An answer failed: %s", type(error).__name__, exc_info=error)  # no query, no page text
        return Problem(
            "failed", "It did not work", 500, f"{type(error).__name__}.", "The crawls were not changed."
        )

    def _handler(self, route: Route) -> Answer:
        assert route.handler is not None
        work = route.handler

        async def answer(request: web.Request) -> web.Response:
            ask = await asked(route, request)
            made = await self._in_thread(work, self._desk, ask)
            return web.Response(
                body=msgspec.json.encode(made), status=route.status, content_type="application/json"
            )

        return answer

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do the work in a thread; refuse when too many requests wait."""
        if self._waiting >= WAITING:
            raise too_many("The server has too much to do.", 2)
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)
        finally:
            self._waiting -= 1

    def _special(self, route: Route) -> Answer | None:
        """Return the handler of a route whose answer is no struct."""
        return {
            "/healthz": self._health,
            "/metrics": self._metrics,
            "/copy/{id}/{visit}": self._copy,
            "/api/v1/openapi.json": self._openapi,
            "/api/v1/events": self._events,
            "/api/v1/crawls/{id}/changes.atom": self._feed,
            "/api/v1/crawls/{id}/changes.json": self._feed,
            "/api/v1/crawls/{id}/exports/{name}": self._file,
        }.get(route.path)

    async def _health(self, request: web.Request) -> web.Response:
        body = msgspec.json.encode(Health("ok", __version__))
        return web.Response(body=body, content_type="application/json")

    async def _metrics(self, request: web.Request) -> web.Response:
        return web.Response(text=await self._in_thread(overview.metrics_text, self._desk, self.streams))

    async def _openapi(self, request: web.Request) -> web.Response:
        return web.Response(body=msgspec.json.encode(routes.document()), content_type="application/json")

    async def _events(self, request: web.Request) -> web.StreamResponse:
        ask = converted(requests.WatchRequest, dict(request.query))
        if ask.crawl:
            self._desk.crawl(ask.crawl)
        if self.streams >= STREAMS:
            raise too_many(f"{STREAMS} streams are open already.", 10)
        self.streams += 1
        try:
            return await stream(request, self._desk, self._watcher, ask.crawl)
        finally:
            self.streams -= 1

    async def _copy(self, request: web.Request) -> web.Response:
        ask = converted(requests.ShownCopy, {**request.query, **request.match_info})
        if not self._desk.signer.opens_copy(ask.key, ask.id, ask.visit):
            raise wrong_key()
        found = self._desk.crawl(ask.id)
        kind, text = await self._in_thread(shown_copy, found.folder, ask.visit, self._guards.isolates_copies)
        return web.Response(text=text, content_type=kind, charset="utf-8")

    async def _feed(self, request: web.Request) -> web.Response:
        ask = converted(requests.Feed, {**request.query, **request.match_info})
        if ask.key != self._desk.signer.feed_key(ask.id):
            raise wrong_key()
        folder = self._desk.crawl(ask.id).folder
        if request.path.endswith(".json"):
            body = await self._in_thread(changes.json_feed, folder, ask.id)
            return web.Response(body=body, content_type="application/feed+json")
        text = await self._in_thread(changes.atom, folder, ask.id)
        return web.Response(text=text, content_type="application/atom+xml")

    async def _file(self, request: web.Request) -> web.FileResponse:
        ask = converted(requests.ExportFile, dict(request.match_info))
        file = export_file(self._desk, ask)
        headers = {
            "Content-Disposition": f'attachment; filename="{file.name}"',
            "Content-Type": "application/octet-stream",
        }
        return web.FileResponse(file, headers={**headers, **security_headers(request.path)})

    async def _shell(self, request: web.Request) -> web.Response:
        return _asset(SHELL)

    async def _static(self, request: web.Request) -> web.Response:
        return _asset(request.match_info["name"])


def _asset(name: str) -> web.Response:
    """Return a file of the screens, out of the package."""
    kind = TYPES.get(f".{name.rpartition('.')[2]}")
    file = files("thresher.serve") / "static" / name
    if kind is None or "/" in name or "\\" in name or not file.is_file():
        raise not_found("There is no such file.", "Begin at /.")
    charset = None if kind == "image/png" else "utf-8"
    return web.Response(body=file.read_bytes(), content_type=kind, charset=charset)


async def asked(route: Route, request: web.Request) -> Any:
    """Return what is asked, from path, query and body; unknown fields are refused by name."""
    given: dict[str, Any] = {}
    if route.method != "GET":
        body = await request.read()
        try:
            decoded = msgspec.json.decode(body)
        except (msgspec.MsgspecError, RecursionError) as error:  # the second: brackets in brackets
            raise bad_request(f"The body is not JSON: {error}.") from None
        if not isinstance(decoded, dict):
            raise bad_request("The body must be an object.")
        return converted(route.ask, {**decoded, **request.match_info}, strict=True)
    for name in request.query:
        values = request.query.getall(name)
        given[name] = values if name == "crawl" else values[-1]
    return converted(route.ask, {**given, **request.match_info})


def converted(kind: type[Any], given: dict[str, Any], strict: bool = False) -> Any:
    """Return a question as its struct, or say which part of it cannot be read."""
    try:
        return msgspec.convert(given, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise bad_request(f"{error}.") from None
