"""The practice web over HTTP on the loopback interface, which counts what its visitors do."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus
from math import inf
from types import TracebackType

from thresher.core.errors import HostUnreachable
from thresher.core.records import Headers
from thresher_practice.site_plan import Address
from thresher_practice.web import PracticeResponse, PracticeWeb

LOOPBACK = "127.0.0.1"


@dataclass(slots=True)
class HostCounts:
    """How one site was treated. Requests for robots.txt are counted apart and never impolite."""

    requests: int = 0
    robots: int = 0  # requests for robots.txt
    early: int = 0  # requests before the first one for robots.txt
    violations: int = 0  # requests that robots.txt forbids
    most_at_once: int = 0
    shortest_gap: float = inf  # seconds from the end of one answer to the next request
    _busy: int = field(default=0, repr=False)
    _ended: float = field(default=-inf, repr=False)

    def begin(self, now: float, forbidden: bool) -> None:
        """Note that a request came in."""
        self.requests += 1
        self.early += not self.robots
        self.violations += forbidden
        self._busy += 1
        self.most_at_once = max(self.most_at_once, self._busy)
        self.shortest_gap = min(self.shortest_gap, now - self._ended)

    def end(self, now: float) -> None:
        """Note that its answer went out."""
        self._busy -= 1
        self._ended = now


class PracticeServer:
    """A practice web on a port of its own while the context lasts; it binds nothing but loopback."""

    def __init__(self, web: PracticeWeb, pause: float = 0.0, port: int = 0) -> None:
        """Serve a web; `pause` seconds pass before each answer, so that haste shows as overlap."""
        self.web = web
        self.pause, self.port = pause, port
        self.counts: dict[str, HostCounts] = {name: HostCounts() for name in web.atlas.sites}
        self.strangers = 0  # requests for hosts that are not on this web
        self._visitors: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> int:
        """Listen, and return the port; `web` lives on it from now on."""
        self._server = await asyncio.start_server(self._welcome, LOOPBACK, self.port)
        self.port = int(self._server.sockets[0].getsockname()[1])
        self.web = self.web.on_port(self.port)
        return self.port

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        self._server.close()
        for visitor in self._visitors:
            visitor.cancel()
        await asyncio.gather(*self._visitors, return_exceptions=True)
        await self._server.wait_closed()

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request after another until the visitor leaves."""
        visitor = asyncio.current_task()
        if visitor:
            self._visitors.add(visitor)
            visitor.add_done_callback(self._visitors.discard)
        try:
            while await self._converse(reader, writer):
                await writer.drain()
        except (OSError, EOFError, ValueError, asyncio.CancelledError):
            return  # the visitor hung up or does not speak HTTP, or the server closes
        finally:
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request, and say whether another may follow."""
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, target, version = lines[0].split(" ")
        headers = tuple((name.strip().lower(), value.strip()) for name, _, value in map(_halves, lines[1:-2]))
        said = dict(headers)
        if method not in ("GET", "HEAD"):
            answer = PracticeResponse(
                HTTPStatus.METHOD_NOT_ALLOWED, (("allow", "GET, HEAD"), ("content-length", "0"))
            )
            said["connection"] = "close"  # a body may follow that nobody will read
        else:
            answer = await self._answer(_url(target, said.get("host", "")), headers)
        writer.write(_raw(answer, self.web.now(), with_body=method == "GET"))
        return version == "HTTP/1.1" and said.get("connection", "").lower() != "close"

    async def _answer(self, url: str, headers: Headers) -> PracticeResponse:
        try:
            address = self.web.address(url)
        except HostUnreachable:
            self.strangers += 1
            return PracticeResponse(HTTPStatus.MISDIRECTED_REQUEST, (("content-length", "0"),))
        counts = self.counts[address.partition("/")[0]]
        if address.endswith("/robots.txt"):
            counts.robots += 1
            return self.web.answer(address)
        return await self._count(counts, address, headers)

    async def _count(self, counts: HostCounts, address: Address, headers: Headers) -> PracticeResponse:
        loop = asyncio.get_running_loop()
        counts.begin(loop.time(), self.web.is_forbidden(address))
        try:
            await asyncio.sleep(self.pause)
            return self.web.answer(address, headers)
        finally:
            counts.end(loop.time())


def serve(web: PracticeWeb, pause: float = 0.0, port: int = 0) -> PracticeServer:
    """Return what holds a web on a port while it is entered; entering it returns the port."""
    return PracticeServer(web, pause, port)


def _halves(line: str) -> tuple[str, str, str]:
    return line.partition(":")


def _url(target: str, host: str) -> str:
    """Return the URL asked for; a visitor that takes us for a proxy says all of it at once."""
    return target if target.startswith("http://") else f"http://{host}{target}"


def _raw(answer: PracticeResponse, now: float, with_body: bool) -> bytes:
    status = HTTPStatus(answer.status)
    headers: Sequence[tuple[str, str]] = (*answer.headers, ("date", formatdate(now, usegmt=True)))
    head = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*head, "", ""]).encode("latin-1") + (answer.body if with_body else b"")
