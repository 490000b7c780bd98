"""A served web on loopback: an HTTP proxy, and hosts at addresses of their own, with a log that keeps books.

One protocol object a connection, no task and no timer a request: an answer that is ready is written at once.
A client that sends no valid request is told so, counted, and disconnected; nothing else notices.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from typing_extensions import override

from thresher.core.errors import UsageError
from thresher.core.records import Url
from thresher_lab.politeness import MEDIAN, Latency
from thresher_lab.score import Access, AccessLog, PolitenessWatch
from thresher_lab.served_web import (
    ELSEWHERE,
    PROXY,
    Addresses,
    HostNames,
    PreparedResponse,
    RequestKind,
    ServedWeb,
    View,
    in_raw,
)

LONGEST_HEAD = 32 << 10  # bytes of a request
SILENCE = 120.0  # seconds after which a connection that says nothing is closed
SWEEP = 1.0  # seconds between two checks of what has ended
BACKLOG = 4_096
FAREWELL = 20  # twentieths of a second for the last answers to get out


@dataclass(frozen=True)
class ServerLimits:
    """When the server stops by itself; 0: not for that."""

    pages: int = 0
    seconds: float = 0.0
    idle: float = 300.0  # seconds without a request
    connections: int = 12_000


@dataclass
class WebServer:
    """Serves until it has reached a limit or is told to stop."""

    web: ServedWeb
    log: AccessLog
    limits: ServerLimits = ServerLimits()
    latency: float = 0.0  # median seconds of an answer
    luck: int = 1
    plain: dict[str, str] = field(default_factory=dict)  # hosts that are served at addresses of their own
    reason: str = ""
    crowded: int = 0  # connections refused because there were too many
    connections: "set[ClientConnection]" = field(default_factory=set)
    _pages: int = 0

    def __post_init__(self) -> None:
        """Be ready for the first request."""
        self.names, self.watch, self._latency = HostNames(), PolitenessWatch(self.web), Latency(self.luck)
        self._factor = self.latency / MEDIAN
        self._servers: list[asyncio.Server] = []
        self.addresses: Addresses | None = None

    async def run(self, port: int, ready: Callable[[int], None]) -> float:
        """Listen, tell the port, serve until the end, and return for how many seconds requests came."""
        self.loop = asyncio.get_running_loop()
        self.ended = asyncio.Event()
        self.started = self.latest = self.loop.time()
        self.first = 0.0
        await self._listen(port)
        ready(self.port)
        while not self.ended.is_set():
            self._sweep()
            try:
                await asyncio.wait_for(self.ended.wait(), SWEEP)
            except TimeoutError:
                continue
        await self._close()
        return self.latest - self.first if self.first else 0.0

    def stop(self, reason: str) -> None:
        """Stop for this reason, unless there was one before."""
        self.reason = self.reason or reason
        self.ended.set()

    def view_at(self, address: str) -> View:
        """Return the view of the clients of an address."""
        return self.names if address == PROXY or not self.addresses else self.addresses

    def delay_of(self, name: str) -> float:
        """Return how long the answer to a name takes."""
        return self._factor * self._latency.of(Url(f"http://{name}")) if self._factor else 0.0

    def note(self, line: Access, agent: str) -> None:
        """Write down an answer; the page that fills the budget is the last."""
        if self.reason:
            return  # what comes after the end is no part of it
        self.log.add(line, agent)
        if line.kind is RequestKind.PAGE and line.method == "GET":
            self._pages += 1
            if self._pages == self.limits.pages:
                self.stop(f"the budget of {self._pages} pages is spent")

    def seconds(self) -> float:
        """Return the seconds since the first request."""
        self.latest = self.loop.time()
        self.first = self.first or self.latest
        return self.latest - self.first

    async def _listen(self, port: int) -> None:
        """Listen at every address; the first decides on the port of all."""
        for host in (PROXY, *((ELSEWHERE, *self.plain.values()) if self.plain else ())):
            try:
                server = await self.loop.create_server(
                    lambda: ClientConnection(self), host, port, backlog=BACKLOG, reuse_address=True
                )
            except OSError as error:
                await self._close()
                raise UsageError(f"Port {port} of {host} cannot be had ({error.strerror}).") from None
            self._servers.append(server)
            port = self.port = int(server.sockets[0].getsockname()[1])
        self.addresses = Addresses(port, self.plain) if self.plain else None

    def _sweep(self) -> None:
        now, limits = self.loop.time(), self.limits
        if limits.seconds and now - self.started >= limits.seconds:
            self.stop(f"{limits.seconds:g} seconds have passed")
        elif limits.idle and now - self.latest >= limits.idle:
            self.stop(f"nothing was asked for {limits.idle:g} seconds")
        for connection in [each for each in self.connections if now - each.heard >= SILENCE]:
            connection.hang_up()

    async def _close(self) -> None:
        """Close all connections; clients that do not read the last answer soon will not get it."""
        for server in self._servers:
            server.close()
        for connection in list(self.connections):
            connection.hang_up()
        for _ in range(FAREWELL):
            if self.connections:
                await asyncio.sleep(0.05)
        for connection in list(self.connections):
            connection.hang_up(at_once=True)


class ClientConnection(asyncio.Protocol):
    """One client. At most one answer is under way; what it sends meanwhile waits."""

    def __init__(self, server: WebServer) -> None:
        """Belong to a server."""
        self.server = server
        self.heard = server.loop.time()
        self._rest, self._busy, self._paused, self._last = b"", False, False, False

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a client, unless there are too many."""
        self._transport = cast(asyncio.Transport, transport)
        self._address = str(transport.get_extra_info("sockname")[0])
        self._view = self.server.view_at(self._address)
        if len(self.server.connections) >= self.server.limits.connections:
            self.server.crowded += 1
            self._transport.write(refusal(503, "Too many connections.").raw_body)
            self._transport.close()
            return
        self.server.connections.add(self)

    @override
    def connection_lost(self, error: Exception | None) -> None:
        """Forget the client."""
        self.server.connections.discard(self)

    @override
    def pause_writing(self) -> None:
        """Answer nothing more while the client does not read."""
        self._paused = True

    @override
    def resume_writing(self) -> None:
        """Go on."""
        self._paused = False
        self._go_on()

    def hang_up(self, at_once: bool = False) -> None:
        """Close the connection, once what was written is out or at once."""
        if at_once:
            self._transport.abort()
        else:
            self._transport.close()

    @override
    def data_received(self, data: bytes) -> None:
        """Answer every request that is whole."""
        self.heard = self.server.loop.time()
        self._rest = self._rest + data if self._rest else data
        self._go_on()

    def _go_on(self) -> None:
        while not (self._busy or self._paused or self._last):
            head, end, rest = self._rest.partition(b"\r\n\r\n")
            if len(head) > LONGEST_HEAD:
                return self._refuse("a head without end", 431)
            if not end:
                return
            self._rest = rest
            self._hear(head)
        if len(self._rest) > 4 * LONGEST_HEAD:
            self._refuse("requests without end", 431)

    def _hear(self, head: bytes) -> None:
        """Answer one request."""
        asked = request_of(head)
        if asked is None:
            return self._refuse(repr(head[:80]), 400)
        method, target, host, agent, self._last = asked
        if method == "CONNECT":
            return self._refuse(target, 405, RequestKind.CONNECT, agent, method)
        if method not in ("GET", "HEAD"):
            return self._refuse(target, 405, RequestKind.ODD, agent, method)
        name = self._name(target, host)
        if not name:
            return self._refuse(target, 400, RequestKind.ODD, agent, method)
        self._answer(name, agent, method)

    def _name(self, target: str, host: str) -> str:
        """Return what is asked for, whether we are taken for a proxy or for the host itself."""
        web, addresses = self.server.web, self.server.addresses
        if addresses and self._address != PROXY and target.startswith("/"):
            return web.name_of(f"http://{addresses.meant(self._address, target)}")
        return web.name_of(f"http://{host}{target}" if target.startswith("/") else target)

    def _answer(self, name: str, agent: str, method: str) -> None:
        server = self.server
        now = server.seconds()
        answer, delay = server.web.answer(name, self._view), server.delay_of(name)
        forbidden, hasty = server.watch.look(name, agent, now)
        url = server.web.spelling(name)

        def send() -> None:
            size = answer.size if method == "GET" else 0
            at, took = round(server.seconds(), 4) if delay else round(now, 4), round(delay, 4)
            line = Access(at, url, answer.kind, answer.status, size, took, forbidden, hasty, method)
            server.note(line, agent)
            self._send(answer.raw_body if method == "GET" else answer.raw_body[: answer.head])

        def send_late() -> None:
            self._busy = False
            send()
            self._go_on()

        if not delay:
            return send()
        self._busy = True
        server.loop.call_later(delay, send_late)

    def _refuse(
        self, target: str, status: int, kind: RequestKind = RequestKind.ODD, agent: str = "", method: str = ""
    ) -> None:
        """Say no, count it, and hang up: what follows may be anything."""
        self._last, self._rest = True, b""
        now = round(self.server.seconds(), 4)
        self.server.note(Access(now, target[:200], kind, status, 0, method=method[:20]), agent)
        why = (
            "There is no https here: ask for http."
            if kind is RequestKind.CONNECT
            else "This cannot be asked for."
        )
        self._send(refusal(status, why).raw_body)

    def _send(self, raw_body: bytes) -> None:
        if self._transport.is_closing():
            return
        self._transport.write(raw_body)
        if self._last:
            self._transport.close()


def request_of(head: bytes) -> tuple[str, str, str, str, bool] | None:
    """Return method, target, host, user agent, and whether it is the last; None if it is no request."""
    lines = head.decode("latin-1").lstrip("\r\n").split("\r\n")
    parts = lines[0].split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1.") or not parts[1]:
        return None
    host = agent = ""
    last = parts[2] == "HTTP/1.0"
    for line in lines[1:]:
        name, _, value = line.partition(":")
        match name.lower():
            case "host":
                host = value.strip()
            case "user-agent":
                agent = value.strip()
            case "connection" | "proxy-connection":
                said = value.strip().lower()
                last = said == "close" or (last and said != "keep-alive")
            case "content-length" | "transfer-encoding" if value.strip() != "0":
                last = True  # a body follows that will not be read
    return parts[0], parts[1], host, agent, last


def refusal(status: int, why: str) -> PreparedResponse:
    """Return an answer that says no, after which the connection ends."""
    headers = [("content-type", "text/plain"), ("connection", "close")]
    return in_raw(RequestKind.ODD, status, headers, f"{why}\n".encode())
