"""Workers over NATS: the address, the client and the transport."""

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from ipaddress import ip_address
from math import inf
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct
from typing_extensions import override

from thresher.cluster.messages import CrawlTransport, Ended, Gone, Hear, HearWorker, WorkerTransport
from thresher.core.errors import ThresherError, UsageError
from thresher.core.optional import EXTRA, library

# The address of a server: where it is, who we are there, and by what fingerprint it is known


PORT, PIN = 4222, "sha256="


class Address(Struct, frozen=True):
    """One engine, as a join line names it: tls://USER:PASSWORD@HOST:PORT#sha256=FINGERPRINT."""

    host: str
    port: int = PORT
    tls: bool = False
    user: str = ""
    password: str = ""
    fingerprint: str = ""

    @property
    def is_here(self) -> bool:
        """Whether what is said to it stays on this machine."""
        with suppress(ValueError):
            return ip_address(self.host).is_loopback
        return self.host == "localhost"

    @property
    def is_private(self) -> bool:
        """Whether the connection cannot be read by others."""
        return self.tls or self.is_here

    @property
    def url(self) -> str:
        """Its address without credentials: for the client, and for people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tls' if self.tls else 'nats'}://{host}:{self.port}"

    @property
    def whole(self) -> str:
        """Everything in one line, for a worker that joins."""
        scheme, _, place = self.url.partition("://")
        who = f"{quote(self.user)}:{quote(self.password)}@" if self.user else ""
        return f"{scheme}://{who}{place}" + (f"#{PIN}{self.fingerprint}" if self.fingerprint else "")


def address_of(text: str) -> Address:
    """Return the engine that an address names, or say what is wrong with it."""
    try:
        parts = urlsplit(text)
        port = parts.port or PORT
    except ValueError:
        raise UsageError(_WRONG) from None
    fingerprint = parts.fragment.removeprefix(PIN)
    if parts.scheme not in ("nats", "tls") or not parts.hostname or parts.path not in ("", "/"):
        raise UsageError(_WRONG)
    if parts.fragment and (not parts.fragment.startswith(PIN) or parts.scheme != "tls"):
        raise UsageError(_WRONG)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Address(parts.hostname, port, parts.scheme == "tls", user, password, fingerprint)


_WRONG = (
    "An engine is named as nats://HOST:PORT or tls://USER:PASSWORD@HOST:PORT; "
    "the crawl prints the whole line that joins it."
)


def refuse_plain(address: Address, insecure: bool, flag: str) -> None:
    """Refuse to speak to another machine so that others can read along, unless that is asked for."""
    if not address.is_private and not insecure:
        raise UsageError(
            f"{address.url} is another machine, and anybody on the way could read along: use tls://, "
            f"or say {flag} if the network between is yours alone."
        )


# The client: connected again for as long as it takes, over TLS with a pinned certificate


log = logging.getLogger(__name__)

FIRST = 5.0  # seconds until the first connection stands
AGAIN = 0.25  # seconds between two attempts to come back
WAITING = 64 << 20  # bytes that may wait for an engine that is away
HELD = 512 << 20  # bytes that may wait for us
INSTALL = f"Workers on other machines need {EXTRA.format('cluster')}."


async def check(address: Address, trust: ssl.SSLContext | None = None) -> None:
    """Connect once and hang up, or say in a sentence why that cannot be done."""
    once = {"allow_reconnect": False, "max_reconnect_attempts": 1}
    trust = trust or await _trust(address)
    client = await _connected(
        address, trust, verbose=True, **once
    )  # it says OK, or why not, before anything else
    await client.close()


async def connect(address: Address, name: str) -> Any:
    """Return a client that comes back whenever the engine does; what is lost meanwhile is asked for again."""
    trust = await _trust(address)
    await check(address, trust)
    made: list[Any] = []

    async def away() -> None:
        if made and not (made[0].is_closed or made[0].is_draining):
            log.warning("The engine at %s does not answer; the crawl continues when it does.", address.url)

    async def back() -> None:
        log.warning("The engine at %s answers again.", address.url)

    client = await _connected(
        address,
        trust,
        name=name,
        max_reconnect_attempts=-1,
        reconnect_time_wait=AGAIN,
        ping_interval=5,
        max_outstanding_pings=2,
        pending_size=WAITING,
        disconnected_cb=away,
        reconnected_cb=back,
    )
    made.append(client)
    return client


async def _connected(address: Address, trust: ssl.SSLContext | None, **options: Any) -> Any:
    nats, errors = (
        library(name, "cluster", "A worker on another machine") for name in ("nats", "nats.errors")
    )

    said: set[str] = set()

    async def quiet(error: Exception) -> None:
        """Say each trouble once: it comes again four times a second while an engine is away."""
        what = str(error) or type(error).__name__
        log.log(logging.DEBUG if what in said else logging.INFO, "%s: %s", address.url, what)
        said.add(what)

    given: dict[str, Any] = {"user": address.user, "password": address.password} if address.user else {}
    if trust:
        given |= {"tls": trust, "tls_handshake_first": True, "tls_hostname": address.host}
    try:
        return await _stands(nats.NATS(), address.url, error_cb=quiet, connect_timeout=2, **given, **options)
    except errors.AuthorizationError:
        raise UsageError(f"{address.url} does not know this user and password: see the join line.") from None
    except (OSError, errors.Error, TimeoutError) as error:
        if "authorization" in str(error).lower():
            raise UsageError(f"{address.url} does not know this user and password.") from None
        raise _unreachable(address, error) from None


def _unreachable(address: Address, error: Exception) -> UsageError:
    """Return the sentence for an engine that cannot be spoken to."""
    if isinstance(error, ssl.SSLError):
        reason = getattr(error, "verify_message", "") or error.reason
        return UsageError(f"{address.url} cannot be trusted ({reason}).")
    return UsageError(
        f"No engine answers at {address.url} ({str(error) or 'no answer in time'}). "
        "Start nats-server there, or let --workers bus start one."
    )


async def _stands(client: Any, url: str, **options: Any) -> Any:
    """Return the client once it is connected; one that is not is let go of."""
    try:
        await asyncio.wait_for(client.connect(url, **options), FIRST)
        return client
    except BaseException:
        with suppress(Exception):
            await client.close()
        raise


async def _trust(address: Address) -> ssl.SSLContext | None:
    """Return the trusted certificates: the system's authorities, or the one of the fingerprint."""
    if not address.tls:
        return None
    logging.getLogger("asyncio").addFilter(_is_no_riddle)
    if not address.fingerprint:
        return ssl.create_default_context()
    place = (address.host, address.port)
    try:
        asked = asyncio.to_thread(ssl.get_server_certificate, place, timeout=FIRST)
        pem = await asyncio.wait_for(asked, FIRST)
    except (OSError, TimeoutError) as error:
        raise _unreachable(address, error) from None
    if not compare_digest(fingerprint_of(pem), address.fingerprint.lower()):
        raise UsageError(f"{address.url} shows another certificate than the join line says: do not join it.")
    context = ssl.create_default_context(cadata=pem)
    context.check_hostname = False  # it is known by its fingerprint, wherever it is
    return context


