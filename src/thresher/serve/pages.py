"""Pages: lists, searched or sorted, and one page to read."""

import re
import time
from collections.abc import Sequence
from contextlib import closing

from msgspec import Struct
from msgspec.structs import replace

from thresher.core.enums import Outcome
from thresher.core.records import Page, Url
from thresher.core.url import host_of, hostname_of, key_of
from thresher.export.wording import moment
from thresher.search.find import search
from thresher.search.index import behind
from thresher.search.query import Marked, Query, marked, parse
from thresher.search.reader import Between, Fact, Hit, Reader, signed, spelt
from thresher.search.reader import ResultCursor as Rank
from thresher.serve.requests import OnePage, PageList, SearchAll, not_found
from thresher.serve.security import bounded
from thresher.serve.state import CrawlRegistry
from thresher.store.folder import CrawlFolder
from thresher.store.queries import PageVisit
from thresher.store.read import CrawlReader

# What is answered


class PageItems(Struct, frozen=True):
    """A list of pages."""

    items: list[Hit]
    next: str
    total: int
    all_words: int
    ms: float
    behind: int = 0
    remarks: tuple[str, ...] = ()


class PageLink(Struct, frozen=True):
    """A link of a page and what became of it."""

    url: str
    anchor: str
    state: str  # an outcome, waiting or never asked for
    relevance: float | None
    key: str


class PageVersion(Struct, frozen=True):
    """One visit to a page."""

    visit: int
    at: str
    outcome: str
    status: int
    size: int
    relevance: float
    change: str
    has_copy: bool


class PageDetail(Struct, frozen=True, kw_only=True):
    """One page to read."""

    key: str
    url: str
    title: str
    host: str
    host_ascii: str
    language: str
    relevance: float
    is_relevant: bool
    label: bool | None
    fetched_at: str
    size: int
    depth: int
    visit: int
    paragraphs: list[Marked]
    cut: bool
    links: list[PageLink]
    links_total: int
    versions: list[PageVersion]


class CopyKey(Struct, frozen=True):
    """Where an archived copy can be seen for five minutes."""

    address: str
    size: int
    type: str


class WayStep(Struct, frozen=True):
    """One page on the way from a seed."""

    url: str
    host: str
    anchor: str
    outcome: str
    relevance: float
    key: str


class EvidencePart(Struct, frozen=True):
    """One piece of evidence and what it contributed."""

    name: str
    weight: float
    sentence: str = ""


class PageExplanation(Struct, frozen=True, kw_only=True):
    """Why a page was asked for and how it was judged."""

    url: str
    key: str
    title: str
    way: list[WayStep]
    priority: float
    usual: float | None
    priority_terms: list[EvidencePart]
    terms: list[str]  # the priority as the strategy tells it
    strategy: str
    judge: str
    threshold: float
    relevance: float
    judged: float | None
    label: bool | None
    evidence: list[EvidencePart]
    inlinks: list[PageLink]
    picture: str = ""  # the same as SVG, if a width was asked for


class Effect(Struct, frozen=True):
    """What a label has changed, at once."""

    kept: bool
    learns: bool
    needs: str  # what is missing before the crawl learns
    judged_anew: int
    turned_in: int
    turned_out: int
    is_relevant: bool
    said_yes: int
    said_no: int


class LabelSuggestionItem(Struct, frozen=True):
    """A page whose label would help."""

    url: str
    key: str
    title: str
    score: float
    alike: int


class LessonItem(Struct, frozen=True):
    """What a word or a host brought."""

    name: str
    visits: int
    brought: float


class LabelSuggestions(Struct, frozen=True):
    """Where the user's word helps most, and what was learned so far."""

    items: list[LabelSuggestionItem]
    words: list[LessonItem]
    nowhere: list[LessonItem]
    learns: bool


# How it is found


PARAGRAPHS = 400
LETTERS = 200_000  # of a page that are shown
LINKS = 200


class Before(Struct, frozen=True):
    """Where a list by time goes on."""

    visit: int


def list_pages(desk: CrawlRegistry, ask: PageList) -> PageItems:
    """Return pages of a crawl: by their words, or in an order."""
    found = desk.crawl(ask.id)
    words = " ".join([ask.q, *_filters(ask)])
    if ask.q or ask.sort == "best":
        items = _searched(desk, [found.folder], words, ask.after, ask.limit)
    else:
        items = _sorted(desk, found.folder, parse(words, time.time()), ask)
    lag = behind(found.folder)
    return _called(items, {str(found.folder.path): found.id}, lag.visits + (lag.words if ask.q else 0))


def search_all(desk: CrawlRegistry, ask: SearchAll) -> PageItems:
    """Return pages of several crawls by their words."""
    crawls = [desk.crawl(id) for id in ask.crawl] if ask.crawl else list(desk.crawls().values())
    readable = [found for found in crawls if _is_readable(found.folder)]
    items = _searched(desk, [found.folder for found in readable], ask.q, ask.after, ask.limit)
    names = {str(found.folder.path): found.id for found in readable}
    return _called(items, names, sum(behind(found.folder).words for found in readable))


def _is_readable(folder: CrawlFolder) -> bool:
    try:
        folder.open().close()
    except Exception:  # one damaged folder must not hide the others; the list of crawls says what is wrong
        return False
    return True


