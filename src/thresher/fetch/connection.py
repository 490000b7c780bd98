"""Connections opened to vetted addresses, directly or through a proxy, and kept for the next request."""

import asyncio
import socket
import ssl
from base64 import b64encode
from collections.abc import Callable
from functools import cached_property
from typing import cast
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from typing_extensions import override

from thresher.core.errors import FetchError, HostUnreachable, SettingsError, Stalled, TimedOut, TooSlow
from thresher.core.records import Url
from thresher.core.url import host_of, hostname_of
from thresher.fetch.guard import Guard, GuardedResolver, port_of, socket_to
from thresher.fetch.limits import ResponseLimits
from thresher.fetch.response import ResponseParser

# The proxy that a user names


PORTS = {"http": 80, "https": 443}


class Proxy(Struct, frozen=True):
    """Where a proxy is, and the header line with its password, if it has one."""

    host: str
    port: int
    secure: bool = False
    password_line: str = ""
    is_ours: bool = True  # chosen by the user of this machine: its address is not vetted

    def __repr__(self) -> str:
        return f"Proxy({self.host}:{self.port})"


def parse_proxy(text: str, is_ours: bool = True) -> Proxy | None:
    """Return the proxy that a text names, with or without scheme and password; an empty text names none."""
    if not text:
        return None
    parts = urlsplit(text if "://" in text else f"http://{text}")
    if parts.scheme not in PORTS:
        raise SettingsError(f"web.proxy begins with {parts.scheme}://, which is not spoken here; {_EXAMPLE}")
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        raise SettingsError(f"web.proxy has no port that is a number below 65536; {_EXAMPLE}") from None
    if not host or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise SettingsError(f"web.proxy is more or less than a host and a port; {_EXAMPLE}")
    line = _password_line(parts.username, parts.password)
    return Proxy(host, port or PORTS[parts.scheme], parts.scheme == "https", line, is_ours)


_EXAMPLE = "name an http or https proxy, such as http://127.0.0.1:3128."


def _password_line(user: str | None, password: str | None) -> str:
    if not user:
        return ""
    secret = f"{unquote(user)}:{unquote(password or '')}"
    return f"Proxy-Authorization: Basic {b64encode(secret.encode()).decode()}\r\n"


PACKET = 32 << 10  # bytes taken at once: even if each is a chunk of its own, the loop is not held up


class Connection(asyncio.BufferedProtocol):
    """Carries one exchange at a time. Unasked-for bytes end it."""

    def __init__(self, limits: ResponseLimits, buffer: bytearray) -> None:
        """Take the limits of time, and room for what comes, which may be shared with other connections."""
        self._buffer = buffer
        self.since = 0.0  # when it was put aside, for the pool
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._reply: ResponseParser | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = self._heard = self._begun = 0.0

    @property
    def is_open(self) -> bool:
        """Tell whether a request can be sent."""
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes, reply: ResponseParser, deadline: float) -> None:
        """Send a request and wait until its reply is done; then the connection is free again, or closed."""
        if self._transport is None:
            raise HostUnreachable("The connection broke: the server hung up")
        self._reply, self._waiter, self._deadline = reply, self._loop.create_future(), deadline
        self._heard, self._begun = self._loop.time(), 0.0
        self._transport.write(request)
        self._set_timer()
        try:
            await self._waiter
        finally:
            self._reply = self._waiter = None
            if self._timer is not None:
                self._timer.cancel()
            if not (reply.ended and reply.reusable):
                self.close()

    async def encrypt(self, context: ssl.SSLContext, host: str) -> None:
        """Talk TLS from now on, through the tunnel that a proxy has made."""
        assert self._transport is not None
        transport = await self._loop.start_tls(self._transport, self, context, server_hostname=host)
        self._transport = cast(asyncio.Transport, transport)

    def close(self) -> None:
        """Let go of the connection, whatever is under way."""
        if self._transport is not None:
            self._transport.abort()

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    @override
    def get_buffer(self, sizehint: int) -> bytearray:
        return self._buffer

    @override
    def buffer_updated(self, nbytes: int) -> None:
        reply = self._reply
        if reply is None or reply.done:
            self.close()
            return
        try:
            reply.feed(bytes(self._buffer[:nbytes]))
            self._hurry(reply)
        except FetchError as error:
            self._settle(error)
        if reply.done:
            self._settle()

    @override
    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        if self._reply is not None:
            try:
                self._reply.hang_up(error)
            except FetchError as failure:
                self._settle(failure)
            self._settle()

    def _settle(self, error: FetchError | None = None) -> None:
        """Set the result of the exchange; only the first one counts."""
        if self._waiter is None or self._waiter.done():
            return
        if error is None:
            self._waiter.set_result(None)
        else:
            self._waiter.set_exception(error)

    def _hurry(self, reply: ResponseParser) -> None:
        """Refuse to wait for a body that comes drop by drop."""
        self._heard = self._loop.time()
        if reply.done or reply.body is None:
            return
        self._begun = self._begun or self._heard
        seconds, received = self._heard - self._begun, len(reply.body.raw_body)
        if seconds > self._limits.idle and received < self._limits.min_rate * seconds:
            raise TooSlow(
                f"{received:,} bytes in {seconds:.0f} seconds; the slowest we wait for is "
                f"{self._limits.min_rate:g} bytes a second"
            )

    def _set_timer(self) -> None:
        self._timer = self._loop.call_at(
            min(self._heard + self._limits.idle, self._deadline), self._check_deadline
        )

    def _check_deadline(self) -> None:
        """End what has taken too long, unless something came meanwhile."""
        now, idle = self._loop.time(), self._limits.idle
        if now >= self._deadline:
            self._settle(TooSlow("The answer came too slowly"))
        elif now < self._heard + idle:
            self._set_timer()
        elif self._reply is not None and self._reply.body is not None:
            self._settle(Stalled(f"Nothing more came for {idle:g} seconds"))
        else:
            self._settle(TimedOut(f"No answer in time: nothing came for {idle:g} seconds"))


