"""Which pages are expanded: every strategy gets the same rules about duplicates and authors' wishes.

A page is always kept and the strategy always learns from it; only the links it offers may be dropped.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from thresher.core.protocols import Memory, Strategy
from thresher.core.records import Candidate, Detail, Outcome, Page, Url, Visit, Want
from thresher.core.url import key_of, same_domain
from thresher.gate.duplicates import Texts
from thresher.gate.traps import Traps, Worth

SIMILAR = 12  # bits of 64 in which a page may differ from the one it names as its canonical form
REMEMBERED = 100_000  # pages of which it is known what they look like, or that they are not expanded


@dataclass
class PageRules:
    """The strategy behind it, whose offers from a page that is not expanded are dropped and counted.

    What each visit was worth goes on to the traps, which price its URL pattern by it.
    """

    inner: Strategy
    traps: Traps = field(default_factory=Traps)
    threshold: float = 1.0  # a page of that relevance was worth its request, however short
    obey_nofollow: bool = True
    max_redirects: int = 10
    refused: Counter[str] = field(default_factory=Counter)
    _texts: Texts = field(default_factory=Texts)
    _simhashes: dict[int, int] = field(default_factory=dict)
    _closed: dict[int, str] = field(default_factory=dict)  # pages that are not expanded, and why

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Ask for the first candidates."""
        return self.inner.start(seeds)

    def more(self, memory: Memory) -> Iterable[Candidate]:
        """Ask for further candidates until some are no links of pages that are not expanded."""
        while offers := list(self.inner.more(memory)):
            if allowed := self._allowed(offers):
                return allowed
        return []

    def learn(self, visit: Visit, memory: Memory) -> list[Candidate]:
        """Let the strategy learn, and return what it offers where the page may be expanded."""
        offers = list(self.inner.learn(visit, memory))
        page, candidate = visit.page, visit.candidate
        if candidate.want is not Want.PAGE or candidate.not_before:
            return offers  # no page, or one that was here before and is its own duplicate
        if page is None or visit.outcome is not Outcome.FETCHED:
            self.traps.learn(candidate.url, _worth_of_failure(visit), (), visit.at)
            return offers
        return self._judged(visit, page, offers)

    def _judged(self, visit: Visit, page: Page, offers: list[Candidate]) -> list[Candidate]:
        known = self._texts.knows(page)
        reason = self._why_not_expanded(page, known)
        self.traps.learn(page.url, self._worth(visit, page, known), offers, visit.at, expanded=not reason)
        self._remember(page)
        if reason:
            self._closed[key_of(page.url)] = reason
            if len(self._closed) > REMEMBERED:
                del self._closed[next(iter(self._closed))]
        return [*self._allowed(offers), *self._canonical(visit.candidate, page)]

    def _allowed(self, offers: list[Candidate]) -> list[Candidate]:
        """Return the offers but for links of pages that are not expanded, which are counted."""
        sources = {offer.via.source for offer in offers if offer.via} if self._closed else ()
        closed = {url: reason for url in sources if (reason := self._closed.get(key_of(url)))}
        if not closed:
            return offers
        kept = []
        for offer in offers:
            if offer.via and (why := closed.get(offer.via.source)):
                self.refused[why] += 1
            else:
                kept.append(offer)
        return kept

    def _why_not_expanded(self, page: Page, known: bool) -> str:
        if page.nofollow and self.obey_nofollow:
            return "on a nofollow page"
        if known and 2 * len(page.main) >= len(page.text):  # else it may be a list under a standing text
            return "on a near-duplicate"
        return "on a copy of its canonical page" if self._is_copy(page) else ""

    def _is_copy(self, page: Page) -> bool:
        """Tell whether the page that this one names as its canonical form was read, and is like it."""
        if page.canonical is None or key_of(page.canonical) == key_of(page.url):
            return False
        other = self._simhashes.get(key_of(page.canonical))
        return other is not None and (other ^ page.fingerprint.simhash).bit_count() <= SIMILAR

    def _worth(self, visit: Visit, page: Page, known: bool) -> Worth:
        if known:
            return Worth.STALE
        if page.noindex and not page.text:
            return Worth.NEUTRAL  # we do not know what it said
        fresh = self._texts.is_news(page) or visit.relevance >= self.threshold
        return Worth.FRESH if fresh else Worth.STALE

    def _remember(self, page: Page) -> None:
        self._texts.add(page)
        self._simhashes[key_of(page.url)] = page.fingerprint.simhash
        if len(self._simhashes) > REMEMBERED:
            del self._simhashes[next(iter(self._simhashes))]

    def _canonical(self, candidate: Candidate, page: Page) -> list[Candidate]:
        """Return the canonical form of a page as what it is, the page's redirect without a redirect."""
        target = page.canonical
        if target is None or target == page.url or candidate.redirects >= self.max_redirects:
            return []
        if not same_domain(target, page.url):
            return []  # who may speak for another site is not ours to decide
        return [replace(candidate, url=target, redirects=candidate.redirects + 1)]


def _worth_of_failure(visit: Visit) -> Worth:
    if visit.detail is Detail.SOFT_404:
        return Worth.STALE
    return Worth.FAILED if visit.outcome in (Outcome.GONE, Outcome.FAILED) else Worth.NEUTRAL
