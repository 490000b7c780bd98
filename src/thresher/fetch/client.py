"""One request and its response, under limits of time, size, headers and rate; redirects are not followed."""

import asyncio
import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from thresher.core.caches import LruDict
from thresher.core.errors import (
    BadResponse,
    GuardRefused,
    IncompleteResponse,
    NameUnresolved,
    SettingsError,
)
from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import host_of, hostname_of
from thresher.fetch.connection import Connections, Proxy
from thresher.fetch.guard import Guard, GuardedResolver, NameResolver, is_localhost, port_of
from thresher.fetch.limits import ResponseLimits, Slots, named
from thresher.fetch.request_headers import CookieJar, user_agent
from thresher.fetch.response import ResponseParser

ACCEPTED = (
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
)
HOSTS = 20_000


class Validators(Struct, frozen=True):
    """What makes a request conditional: send the page only if it changed since."""

    etag: str = ""
    last_modified: str = ""


class Copies:
    """Which pages we have a copy of; by default none."""

    def validators(self, url: Url) -> Validators | None:
        """Return by what words the server knows our copy, if it is to be asked whether that is still good."""
        return None


NO_COPIES = Copies()

Leave = Callable[[], None]
"""Called before every request; who may not ask any more raises."""


def always() -> None:
    """Let every request be made."""


class RequestOptions(Struct, frozen=True):
    """How a request is made: as usual, or as the script of a page makes it."""

    headers: Mapping[str, str] = {}  # names in lower case, values of one line
    with_secrets: bool = True  # passwords and cookies
    on_conditions: bool = True  # where we have a copy


USUAL = RequestOptions()


class HttpClient:
    """Asks once. At most `per_host` requests to a host and `per_address` to an address are under way."""

    def __init__(
        self,
        guard: Guard,
        *,
        agent: str = "",
        limits: ResponseLimits = ResponseLimits(),
        proxy: Proxy | None = None,
        proxy_resolves: bool = False,
        secrets: Mapping[str, str] | None = None,
        cookies: CookieJar | None = None,
        copies: Copies = NO_COPIES,
        per_host: int = 1,
        per_address: int = 4,
        resolver: NameResolver | None = None,
        trust: str = "",
        leave: Leave = always,
    ) -> None:
        self._guard, self._limits = guard, limits
        self._proxy, self._proxy_resolves = proxy, proxy_resolves and proxy is not None
        if _CONTROLS.search(agent):
            raise SettingsError("web.user_agent and web.contact must be one line of plain text.")
        self._same = f"User-Agent: {agent or user_agent()}\r\n{ACCEPTED}"  # in every request
        self._secret_lines = {} if secrets is None else secrets  # by origin; not copied: they come and go
        self._cookies, self._copies = cookies, copies
        self._hosts, self._addresses = Slots(per_host), Slots(per_address)
        self._vouched: LruDict[str, bool] = LruDict(HOSTS)  # hosts whose very spelling is not refused
        self._resolver = GuardedResolver(guard, resolver)
        self._trust, self._leave = trust, leave
        self._connections: Connections | None = None

    async def ask(self, candidate: Candidate, max_bytes: int = 0, manner: RequestOptions = USUAL) -> Fetched:
        """Return the response, whatever its status; raise FetchError when there is none."""
        host = host_of(candidate.url)
        if self._vouched.get(host) is None:
            self._guard.vet(candidate.url)
            self._vouched.put(host, True)
        async with self._hosts.held(host):
            address = await self._address(candidate.url)
            async with self._addresses.held(address):
                most = max_bytes or self._limits.max_bytes
                return await self._ask(candidate, address, most, manner)

    async def close(self) -> None:
        """Let go of every connection."""
        if self._connections is not None:
            self._connections.close()
        await self._resolver.close()

    async def _address(self, url: Url) -> str:
        """Return the address a URL is asked at, vetted; the name itself where a proxy is to resolve it."""
        host = hostname_of(url)
        if self._proxy_resolves and not is_localhost(host):
            return host
        try:
            return (await self._resolver.resolve(host, port_of(url)))[0]
        except NameUnresolved as error:
            if self._proxy is None:
                raise
            raise GuardRefused(
                f"{error}; whether it is public cannot be told from here: "
                "web.proxy_resolves=true leaves that to the proxy"
            ) from None

    async def _ask(
        self, candidate: Candidate, address: str, max_bytes: int, manner: RequestOptions
    ) -> Fetched:
        connections = self._open_ones()
        url, reply = candidate.url, ResponseParser(self._limits, max_bytes)
        deadline = asyncio.get_running_loop().time() + self._limits.total
        target, secrets = connections.preamble(url)
        request = self._request(url, target, manner)
        secrets += self._secrets(url) if manner.with_secrets else ""
        try:
            connection = await connections.take(url, deadline)
        except OSError as error:
            raise named(error) from error
        self._leave()
        await connection.ask(request.removesuffix(_END) + secrets.encode() + _END, reply, deadline)
        if refusal := _refusal(reply, request):
            connection.close()
            raise refusal
        connections.give_back(url, connection)
        for _ in reply.body.steps() if reply.body else ():
            await asyncio.sleep(0)  # a large body is unpacked in turns
        if self._cookies is not None and manner.with_secrets:
            set_cookies = [value for name, value in reply.headers if name == "set-cookie"]
            self._cookies.learn(url, set_cookies, reply.at)
        return _fetched(candidate, address, request, reply, keeps_cookies=self._cookies is None)

    def _open_ones(self) -> Connections:
        if self._connections is None:  # needs a running loop
            self._connections = Connections(
                self._guard, self._resolver, self._limits, self._proxy, self._trust
            )
        return self._connections

    def _secrets(self, url: Url) -> str:
        """Return the lines of a request that are sent and not kept."""
        lines = self._secret_lines.get(host_of(url), "")
        if self._cookies is not None and (cookies := self._cookies.header(url)):
            lines += f"Cookie: {cookies}\r\n"
        return lines

    def _request(self, url: Url, target: str, manner: RequestOptions) -> bytes:
        """Return the request as it is kept: without what is secret."""
        same, more = self._same, ""
        for name, value in manner.headers.items():
            if name == "accept":
                same = _ACCEPT.sub(lambda _, value=value: f"Accept: {value}\r\n", same)  # type: ignore[misc]
            else:
                more += f"{name}: {value}\r\n"
        if manner.on_conditions and (known := self._copies.validators(url)):
            for name, value in zip(_CONDITIONS, (known.etag, known.last_modified), strict=True):
                more += f"{name}{value}\r\n" if value and not _CONTROLS.search(value) else ""
        return (
            f"GET {target} HTTP/1.1\r\nHost: {host_of(url).partition('//')[2]}\r\n{same}{more}\r\n"
        ).encode("utf-8", "replace")


