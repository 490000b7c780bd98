"""What one exchange may cost, how long a slow host rests, and what is asked again."""

import asyncio
import os
import re
import ssl
import time
from asyncio import Semaphore
from calendar import timegm
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from email.utils import parsedate_tz

from msgspec import Struct
from msgspec.structs import replace

from thresher.core.caches import LruDict
from thresher.core.errors import (
    CertificateRefused,
    FetchError,
    GuardRefused,
    HostUnreachable,
    IncompleteResponse,
    NameUnresolved,
    Stalled,
    TimedOut,
    TooSlow,
)
from thresher.core.records import Fetched
from thresher.fetch.guard import Blocked

# Limits


class ResponseLimits(Struct, frozen=True):
    """What one response may cost us."""

    total: float = 60.0  # seconds from the request to the last byte
    connect: float = 10.0  # seconds until a connection stands
    idle: float = 20.0  # seconds of silence
    max_bytes: int = 8 << 20  # of the body, received as well as decoded
    max_ratio: float = 100.0  # decoded to received, beyond the first mebibyte
    max_headers: int = 256
    max_header_bytes: int = 64 << 10  # of one header
    min_rate: float = 50.0  # bytes a second of a body that takes longer than `idle`


def named(error: OSError) -> FetchError:
    """Return our error for one of the system's that kept a connection from being made."""
    if isinstance(error, Blocked):
        return GuardRefused(str(error))
    if isinstance(error, ssl.SSLError):
        return _without_tls(error) or CertificateRefused(
            f"https cannot be trusted: {getattr(error, 'verify_message', '') or error.reason or error}"
        )
    if isinstance(error, TimeoutError):
        return HostUnreachable("No connection in time")
    known = error.errno if error.errno and error.errno > 0 else 0  # below it are those of name lookup
    reason = os.strerror(known) if known else error.strerror or str(error)
    return HostUnreachable(f"Cannot connect: {reason or type(error).__name__}")


def _without_tls(error: ssl.SSLError) -> FetchError | None:
    """Return our error for a server with which no TLS of our time can be spoken, whatever its certificate."""
    reason = error.reason or ""
    if any(old in reason for old in _OLD_TLS):
        return CertificateRefused("It speaks only TLS 1.0 or 1.1, which are no longer safe")
    if any(no in reason for no in _NO_TLS):
        return CertificateRefused("It does not speak TLS, though its address says https")
    return None


_OLD_TLS = ("PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL")  # what OpenSSL calls them
_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG")


