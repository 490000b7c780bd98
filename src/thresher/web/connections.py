"""Connections opened to vetted addresses, directly or through a proxy, and kept for the next request."""

import asyncio
import ssl
from base64 import b64encode
from functools import cached_property
from urllib.parse import unquote, urlsplit

from thresher.core.errors import HostUnreachable
from thresher.core.records import Url
from thresher.core.url import host_of, hostname_of
from thresher.web.guard import Guard, GuardedResolver, port_of
from thresher.web.limits import Limits
from thresher.web.reply import Reply
from thresher.web.wire import Connection

KEPT = 15.0  # seconds a connection waits for its next request


class Connections:
    """Hands out a connection that can carry a request, a used one if there is one, and takes it back."""

    def __init__(
        self, guard: Guard, resolver: GuardedResolver, limits: Limits, proxy: str = "", trust: str = ""
    ) -> None:
        """Take who vets addresses and names, and whom https trusts beside the system's authorities."""
        self._guard, self._resolver, self._limits = guard, resolver, limits
        self._proxy, self._trust = _proxy(proxy), trust
        self._pass = _pass(proxy)
        self._loop = asyncio.get_running_loop()
        self._idle: dict[str, list[Connection]] = {}
        self._sweeping: asyncio.TimerHandle | None = None

    async def take(self, url: Url, deadline: float) -> Connection:
        """Return a connection for a URL; raise OSError when none can be had in time."""
        idle = self._idle.get(self._key(url))
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
            self._idle.setdefault(self._key(url), []).append(connection)
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
        return url, self._pass

    def _key(self, url: Url) -> str:
        return host_of(self._proxy if self._proxy and url.startswith("http:") else url)

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
        via = self._proxy or url
        connection = await self._connect(via)
        if self._proxy and url.startswith("https:"):
            try:
                await self._tunnel(connection, url, deadline)
            except BaseException:
                connection.close()
                raise
        return connection

    async def _connect(self, url: Url) -> Connection:
        """Connect to the first address of a host that answers."""
        host, port = hostname_of(url), port_of(url)
        addresses = await self._resolver.resolve(host, port)
        failure: OSError = OSError("no address")
        for address in addresses:
            try:
                async with asyncio.timeout(self._limits.connect / len(addresses)):
                    return await self._connect_to(address, port, host if url.startswith("https:") else "")
            except OSError as error:  # a timeout, too
                failure = error
        raise failure

    async def _connect_to(self, address: str, port: int, secure_host: str) -> Connection:
        socket = self._guard.socket(address)
        try:
            socket.setblocking(False)
            await self._loop.sock_connect(socket, (address, port))
            _, connection = await self._loop.create_connection(
                lambda: Connection(self._limits),
                sock=socket,
                ssl=self._certificates if secure_host else None,
                server_hostname=secure_host.rstrip(".") or None,
            )
        except BaseException:
            socket.close()
            raise
        return connection

    async def _tunnel(self, connection: Connection, url: Url, deadline: float) -> None:
        """Ask the proxy for a way to the host, and begin TLS there."""
        peer, reply = f"{hostname_of(url)}:{port_of(url)}", Reply(self._limits, has_body=False)
        lines = f"CONNECT {peer} HTTP/1.1\r\nHost: {peer}\r\n{self._pass}\r\n"
        await connection.ask(lines.encode(), reply, deadline)
        if not 200 <= reply.status < 300:
            raise HostUnreachable(f"The proxy refused with status {reply.status}")
        await connection.encrypt(self._certificates, hostname_of(url).rstrip("."))

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        """Whom https trusts: the system's authorities, and those the user names."""
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
        if self._trust:
            context.load_verify_locations(self._trust)
        return context


def _proxy(text: str) -> Url | None:
    """Return where a proxy is, without its password."""
    if not text:
        return None
    parts = urlsplit(text if "//" in text else f"http://{text}")
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return Url(f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}/")


def _pass(text: str) -> str:
    """Return the header line with a proxy's password, if it has one."""
    parts = urlsplit(text)
    if not parts.username:
        return ""
    secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return f"Proxy-Authorization: Basic {b64encode(secret.encode()).decode()}\r\n"