HANDSHAKE = 0.8  # of the time for a connection: who was reached and speaks no TLS is told from who was not
KEPT = 15.0  # seconds a connection waits for its next request


class Connections:
    """Hands out a connection that can carry a request, a used one if there is one, and takes it back."""

    def __init__(
        self,
        guard: Guard,
        resolver: GuardedResolver,
        limits: ResponseLimits,
        proxy: Proxy | None = None,
        trust: str = "",
    ) -> None:
        self._guard, self._resolver, self._limits = guard, resolver, limits
        self._proxy, self._trust = proxy, trust
        self._loop = asyncio.get_running_loop()
        self._idle: dict[str, list[Connection]] = {}  # by origin: also a proxy's are tied to one
        self._sweeping: asyncio.TimerHandle | None = None
        self._buffer = bytearray(PACKET)

    async def take(self, url: Url, deadline: float) -> Connection:
        """Return a connection for a URL; raise OSError when none can be had in time."""
        idle = self._idle.get(host_of(url))
        while idle:
            connection = idle.pop()
            if connection.is_open:
                return connection
        async with asyncio.timeout_at(min(deadline, self._loop.time() + self._limits.connect)):
            return await self._open(url, deadline)

    def give_back(self, url: Url, connection: Connection) -> None:
        """Keep a connection for the next request, if it is still open."""
        if connection.is_open:
            connection.since = self._loop.time()
            self._idle.setdefault(host_of(url), []).append(connection)
            if self._sweeping is None:
                self._sweeping = self._loop.call_later(KEPT, self._sweep)

    def close(self) -> None:
        """Let go of every connection that waits."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for connection in [each for idle in self._idle.values() for each in idle]:
            connection.close()
        self._idle.clear()

    def preamble(self, url: Url) -> tuple[str, str]:
        """Return the target that a request for a URL names, and the header line that a proxy wants."""
        if not self._proxy or url.startswith("https:"):
            return url[len(host_of(url)) :], ""
        return url, self._proxy.password_line

    def _sweep(self) -> None:
        """Close what has waited too long."""
        latest = self._loop.time() - KEPT
        for connection in [each for idle in self._idle.values() for each in idle]:
            if connection.since <= latest:
                connection.close()
        open_ones = {key: [each for each in idle if each.is_open] for key, idle in self._idle.items()}
        self._idle = {key: idle for key, idle in open_ones.items() if idle}
        self._sweeping = self._loop.call_later(KEPT, self._sweep) if self._idle else None

    async def _open(self, url: Url, deadline: float) -> Connection:
        if self._proxy is not None:
            return await self._open_through(self._proxy, url, deadline)
        host, port = hostname_of(url), port_of(url)
        addresses = await self._resolver.resolve(host, port)
        secure_host = host if url.startswith("https:") else ""
        return await self._connect(addresses, self._guard.socket, port, secure_host)

    async def _open_through(self, proxy: Proxy, url: Url, deadline: float) -> Connection:
        resolve = self._resolver.resolve_unvetted if proxy.is_ours else self._resolver.resolve
        make = socket_to if proxy.is_ours else self._guard.socket
        secure_host = proxy.host if proxy.secure else ""
        addresses = await resolve(proxy.host, proxy.port)
        connection = await self._connect(addresses, make, proxy.port, secure_host)
        if url.startswith("https:"):
            try:
                await self._tunnel(connection, proxy, url, deadline)
            except BaseException:
                connection.close()
                raise
        return connection

    async def _connect(
        self, addresses: list[str], make: Callable[[str], socket.socket], port: int, secure_host: str
    ) -> Connection:
        """Connect to the first address that answers."""
        failure: OSError = OSError("no address")
        for address in addresses:
            try:
                async with asyncio.timeout(self._limits.connect / len(addresses)):
                    return await self._connect_to(make(address), (address, port), secure_host)
            except OSError as error:  # a timeout, too
                failure = error
        raise failure

    async def _connect_to(
        self, socket: socket.socket, place: tuple[str, int], secure_host: str
    ) -> Connection:
        try:
            socket.setblocking(False)
            await self._loop.sock_connect(socket, place)
            _, connection = await self._loop.create_connection(
                lambda: Connection(self._limits, self._buffer),
                sock=socket,
                ssl=self._certificates if secure_host else None,
                server_hostname=secure_host.rstrip(".") or None,
                ssl_handshake_timeout=HANDSHAKE * self._limits.connect if secure_host else None,
            )
        except BaseException:
            socket.close()
            raise
        return connection

    async def _tunnel(self, connection: Connection, proxy: Proxy, url: Url, deadline: float) -> None:
        """Ask the proxy for a way to the host, and begin TLS there."""
        host, reply = hostname_of(url), ResponseParser(self._limits, is_tunnel=True)
        peer = f"[{host}]:{port_of(url)}" if ":" in host else f"{host}:{port_of(url)}"
        lines = f"CONNECT {peer} HTTP/1.1\r\nHost: {peer}\r\n{proxy.password_line}\r\n"
        await connection.ask(lines.encode(), reply, deadline)
        if not 200 <= reply.status < 300:
            raise HostUnreachable(f"The proxy refused with status {reply.status}")
        await connection.encrypt(self._certificates, host.rstrip("."))

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        """The certificates that https trusts: the system's authorities, and those the user names."""
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        if self._trust:
            context.load_verify_locations(self._trust)
        return context