def _is_no_riddle(record: logging.LogRecord) -> bool:
    """Tell a message apart from the one that Python has for every stream over TLS, and that says nothing."""
    return "eof_received()" not in record.getMessage()


def fingerprint_of(pem: str) -> str:
    """Return the SHA-256 of a certificate."""
    return sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()


# The transport over NATS: subjects of a plain bus that keeps nothing, and nothing needs to be kept.
#
# thresher.CRAWL.from.USER.PROCESS      what a worker says; the engine lets its user alone say it
# thresher.CRAWL.worker.USER.PROCESS    what is meant for one worker; its user alone may hear it
# thresher.CRAWL.workers                calls to all


LAST_WORDS = 2.0  # seconds for what was said before hanging up
PATIENCE = 600.0  # seconds a worker waits for an engine that went away
LOOK = 0.25  # seconds between two checks of whether it is there
AWAY = "The engine has not answered for {:g} s. Start it, then this worker again."
CLOSED = "The engine rejects our credentials: was the password changed? Start again with the new one."

Connect = Callable[[], Awaitable[Any]]
"""Connects to an engine and returns its client, whose library ships with an extra."""


@dataclass
class _Line:
    """A connection, with what is to be said in its order."""

    connect: Connect
    _client: Any = None
    _queue: "asyncio.Queue[tuple[str, bytes]]" = field(default_factory=asyncio.Queue)
    _carrying: "asyncio.Task[None] | None" = None
    _watching: "asyncio.Task[None] | None" = None

    async def open(self, gone: Ended, patience: float = inf) -> None:
        """Connect; `gone` is told when the engine does not come back in time, or takes us no more."""
        self._client = await self.connect()
        self._carrying = asyncio.create_task(self._carry())
        self._watching = asyncio.create_task(self._watch(gone, patience))

    @property
    def most(self) -> int:
        return int(self._client.max_payload)

    async def hear(self, subject: str, hear: HearWorker) -> Any:
        """Hear messages, each with the last two words of its subject: from or for which worker it is."""

        async def each(message: Any) -> None:
            hear(".".join(message.subject.rsplit(".", 2)[-2:]), message.data)

        return await self._client.subscribe(subject, cb=each, pending_bytes_limit=HELD)

    def say(self, subject: str, message: bytes) -> None:
        self._queue.put_nowait((subject, message))

    async def sent(self) -> None:
        """Return when the engine has heard of our subscriptions."""
        if self._client:
            with suppress(Exception):
                await self._client.flush(2)

    async def close(self) -> None:
        if self._watching:
            self._watching.cancel()
        if self._carrying:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._queue.join(), LAST_WORDS)
            self._carrying.cancel()
        if self._client:
            await _tried(self._client.drain)
            await _tried(self._client.close)

    async def _carry(self) -> None:
        while True:
            subject, message = await self._queue.get()
            try:
                await self._client.publish(subject, message)
            except Exception as error:  # of an engine that is away; the lists of beats and leases heal it
                log.info("Not said: %r", error)
            self._queue.task_done()

    async def _watch(self, gone: Ended, patience: float) -> None:
        loop = asyncio.get_running_loop()
        seen = loop.time()
        while not self._client.is_closed and loop.time() - seen <= patience:
            await asyncio.sleep(LOOK)
            seen = loop.time() if self._client.is_connected else seen
        gone(UsageError(CLOSED if self._client.is_closed else AWAY.format(patience)))


