"""Which pages are expanded: none that says what was read before, none whose author asks us not to."""

from dataclasses import dataclass, field
from typing import TypeVar

from thresher.core.enums import Detail, Outcome, Refusal, Request
from thresher.core.records import Page, Url, Visit
from thresher.core.url import key_of
from thresher.gate.duplicates import Texts
from thresher.gate.sighting import Sighting, Worth

T = TypeVar("T")

INDEXES = ("index.html", "index.htm")  # what a server gives out for a folder
SIMILAR = 12  # bits of 64 in which a page may differ from the one it names as its canonical form
REMEMBERED = 100_000  # pages of which it is known what they look like, or that they are not expanded


@dataclass
class PageRules:
    """The verdicts on pages, and what they rest on: texts that were read, and what pages look like."""

    threshold: float = 1.0  # a page of that relevance was worth its request, however short
    obey_nofollow: bool = True
    language: str = ""  # of the pages that are expanded; empty: any
    closed: dict[int, Refusal] = field(default_factory=dict)  # pages that are not expanded, by their keys
    _texts: Texts = field(default_factory=Texts)
    _simhashes: dict[int, int] = field(default_factory=dict)

    def see(self, visit: Visit) -> Sighting:
        """Return what a visit was worth, and whether the page it brought is expanded."""
        page, counts = visit.page, visit.candidate.kind is not Request.SEED
        if page is None or visit.outcome is not Outcome.FETCHED:
            return Sighting(visit.candidate.url, visit.at, _worth_of_failure(visit), counts=counts)
        known = self._texts.knows(page)
        return Sighting(
            page.url,
            visit.at,
            self._worth(visit, page, known),
            self._texts.of(page),
            page.fingerprint.simhash,
            self._why_not_expanded(page, known),
            counts,
        )

    def look_again(self, visit: Visit) -> Sighting | None:
        """Return whether a known page is expanded if its author has changed his mind; it is no duplicate."""
        if visit.page is None or not self.obey_nofollow:
            return None
        before = self.closed.get(key_of(visit.page.url))
        now = Refusal.NOFOLLOW_PAGE if visit.page.nofollow else None
        if before is now or before not in (None, Refusal.NOFOLLOW_PAGE):
            return None
        return Sighting(visit.page.url, visit.at, Worth.NEUTRAL, closed=now, counts=False)

    def has_read_otherwise(self, url: Url) -> bool:
        """Tell whether the page of a folder was read under another of its names: `/` and `/index.html`."""
        return any(key_of(other) in self._simhashes for other in other_names(url))

    def remember(self, sighting: Sighting) -> None:
        """Take note of a page: what it says, what it looks like, and whether it is expanded."""
        key = key_of(sighting.url)
        if sighting.text is not None:
            self._texts.add(sighting.text)
            _keep(self._simhashes, key, sighting.simhash)
        if sighting.closed:
            _keep(self.closed, key, sighting.closed)
        elif sighting.text is None:
            self.closed.pop(key, None)

    def _why_not_expanded(self, page: Page, known: bool) -> Refusal | None:
        if page.nofollow and self.obey_nofollow:
            return Refusal.NOFOLLOW_PAGE
        if self.language and page.language not in ("", self.language):
            return Refusal.OTHER_LANGUAGE
        if known and 2 * len(page.main) >= len(page.text):  # else it may be a list under a standing text
            return Refusal.NEAR_DUPLICATE
        return Refusal.COPY if self._is_copy(page) else None

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


def other_names(url: Url) -> list[Url]:
    """Return by what other names servers usually give out the same page of a folder."""
    folder, slash, name = url.rpartition("/")
    if not name:
        return [Url(f"{url}{index}") for index in INDEXES]
    return [Url(folder + slash)] if name in INDEXES else []


def _keep(known: dict[int, T], key: int, value: T) -> None:
    """Keep a value as the newest, and forget the oldest where there are too many."""
    known[key] = value
    if len(known) > REMEMBERED:
        del known[next(iter(known))]


def _worth_of_failure(visit: Visit) -> Worth:
    if visit.detail is Detail.SOFT_404:
        return Worth.STALE
    return Worth.FAILED if visit.outcome in (Outcome.GONE, Outcome.FAILED) else Worth.NEUTRAL