_ACCEPT = re.compile(r"^Accept: .*\r\n", re.MULTILINE)
_END = b"\r\n"  # of a request, behind its last header
_COOKIES = re.compile(rb"^set-cookie2?[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*", re.IGNORECASE | re.MULTILINE)
_CONDITIONS = ("If-None-Match: ", "If-Modified-Since: ")
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f]")  # a site's own words must not end a line of our request


def _refusal(reply: ResponseParser, request: bytes) -> BadResponse | None:
    """Return what is wrong with a status that answers nothing we asked."""
    if reply.status < 200:
        return BadResponse(f"Status {reply.status} is not an answer to a request for a page")
    if reply.status == 304 and not any(f"\r\n{each}".encode() in request for each in _CONDITIONS):
        return BadResponse("Status 304 although nothing was said about an earlier copy")
    return None


def _fetched(
    candidate: Candidate, address: str, request: bytes, reply: ResponseParser, keeps_cookies: bool = True
) -> Fetched:
    """Put the body to its head, and say what is wrong with it; our cookies stay out of it."""
    body = reply.body
    assert body is not None
    broken = "" if reply.ended or body.full or not reply.broke_off else "The response broke off in the middle"
    cut = "it is longer than we read" if body.full or not reply.ended else ""
    partial = "only a part was sent" if reply.status == 206 else ""
    flaw = broken or body.flaw or cut or partial
    data = bytes(body.data)
    raw_body = bytes(body.raw_body) if body.is_coded else data
    fetched = Fetched(
        candidate,
        candidate.url,
        reply.status,
        reply.headers,
        data,
        reply.at,
        bool(flaw),
        flaw,
        request=request,
        head=reply.head if keeps_cookies else _COOKIES.sub(b"", reply.head),
        raw_body=raw_body,
        address=address,
    )
    if broken:
        raise IncompleteResponse(broken, fetched)
    return fetched
