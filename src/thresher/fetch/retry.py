"""Asking again: what is worth it, how often, and how long to wait.

A try that ends in trouble is repeated while its host is still ours, with growing waits or the one the host
asks for. A wait longer than our patience is not waited for: the visit ends, and the host is left alone.
"""

import asyncio
import re
import time
from calendar import timegm
from collections.abc import Awaitable, Callable
from email.utils import parsedate_tz

from msgspec import Struct
from msgspec.structs import replace

from thresher.core.caches import Bounded
from thresher.core.errors import (
    CertificateRefused,
    FetchError,
    HostUnreachable,
    IncompleteResponse,
    NameUnresolved,
    Stalled,
    TimedOut,
    TooSlow,
)
from thresher.core.records import Fetched


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


class Waits(Struct, frozen=True):
    """How long a host is left alone, in seconds."""

    backoff: float = 4.0  # before the second try; doubles for each further one
    after_timeout: float = 60.0  # since a request met with silence: the host may still be busy with it
    patience: float = 120.0  # the most one visit waits in all
    longest_rest: float = 3600.0  # the most a host gets of what it asks for


class Persistence:
    """Repeats what is worth repeating, except on hosts that have failed visit after visit."""

    def __init__(
        self,
        waits: Waits,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._waits, self._sleep, self._now = waits, sleep, now
        self._failures: Bounded[str, int] = Bounded(FAILING_HOSTS)  # visits in a row, by host

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
                return self._end(host, answer, wait)
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

    def _end(self, host: str, answer: Fetched | FetchError, wait: float) -> Fetched:
        """Return or raise the last answer, with the rest the host must have."""
        if isinstance(answer, IncompleteResponse):
            answer = answer.partial
        if isinstance(answer, Fetched):
            self._failures.drop(host)
            rest = min(wait, self._waits.longest_rest)
            return replace(answer, rest=rest) if answer.status in OVERLOADED else answer
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
