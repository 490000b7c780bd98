"""One request and its response, under limits of time, size, headers and rate; redirects are not followed."""

import ssl
import time
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import lru_cache

import aiohttp
from aiohttp.abc import AbstractResolver
from msgspec import Struct
from msgspec.structs import replace
from multidict import CIMultiDict
from yarl import URL

from thresher.core.errors import (
    BadResponse,
    GuardRefused,
    IncompleteResponse,
    NameUnresolved,
    Stalled,
    TooSlow,
)
from thresher.core.records import Candidate, Fetched, Headers, Url
from thresher.core.url import host_of, hostname_of
from thresher.web.agent import user_agent
from thresher.web.bounded import Bounded
from thresher.web.cookies import CookieJar
from thresher.web.decode import Body
from thresher.web.failures import WIRE_ERRORS, broke_off, named
from thresher.web.guard import Guard, GuardedResolver, is_literal, port_of
from thresher.web.slots import Slots
from thresher.web.wire import Connector

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5"
ACCEPT_ENCODING = "gzip, deflate, br, zstd"
HOSTS = 20_000


class Limits(Struct, frozen=True):
    """What one response may cost us."""

    total: float = 60.0  # seconds from the request to the last byte
    connect: float = 10.0  # seconds until a connection stands
    idle: float = 20.0  # seconds of silence
    max_bytes: int = 8 << 20  # of the body, received as well as decoded
    max_ratio: float = 100.0  # decoded to received, beyond the first mebibyte
    max_headers: int = 256
    max_header_bytes: int = 64 << 10  # of one header
    min_rate: float = 50.0  # bytes a second of a body that takes longer than `idle`


class Validators(Struct, frozen=True):
    """What makes a request conditional: send the page only if it changed since."""

    etag: str = ""
    last_modified: str = ""


