"""Which pages are expanded: no error page, none that was read before, none that asks not to be."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from thresher.core.caches import RecentSet
from thresher.core.enums import Detail, Outcome, Refusal, Request
from thresher.core.records import Page, PageRecord, Url, Visit
from thresher.core.url import key_of
from thresher.text.languages import LANGUAGES, Missing
from thresher.text.page_record import has_bytes, record_of

# What is kept of one visit, so that the filters can be rebuilt when a crawl is resumed


VERSION = 1  # of sightings as they are kept: another number says that older ones cannot be read


class Novelty(Enum):
    """What a visit was worth to the crawl."""

    FRESH = "fresh"  # something new to read
    STALE = "stale"  # nothing new: a near-duplicate, a soft 404, no text
    FAILED = "failed"
    NEUTRAL = "neutral"  # says nothing about its kind: a redirect, a refusal


class Text(Struct, frozen=True, array_like=True):
    """The main text of a page, by hashes: of all of it, of what it is like, of it without its numbers.

    Where there is too little to hash, `words` stand for it: those that its host had not used before.
    """

    digest: str = ""
    simhash: int | None = None
    numberless: int | None = None
    words: tuple[int, ...] = ()


class PageSignature(Struct, frozen=True, array_like=True):
    """What duplicate and trap detection store about one visit.

    `own` and `home` count its links to its own kind and host, `new_...` those to URLs that were not known.
    """

    url: Url
    at: float
    worth: Novelty
    text: Text | None = None  # None: no page
    simhash: int = 0  # of the page, however short
    closed: Refusal | None = None  # why its links are not followed
    counts: bool = True  # as one of the pages its host may have; what the user named does not
    own: int = 0
    home: int = 0
    new_own: int = 0
    new_home: int = 0
    new_away: int = 0

    def leads_only_on(self) -> bool:
        """Tell whether it links to its own kind, and to none that is known."""
        return self.own > 0 and (self.new_own >= self.own or self.closed is not None)


# Duplicates: equal texts, nearly equal ones, and those that differ in numbers only


NEAR = 3  # bits of 64 in which the SimHashes of near-duplicates differ at most
BANDS = 4  # pieces of a SimHash: of three differences, one piece at least is free
NEWS = 1  # words its host has not used yet, by which a short page says something new
REMEMBERED_TEXTS = 100_000  # texts remembered at least


class SimHashes:
    """SimHashes seen lately, found again within three bits by any of their four pieces."""

    def __init__(self, remembered: int) -> None:
        """Remember at least that many: two generations, the older one dropped whole."""
        self._remembered = remembered
        self._young: dict[int, list[int]] = {}
        self._old: dict[int, list[int]] = {}
        self._added = 0

    def has_near(self, simhash: int) -> bool:
        """Tell whether one was seen that differs in three bits at most."""
        return self.near(simhash) is not None

    def near(self, simhash: int) -> int | None:
        """Return one that was seen and differs in three bits at most, if there is one."""
        return next(
            (
                other
                for piece in _pieces(simhash)
                for generation in (self._young, self._old)
                for other in generation.get(piece, ())
                if (simhash ^ other).bit_count() <= NEAR
            ),
            None,
        )

    def add(self, simhash: int) -> None:
        """Remember one."""
        for piece in _pieces(simhash):
            self._young.setdefault(piece, []).append(simhash)
        self._added += 1
        if self._added >= self._remembered:
            self._old, self._young, self._added = self._young, {}, 0


class Texts:
    """The texts read lately; asking and adding cost the same however many there are."""

    def __init__(self, remembered: int = REMEMBERED_TEXTS) -> None:
        """Remember at least that many texts."""
        self._digests: RecentSet[str] = RecentSet(remembered)
        self._simhashes = SimHashes(remembered)
        self._numberless: RecentSet[int] = RecentSet(remembered)
        self._words: RecentSet[int] = RecentSet(remembered)

    def of(self, record: PageRecord) -> Text:
        """Return the text of a page as it is remembered; of a short one the words new to its host."""
        return Text(record.digest, record.simhash, record.numberless, tuple(self._words.unknown(record.said)))

    def knows(self, text: Text) -> bool:
        """Tell whether a text was read before, to the letter or nearly."""
        if text.digest and text.digest in self._digests:
            return True
        return text.simhash is not None and self._simhashes.has_near(text.simhash)

    def is_new_text(self, text: Text) -> bool:
        """Tell whether a text that is not known says something its host has not said, its numbers apart."""
        if text.numberless is not None:
            return text.numberless not in self._numberless
        return len(text.words) >= NEWS

    def add(self, text: Text) -> None:
        """Remember a text."""
        if text.digest:
            self._digests.add(text.digest)
        if text.simhash is not None and text.numberless is not None:
            self._simhashes.add(text.simhash)
            self._numberless.add(text.numberless)
        self._words.update(text.words)


def _pieces(simhash: int) -> list[int]:
    """Return the four 16-bit pieces of a SimHash, each marked with its place."""
    return [(place << 16) | ((simhash >> (16 * place)) & 0xFFFF) for place in range(BANDS)]


# Soft 404s: pages that say with status 200 that there is no page


LONGEST = 1_200  # bytes of text; who writes more has something to say


def seems_missing(page: Page) -> bool:
    """Tell whether a page is an error page in disguise: short, and its heading and its text both say so."""
    text = page.main or page.text
    if has_bytes(text, LONGEST + 1):
        return False
    heading = page.title or text.partition("\n")[0]
    if not _heading().search(heading):
        return False
    return _text().search(text) is not None or len(text.replace(heading, "").split()) <= 2


_ENGLISH = LANGUAGES["en"].missing or Missing("", "")
_THING, _NOT_THERE = _ENGLISH.thing, _ENGLISH.not_there
_ELSEWHERE = "|".join(
    f"{said.thing}{said.apart}{said.not_there}|{said.not_there}{said.apart}{said.thing}"
    for language in LANGUAGES.values()
    if (said := language.missing) and said is not _ENGLISH
)


@cache
def _heading() -> re.Pattern[str]:
    """Return what headings of error pages say, compiled for the first short page: both take 18 ms."""
    return re.compile(
        r"^\W*(?:(?:http |error |status )*4(?:04|10)\b|(?:file |page |content )?not found\b)"
        r"|\b(?:error 404|404 error|404 not found)\b"
        rf"|{_THING} (?:{_NOT_THERE}|missing|unavailable)|{_ELSEWHERE}",
        re.IGNORECASE,
    )


@cache
def _text() -> re.Pattern[str]:
    """Return what their texts say."""
    return re.compile(
        rf"{_THING}[^.!?。]{{0,60}}{_NOT_THERE}|{_NOT_THERE}[^.!?。]{{0,30}}{_THING}"
        rf"|\b404\b[^.!?。]{{0,20}}\bnot found\b|{_ELSEWHERE}",
        re.IGNORECASE,
    )


def drop_missing(visit: Visit) -> Visit:
    """Return the visit as it is kept: a soft 404 is gone."""
    page, detail = visit.page, Detail.SOFT_404
    if page is None or visit.outcome is not Outcome.FETCHED or not seems_missing(page):
        return visit
    gone = replace(visit, outcome=Outcome.GONE, page=None, page_record=None, relevance=0.0)
    return replace(gone, reason=detail.value, detail=detail)


def drop_noindex(visit: Visit) -> Visit:
    """Return the visit as it is kept: a noindex page keeps its links but no word."""
    page = visit.page
    if page is None or visit.outcome is not Outcome.FETCHED or not page.noindex:
        return visit
    page = replace(page, title="", text="", main="")
    with_words = visit.page_record is not None and visit.page_record.words is not None
    return replace(visit, page=page, page_record=record_of(page, with_words=with_words))


@dataclass(frozen=True)
class InLanguage:
    """Keeps no page in another language than the one asked for, where its language can be told."""

    language: str

    def __call__(self, visit: Visit) -> Visit:
        """Return the visit as it is kept: without the page and the answer it came in."""
        page, detail = visit.page, Detail.OTHER_LANGUAGE
        if page is None or page.language in ("", self.language):
            return visit
        empty = replace(visit, page=None, page_record=None, ready=None, fetched=None, relevance=0.0)
        return replace(empty, outcome=Outcome.REFUSED, reason=detail.value, detail=detail)


def page_checks(rules: bool, language: str) -> tuple[Callable[[Visit], Visit], ...]:
    """Return the checks of a visit before it is stored."""
    standing = (drop_missing, drop_noindex) if rules else ()
    return (*standing, InLanguage(language)) if language else standing


# Page rules


T = TypeVar("T")

INDEXES = ("index.html", "index.htm")  # what a server gives out for a folder
OF_A_FOLDER = ("/", *(f"/{index}" for index in INDEXES))
SIMILAR = 12  # bits of 64 in which a page may differ from the one it names as its canonical form
REMEMBERED_PAGES = 100_000  # pages of which it is known what they look like, or that they are not expanded


@dataclass
class PageRules:
    """The verdicts on pages, and what they rest on: texts that were read, and what pages look like."""

    threshold: float = 1.0  # a page of that relevance was worth its request, however short
    obey_nofollow: bool = True
    closed: dict[int, Refusal] = field(default_factory=dict)  # pages that are not expanded, by their keys
    _texts: Texts = field(default_factory=Texts)
    _simhashes: dict[int, int] = field(default_factory=dict)

    def see(self, visit: Visit) -> PageSignature:
        """Return what a visit was worth, and whether the page it brought is expanded."""
        page, counts = visit.page, visit.candidate.kind is not Request.SEED
        if page is None or visit.outcome is not Outcome.FETCHED:
            return PageSignature(visit.candidate.url, visit.at, _worth_of_failure(visit), counts=counts)
        text = self._texts.of(visit.page_record or record_of(page, with_words=False))
        known = self._texts.knows(text)
        return PageSignature(
            page.url,
            visit.at,
            self._worth(visit, page, known, text),
            text,
            page.fingerprint.simhash,
            self._why_not_expanded(page, known and not self._texts.is_new_text(text)),
            counts,
        )

    def recheck(self, visit: Visit) -> PageSignature | None:
        """Return whether a known page is expanded when its robots rules have changed; it is no duplicate."""
        if visit.page is None or not self.obey_nofollow:
            return None
        before = self.closed.get(key_of(visit.page.url))
        now = Refusal.NOFOLLOW_PAGE if visit.page.nofollow else None
        if before is now or before not in (None, Refusal.NOFOLLOW_PAGE):
            return None
        return PageSignature(visit.page.url, visit.at, Novelty.NEUTRAL, closed=now, counts=False)

    def has_read_otherwise(self, url: Url) -> bool:
        """Tell whether the page of a folder was read under another of its names: `/` and `/index.html`."""
        return any(key_of(other) in self._simhashes for other in other_names(url))

    def remember(self, sighting: PageSignature) -> None:
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
        if known and 2 * len(page.main) >= len(page.text):  # else it may be a list under a standing text
            return Refusal.NEAR_DUPLICATE
        return Refusal.COPY if self._is_copy(page) else None

    def _is_copy(self, page: Page) -> bool:
        """Tell whether the page that this one names as its canonical form was read, and is like it."""
        if page.canonical is None or key_of(page.canonical) == key_of(page.url):
            return False
        other = self._simhashes.get(key_of(page.canonical))
        return other is not None and (other ^ page.fingerprint.simhash).bit_count() <= SIMILAR

    def _worth(self, visit: Visit, page: Page, known: bool, text: Text) -> Novelty:
        if known:
            return Novelty.STALE
        if page.noindex and not page.text:
            return Novelty.NEUTRAL  # we do not know what it said
        fresh = self._texts.is_new_text(text) or visit.relevance >= self.threshold
        return Novelty.FRESH if fresh else Novelty.STALE


def other_names(url: Url) -> list[Url]:
    """Return by what other names servers usually give out the same page of a folder."""
    folder, slash, name = url.rpartition("/")
    if not name:
        return [Url(f"{url}{index}") for index in INDEXES]
    return [Url(folder + slash)] if name in INDEXES else []


def _keep(known: dict[int, T], key: int, value: T) -> None:
    """Keep a value as the newest, and forget the oldest where there are too many."""
    known[key] = value
    if len(known) > REMEMBERED_PAGES:
        del known[next(iter(known))]


def _worth_of_failure(visit: Visit) -> Novelty:
    if visit.detail is Detail.SOFT_404:
        return Novelty.STALE
    return Novelty.FAILED if visit.outcome in (Outcome.GONE, Outcome.FAILED) else Novelty.NEUTRAL