async def _tried(say: Callable[[], Awaitable[None]]) -> None:
    """Say good-bye, but not for long: the client waits long for an engine that is gone."""
    saying = asyncio.ensure_future(say())
    await asyncio.wait({saying}, timeout=LAST_WORDS)
    saying.cancel()
    saying.add_done_callback(lambda done: done.cancelled() or done.exception())


@dataclass
class NatsCrawlTransport(CrawlTransport):
    """The crawl's end."""

    connect: Connect
    crawl: str
    described: str
    failure: ThresherError | None = None

    @override
    async def open(self, hear: HearWorker, gone: Gone) -> None:
        """Connect, and begin to hear workers."""
        self._line = _Line(self.connect)
        await self._line.open(self._closed)
        await self._line.hear(f"thresher.{self.crawl}.from.*.*", hear)

    def _closed(self, why: ThresherError | None) -> None:
        """Know that the engine takes us no more; one that is merely away is waited for."""
        self.failure = why

    @override
    def say(self, worker: str, message: bytes) -> None:
        self._line.say(f"thresher.{self.crawl}.worker.{worker}", message)

    @override
    def call(self, message: bytes) -> None:
        if hasattr(self, "_line"):
            self._line.say(f"thresher.{self.crawl}.workers", message)

    @override
    def lost(self, worker: str) -> None:
        """Do nothing: its lease has run out, and its machine is its owner's."""

    @override
    async def close(self) -> None:
        if hasattr(self, "_line"):
            await self._line.close()

    def __str__(self) -> str:
        return self.described


@dataclass
class NatsWorkerTransport(WorkerTransport):
    """A worker's end; it hears calls of every crawl, or of one."""

    connect: Connect
    name: str
    crawl: str = ""
    patience: float = PATIENCE
    _joined: Any = None

    @property
    @override
    def most(self) -> int:
        return self._line.most

    @override
    async def open(self, hear: Hear, gone: Ended) -> None:
        """Connect, and begin to hear calls; an engine that is gone for good is told of."""
        self._hear, self._subject = lambda _, message: hear(message), ""
        self._line = _Line(self.connect)
        await self._line.open(gone, self.patience)
        await self._line.hear(f"thresher.{self.crawl or '*'}.workers", self._hear)
        await self._line.sent()

    @override
    async def join(self, crawl: str) -> None:
        """Hear what that crawl says to this worker, and speak to it."""
        if self._joined:
            with suppress(Exception):
                await self._joined.unsubscribe()
        self._joined = await self._line.hear(f"thresher.{crawl}.worker.{self.name}", self._hear)
        await self._line.sent()
        self._subject = f"thresher.{crawl}.from.{self.name}"

    @override
    def say(self, message: bytes) -> None:
        if self._subject:
            self._line.say(self._subject, message)

    @override
    async def close(self) -> None:
        if hasattr(self, "_line"):
            await self._line.close()