class Exchange:
    """Asks once. At most `per_host` requests to a host and `per_address` to an address are under way."""

    def __init__(
        self,
        guard: Guard,
        *,
        agent: str = "",
        limits: Limits = Limits(),
        proxy: str = "",
        credentials: Mapping[str, str] | None = None,
        cookies: CookieJar | None = None,
        validators: Callable[[Url], Validators | None] = lambda url: None,
        per_host: int = 1,
        per_address: int = 4,
        resolver: AbstractResolver | None = None,
        trust: str = "",
    ) -> None:
        self._guard, self._limits, self._proxy = guard, limits, proxy
        self._agent = agent or user_agent()
        self._credentials = dict(credentials or {})
        self._cookies, self._validators = cookies, validators
        self._hosts, self._addresses = Slots(per_host), Slots(per_address)
        self._resolver_behind, self._trust = resolver, trust
        self._vouched: Bounded[str, bool] = Bounded(HOSTS)  # hosts whose very spelling is not refused
        self._resolver: GuardedResolver | None = None
        self._session: aiohttp.ClientSession | None = None

    async def ask(self, candidate: Candidate, max_bytes: int = 0) -> Fetched:
        """Return the response, whatever its status; raise FetchError when there is none."""
        host = host_of(candidate.url)
        if self._vouched.get(host) is None:
            self._guard.vet(candidate.url)
            target_of(candidate.url)
            self._vouched.put(host, True)
        async with self._hosts.held(host):
            address = await self._address(candidate.url)
            async with self._addresses.held(address):
                try:
                    return await self._ask(candidate, address, max_bytes or self._limits.max_bytes)
                except WIRE_ERRORS as error:
                    raise named(error) from error

    async def close(self) -> None:
        """Let go of every connection."""
        if self._session is not None:
            await self._session.close()
        if self._resolver is not None:
            await self._resolver.close()

    async def _address(self, url: Url) -> str:
        """Return the address a URL is asked at, vetted; behind a proxy the name may be known there only."""
        host = hostname_of(url)
        if is_literal(host):
            return host
        try:
            return (await self._vetted().resolve(host, port_of(url)))[0]["host"]
        except NameUnresolved:
            if not self._proxy:
                raise
            return host

    def _vetted(self) -> GuardedResolver:
        if self._resolver is None:  # needs a running loop
            self._resolver = GuardedResolver(self._guard, self._resolver_behind)
        return self._resolver

    def _connections(self) -> aiohttp.ClientSession:
        if self._session is None:
            limits = self._limits
            self._session = aiohttp.ClientSession(
                connector=Connector(
                    limit=0,
                    use_dns_cache=False,
                    resolver=self._vetted(),
                    socket_factory=self._guard.socket,
                    ssl=self._certificates(),
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                trust_env=False,
                timeout=aiohttp.ClientTimeout(limits.total, None, limits.idle, limits.connect),
                max_line_size=limits.max_header_bytes,
                max_field_size=limits.max_header_bytes,
                max_headers=limits.max_headers,
            )
            # A dead kept-alive connection is our retry table's business: asking again at once may be
            # the second request a server sees within a moment.
            self._session._retry_connection = False
        return self._session

    def _certificates(self) -> ssl.SSLContext | bool:
        """Return whom https trusts: the system's authorities (True), and those the user names."""
        if not self._trust:
            return True
        context = ssl.create_default_context()
        context.load_verify_locations(self._trust)
        return context

    async def _ask(self, candidate: Candidate, address: str, max_bytes: int) -> Fetched:
        url = candidate.url
        headers = self._headers(url)
        async with self._connections().get(
            URL(url, encoded=True), headers=headers, allow_redirects=False, proxy=self._proxy or None
        ) as response:
            fetched = Fetched(
                candidate,
                url,
                response.status,
                _headers_of(response),
                fetched_at=time.time(),
                request=_request_bytes(response),
                head=_head_bytes(response),
                address=address,
            )
            self._expect(fetched, headers)
            if self._cookies is not None:
                self._cookies.learn(url, response.headers.getall("set-cookie", ()), fetched.fetched_at)
            return await self._read(response, fetched, max_bytes)

    def _headers(self, url: Url) -> CIMultiDict[str]:
        headers = CIMultiDict(
            {"User-Agent": self._agent, "Accept": ACCEPT, "Accept-Encoding": ACCEPT_ENCODING}
        )
        if secret := self._credentials.get(host_of(url)):
            headers["Authorization"] = f"Basic {b64encode(secret.encode()).decode()}"
        if self._cookies is not None and (cookies := self._cookies.header(url)):
            headers["Cookie"] = cookies
        if known := self._validators(url):
            if known.etag:
                headers["If-None-Match"] = known.etag
            if known.last_modified:
                headers["If-Modified-Since"] = known.last_modified
        return headers

    def _expect(self, fetched: Fetched, sent: CIMultiDict[str]) -> None:
        """Refuse statuses that answer nothing we asked."""
        if fetched.status < 200:
            raise BadResponse(f"Status {fetched.status} is not an answer to a request for a page")
        if fetched.status == 304 and "If-None-Match" not in sent and "If-Modified-Since" not in sent:
            raise BadResponse("Status 304 although nothing was said about an earlier copy")

    async def _read(self, response: aiohttp.ClientResponse, fetched: Fetched, max_bytes: int) -> Fetched:
        """Read the body piece by piece, until it ends, is full, is too slow or breaks off."""
        body = Body(fetched.header("content-encoding"), max_bytes, self._limits.max_ratio)
        begun, sentence = time.monotonic(), ""
        try:
            while not body.full and body.received < max_bytes and (chunk := await response.content.readany()):
                body.feed(chunk)
                self._hurry(body.received, time.monotonic() - begun)
            if not body.full and response.content.at_eof():
                body.finish()
        except aiohttp.ServerTimeoutError:
            raise Stalled(f"Nothing more came for {self._limits.idle:g} seconds") from None
        except aiohttp.ClientPayloadError as error:
            if not broke_off(error):
                raise
            body.finish()
            sentence = "The response broke off in the middle"
        return _complete(fetched, body, sentence, response.content.at_eof())

    def _hurry(self, received: int, seconds: float) -> None:
        if seconds > self._limits.idle and received < self._limits.min_rate * seconds:
            raise TooSlow(
                f"{received:,} bytes in {seconds:.0f} seconds; the slowest we wait for is "
                f"{self._limits.min_rate:g} bytes a second"
            )


def _complete(fetched: Fetched, body: Body, broken: str, ended: bool) -> Fetched:
    """Put the body to its head, and say what is wrong with it."""
    data = bytes(body.data)
    cut = "it is longer than we read" if body.full or not ended else ""
    partial = "only a part was sent" if fetched.status == 206 else ""
    flaw = broken or body.flaw or cut or partial
    done = replace(
        fetched,
        body=data,
        wire=bytes(body.wire) or data,
        truncated=bool(flaw),
        flaw=flaw,
    )
    if broken:
        raise IncompleteResponse(broken, done)
    return done


def target_of(url: Url) -> URL:
    """Return the URL for the connector, which must mean the same host as ours."""
    target = URL(url, encoded=True)
    if (target.raw_host or "").lower() != hostname_of(url) or target.port != port_of(url):
        raise GuardRefused(f"{url} means different hosts to different programs")
    return target


def _headers_of(response: aiohttp.ClientResponse) -> Headers:
    return tuple([(_name(name), _text(value)) for name, value in response.raw_headers])


@lru_cache(maxsize=4096)
def _name(raw: bytes) -> str:
    return _text(raw).lower()


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _request_bytes(response: aiohttp.ClientResponse) -> bytes:
    lines = [f"GET {response.request_info.url.raw_path_qs} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in response.request_info.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace")


def _head_bytes(response: aiohttp.ClientResponse) -> bytes:
    version = response.version or (1, 1)
    line = f"HTTP/{version[0]}.{version[1]} {response.status} {response.reason or ''}"
    fields = b"".join(b"%b: %b\r\n" % pair for pair in response.raw_headers)
    return line.encode("utf-8", "replace") + b"\r\n" + fields + b"\r\n"
