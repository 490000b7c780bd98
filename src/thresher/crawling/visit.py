"""A candidate becomes exactly one visit, whatever the web, the parser or the judge may raise."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from thresher.core import points
from thresher.core.doors import Clock, Judge, Web
from thresher.core.errors import FetchError, InvalidUrl, ReaderFailed
from thresher.core.records import Candidate, Fetched, Outcome, Page, Visit
from thresher.core.url import join
from thresher.crawling.readers import Readers

log = logging.getLogger(__name__)

MOVED = frozenset({301, 302, 303, 307, 308})
FORBIDDEN = frozenset({401, 403, 407, 451})
GONE = frozenset({404, 410})


@dataclass
class Visitor:
    """Everything one visit needs: a web to ask, a parser, a judge and the time."""

    web: Web
    parse: Callable[[Fetched], Page]
    judge: Judge
    clock: Clock
    max_redirects: int = 10
    readers: Readers | None = None  # processes that parse and judge; without them it is done here

    review: Callable[[Visit], Visit] = lambda visit: visit  # a second look before it is kept

    async def visit(self, candidate: Candidate) -> Visit:
        """Return the one visit of a candidate; nothing but a cancellation escapes."""
        try:
            fetched = await self.web.get(candidate)
            points.reached(points.AFTER_FETCH)
            return self.review(await self._conclude(fetched))
        except FetchError as error:
            reason = str(error) or type(error).__name__
            return Visit(candidate, error.outcome, self.clock.now(), reason=reason, rest=error.rest)
        except Exception as error:
            log.exception("visit of %s failed", candidate.url)
            return Visit(candidate, Outcome.FAILED, self.clock.now(), reason=f"our own fault: {error!r}")

    async def _conclude(self, fetched: Fetched) -> Visit:
        """Read the verdict off the status, and the page off a success."""
        visit = Visit(
            fetched.candidate,
            outcome_of(fetched.status),
            fetched.fetched_at,
            status=fetched.status,
            size=len(fetched.body),
            reason=fetched.flaw if fetched.status == 200 else f"status {fetched.status}",
            rest=fetched.rest,
            fetched=fetched if fetched.head else None,
        )
        if visit.outcome is Outcome.MOVED:
            return self._redirect(visit, fetched.header("location"))
        return await self._read(visit, fetched) if visit.outcome is Outcome.FETCHED else visit

    def _redirect(self, visit: Visit, location: str) -> Visit:
        """End with MOVED and name the next request, which robots, guard and politeness see anew."""
        candidate = visit.candidate
        if candidate.redirects >= self.max_redirects:
            return msgspec.structs.replace(visit, outcome=Outcome.TRAPPED, reason="too many redirects")
        try:
            target = join(candidate.url, location)
        except InvalidUrl as error:
            return msgspec.structs.replace(
                visit, outcome=Outcome.FAILED, reason=f"redirect to nowhere: {error}"
            )
        onward = msgspec.structs.replace(candidate, url=target, redirects=candidate.redirects + 1)
        return msgspec.structs.replace(visit, onward=onward, reason=f"moved to {target}")

    async def _read(self, visit: Visit, fetched: Fetched) -> Visit:
        """Parse and judge; a page that breaks the parser is a failed visit with the reason."""
        try:
            page, relevance = await self.readers.read(fetched) if self.readers else self._read_here(fetched)
            return msgspec.structs.replace(visit, page=page, relevance=relevance)
        except ReaderFailed as error:
            reason = f"not parsed: {error}"
        except Exception as error:
            log.exception("%s could not be parsed", fetched.url)
            reason = f"not parsed: {error!r}"
        return msgspec.structs.replace(visit, outcome=Outcome.FAILED, reason=reason)

    def _read_here(self, fetched: Fetched) -> tuple[Page, float]:
        page = self.parse(fetched)
        return page, self.judge.score(page)


def outcome_of(status: int) -> Outcome:
    """Return the outcome an HTTP status stands for."""
    if 200 <= status < 300:
        return Outcome.FETCHED
    if status in MOVED:
        return Outcome.MOVED
    if status == 304:
        return Outcome.UNCHANGED
    if status in FORBIDDEN:
        return Outcome.FORBIDDEN
    return Outcome.GONE if status in GONE else Outcome.FAILED