def _searched(
    desk: CrawlRegistry, folders: list[CrawlFolder], words: str, after: str, limit: int
) -> PageItems:
    found, rank = search(folders, words, limit, desk.signer.place(after, Rank), bounded)
    next = desk.signer.cursor(rank) if rank else ""
    return PageItems(found.items, next, found.total, found.all_words, found.milliseconds, 0, found.remarks)


def _sorted(desk: CrawlRegistry, folder: CrawlFolder, query: Query, ask: PageList) -> PageItems:
    """Return pages by time or by how unsure the judge is of them."""
    began = time.perf_counter()
    with closing(Reader(0, folder, bounded)) as reader:
        facts, place = _ordered(reader, desk, query, ask)
        items = [reader.hit(fact, query, True) for fact in facts]
        total = reader.count(query, "")
    next = desk.signer.cursor(place) if len(facts) == ask.limit else ""
    return PageItems(items, next, total, total, 1000 * (time.perf_counter() - began))


def _ordered(reader: Reader, desk: CrawlRegistry, query: Query, ask: PageList) -> tuple[list[Fact], Struct]:
    if ask.sort == "unsure":
        return reader.unsure(query, ask.limit, desk.signer.place(ask.after, Between) or Between())
    before = desk.signer.place(ask.after, Before)
    facts = reader.newest(query, ask.limit, before.visit if before else 0)
    return facts, Before(facts[-1].visit if facts else 0)


def _called(items: PageItems, names: dict[str, str], lag: int) -> PageItems:
    """Return the list with crawls called by their ids: paths of this machine are not shown."""
    return replace(items, items=[replace(hit, crawl=names[hit.crawl]) for hit in items.items], behind=lag)


def _filters(ask: PageList) -> list[str]:
    """Return the filters of a list in the language of queries."""
    given = {
        "relevant": ask.relevant,
        "label": ask.label,
        "host": ask.host,
        "lang": ask.lang,
        "since": ask.since,
    }
    return [f'{name}:"{value}"' for name, value in given.items() if value and '"' not in value]


def one_page(desk: CrawlRegistry, ask: OnePage) -> PageDetail:
    """Return a page to read, with its links and versions."""
    found = desk.crawl(ask.id)
    with found.folder.open() as store:
        key = signed(ask.key)
        url = store.url_of(key)
        page = store.page(url) if url else None
        if url is None or page is None:
            raise not_found("No page with this key was fetched.", "Look for it in the list of pages.")
        return _detail(store, key, url, page, parse(ask.q, time.time()))


def _detail(store: CrawlReader, key: int, url: Url, page: Page, query: Query) -> PageDetail:
    revisits = store.visits_to(key)
    latest = next((revisit for revisit in revisits if revisit.outcome is Outcome.FETCHED), revisits[0])
    visit = next(iter(store.history(url)[-1:]))
    said, threshold = store.label(url), store.facts.threshold
    judged = store.judged(url) or 0.0
    text = (page.main or page.text)[:LETTERS]
    return PageDetail(
        key=spelt(key),
        url=url,
        title=page.title,
        host=host_of(url),
        host_ascii=hostname_of(url),
        language=page.language,
        relevance=judged,
        is_relevant=judged >= threshold if said is None else said,
        label=said,
        fetched_at=moment(latest.at),
        size=latest.size,
        depth=visit.candidate.depth,
        visit=latest.visit,
        paragraphs=paragraphs(text, query),
        cut=len(page.main or page.text) > LETTERS,
        links=links_of(store, page),
        links_total=len(page.links),
        versions=_versions(store, revisits, key),
    )


def paragraphs(text: str, query: Query) -> list[Marked]:
    """Return a text in paragraphs, with the words of a query marked."""
    parts = [part for line in text.splitlines() if (part := line.strip())]
    return [marked(part, query.terms) if query.terms else (part,) for part in _readable(parts)[:PARAGRAPHS]]


_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*(?=\S)")
LONG = 700  # letters, from which on a paragraph is divided at the end of a sentence


def _readable(parts: Sequence[str]) -> list[str]:
    """Return paragraphs of which none is a wall of text."""
    out: list[str] = []
    for part in parts:
        if len(part) <= LONG:
            out.append(part)
            continue
        rest = ""
        for sentence in _SENTENCE.split(part):
            if rest and len(rest) + len(sentence) > LONG:
                out.append(rest)
                rest = ""
            rest = f"{rest} {sentence}" if rest and sentence.isascii() else rest + sentence
        out.append(rest)
    return out


def links_of(store: CrawlReader, page: Page) -> list[PageLink]:
    """Return the links of a page and what became of each."""
    links = {key_of(link.target): link for link in reversed(page.links[:LINKS])}
    fates = store.fates(links)
    out = []
    for link in page.links[:LINKS]:
        key = key_of(link.target)
        if links.pop(key, None) is None:
            continue
        state, relevance = fates.get(key, ("never asked for", 0.0))
        fetched = state == Outcome.FETCHED.value
        out.append(PageLink(link.target, link.anchor, state, relevance if fetched else None, spelt(key)))
    return out


def _versions(store: CrawlReader, revisits: Sequence[PageVisit], key: int) -> list[PageVersion]:
    kinds = store.kinds_of(key)
    return [
        PageVersion(
            revisit.visit, moment(revisit.at), revisit.outcome.value, revisit.status, revisit.size,
            revisit.relevance,
            kinds.get(revisit.visit, ""), revisit.has_copy,
        )
        for revisit in revisits
    ]  # fmt: skip