class Slots:
    """At most `limit` holders per name at any moment; names without holders are forgotten."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._semaphores: dict[str, Semaphore] = {}
        self._users: dict[str, int] = {}  # who hold a slot or wait for one

    def held(self, name: str) -> "Slot":
        """Return what waits for a slot of this name, and holds it, in an `async with`."""
        return Slot(self, name)

    async def take(self, name: str) -> None:
        """Wait for a slot of this name."""
        semaphore = self._semaphores.get(name) or self._semaphores.setdefault(name, Semaphore(self._limit))
        self._users[name] = self._users.get(name, 0) + 1
        try:
            await semaphore.acquire()
        except BaseException:  # a cancelled waiter holds nothing
            self._leave(name)
            raise

    def give_back(self, name: str) -> None:
        """Let go of a slot of this name."""
        self._semaphores[name].release()
        self._leave(name)

    def _leave(self, name: str) -> None:
        self._users[name] -= 1
        if not self._users[name]:
            del self._users[name], self._semaphores[name]


class Slot:
    """One slot, held for as long as its `async with` lasts."""

    __slots__ = ("_name", "_slots")

    def __init__(self, slots: Slots, name: str) -> None:
        self._slots, self._name = slots, name

    async def __aenter__(self) -> None:
        await self._slots.take(self._name)

    async def __aexit__(self, *error: object) -> None:
        self._slots.give_back(self._name)


# A longer rest for slow hosts: as long as their answers usually take (as Scrapy's AutoThrottle)


HOSTS = 20_000  # of which it is remembered how long they take
LONGEST = 60.0  # seconds, however slow a host is


@dataclass
class Throttle:
    """How long each host usually takes; an answer counts as much as all before it."""

    delay: float  # a host that answers within the usual rest needs no longer one; 0: no rests
    now: Callable[[], float] = time.monotonic
    _usual: LruDict[str, float] = field(default_factory=lambda: LruDict(HOSTS))

    async def timed(self, host: str, ask: Callable[[], Awaitable[Fetched]]) -> Fetched:
        """Ask once, and note how long the answer took."""
        begun = self.now()
        fetched = await ask()
        self.note(host, self.now() - begun, fetched.status == 200)
        return fetched

    def note(self, host: str, seconds: float, went_well: bool = True) -> None:
        """Note how long an answer took; one that says no in a moment does not make its host a quick one."""
        before = self._usual.get(host)
        usual = seconds if before is None else (before + seconds) / 2
        if before is None or usual > before or went_well:
            self._usual.put(host, usual)

    def rest(self, host: str) -> float:
        """Return how long a host should rest because it is slow, or 0."""
        usual = self._usual.get(host) or 0.0
        return min(usual, LONGEST) if usual > self.delay > 0 else 0.0


# Asking again: what is worth it, how often, and how long to wait.
#
# A try that ends in trouble is repeated while its host is still ours, with growing waits or the one the host
# asks for. A wait longer than our patience is not waited for: the visit ends, and the host is left alone.


class ServerError(Exception):
    """An answer that says: not now. Only a key of the table below."""


RETRY: dict[type[Exception], int] = {
    ServerError: 2,
    HostUnreachable: 2,
    NameUnresolved: 0,
    CertificateRefused: 0,
    TimedOut: 1,
    TooSlow: 0,
    Stalled: 0,
    IncompleteResponse: 1,
}
"""How many more times we ask, by what went wrong; the nearest class counts."""

NOT_NOW = frozenset({408, 425, 429, *range(500, 600)})
OVERLOADED = frozenset({429, 503})
FAILING_HOSTS = 20_000
HOPELESS = 10  # visits to a host in a row that failed every try: from then on one try must do


class Backoff(Struct, frozen=True):
    """How long a host is left alone, in seconds."""

    backoff: float = 4.0  # before the second try; doubles for each further one
    after_timeout: float = 60.0  # since a request met with silence: the host may still be busy with it
    patience: float = 120.0  # the most one visit waits in all
    longest_rest: float = 3600.0  # the most a host gets of what it asks for


class RetryPolicy:
    """Repeats what is worth repeating, except on hosts that have failed visit after visit."""

    def __init__(
        self,
        waits: Backoff,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._waits, self._sleep, self._now = waits, sleep, now
        self._failures: LruDict[str, int] = LruDict(FAILING_HOSTS)  # visits in a row, by host

    async def get(self, host: str, ask: Callable[[], Awaitable[Fetched]], pause: float = 0.0) -> Fetched:
        """Return the best answer that a few tries, at least `pause` seconds apart, can get."""
        waited, tries = 0.0, 0
        while True:
            begun = self._now()
            answer = await _answer(ask)
            trouble = _trouble(answer)
            wait = max(pause, self._wait(answer, tries, self._now() - begun)) if trouble else 0.0
            again = trouble is not None and tries < _more_tries(trouble) and not self._hopeless(host)
            if not again or waited + wait > self._waits.patience:
                return self._end(host, answer, wait, tries + 1)
            await self._sleep(wait)
            waited, tries = waited + wait, tries + 1

    def _hopeless(self, host: str) -> bool:
        return (self._failures.get(host) or 0) >= HOPELESS

    def _wait(self, answer: Fetched | FetchError, tries: int, took: float) -> float:
        """Return how long to leave the host alone: what it asks for, or our own growing wait.

        A host that went silent is left alone until a while after we asked; one that was slow, for a third
        of the time it took.
        """
        own = self._waits.backoff * 2.0**tries
        if isinstance(answer, Fetched):
            asked = retry_after(answer.header("retry-after"), self._now())
            return own if asked is None or asked <= 0 else asked
        if isinstance(answer, TooSlow):
            return max(own, took / 3)
        return max(own, self._waits.after_timeout - took) if isinstance(answer, TimedOut) else own

    def _end(self, host: str, answer: Fetched | FetchError, wait: float, tries: int) -> Fetched:
        """Return or raise the last answer, with the rest the host must have."""
        if isinstance(answer, IncompleteResponse):
            answer = answer.partial
        if isinstance(answer, Fetched):
            self._failures.drop(host)
            rest = min(wait, self._waits.longest_rest)
            return replace(answer, retry_after=rest, tries=tries) if answer.status in OVERLOADED else answer
        answer.tries = tries
        if isinstance(answer, HostUnreachable | TimedOut):
            self._failures.put(host, 1 + (self._failures.get(host) or 0))
            answer.rest = wait
        raise answer


def retry_after(value: str, now: float) -> float | None:
    """Return the seconds that a Retry-After header asks for, by number or HTTP date, or None."""
    value = value.strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value, re.ASCII):
        return float(value)
    if not re.match(r"[A-Za-z]+,? ", value):
        return None
    parsed = parsedate_tz(value)
    if parsed is None:
        return None
    try:
        return max(0.0, timegm((*parsed[:6], 0, 1, 0)) - (parsed[9] or 0) - now)
    except (ValueError, OverflowError):
        return None


async def _answer(ask: Callable[[], Awaitable[Fetched]]) -> Fetched | FetchError:
    try:
        return await ask()
    except FetchError as error:
        return error


def _trouble(answer: Fetched | FetchError) -> type[Exception] | None:
    if isinstance(answer, FetchError):
        return type(answer)
    return ServerError if answer.status in NOT_NOW else None


def _more_tries(trouble: type[Exception]) -> int:
    return next((RETRY[kind] for kind in trouble.__mro__ if kind in RETRY), 0)
