"""Places to start from, suggested by what is at hand: lists of links, endpoints that search, earlier crawls.

Every source ranks what it names, by the words beside a link or by its own order; the ranks are joined as
reciprocal ranks (Cormack et al. 2009), so that what several sources name well comes first.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit
from xml.parsers.expat import ExpatError

import msgspec
from msgspec import Struct
from typing_extensions import override

from thresher.build.topic import KINDS, Complain, fetch, read_pages
from thresher.core.errors import DocumentBroken, InvalidUrl, UsageError
from thresher.core.interfaces import Judge
from thresher.core.records import Candidate, Fetched, Link, Topic, Url
from thresher.core.url import key_of
from thresher.core.url import parse as parse_url
from thresher.core.url import tokens as url_tokens
from thresher.judges.baselines import Collection
from thresher.parse.document import parse
from thresher.parse.office import Listener
from thresher.parse.simple_formats import ADDRESS, without_stop
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder
from thresher.text.page_record import page_counts
from thresher.topic.build import terms, word_weights

# Lists of links that people keep: bookmarks, OPML, lists in Markdown, any page that links, plain URLs


MOST = 20_000  # links of one list
LONGEST = 300  # letters of what stands beside a link

_ADDRESS = r"https?://(?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,2000}+"
_MARKDOWN = re.compile(
    rf"\[([^\[\]\n]{{1,300}})\]\(\s{{0,9}}<?({_ADDRESS})>?[^()\n]{{0,200}}+\)([^\n]{{0,300}})"
)


def links_of_list(fetched: Fetched) -> list[Link]:
    """Return the links of a list in the order it has them, each once, with the words beside it."""
    found: dict[Url, Link] = {}
    for link in _links(fetched):
        found.setdefault(link.target, link)
        if len(found) == MOST:
            break
    return list(found.values())


def _links(fetched: Fetched) -> Iterator[Link]:
    start = fetched.body[:4000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(b"<") and b"<opml" in start:
        yield from _of_opml(fetched)
    elif start.startswith(b"<") or b"html" in fetched.header("content-type").encode():
        yield from parse(fetched, context=True).links
    else:
        yield from _of_text(fetched)


def _of_text(fetched: Fetched) -> Iterator[Link]:
    """Yield the links of Markdown, or where there are none, every URL that stands there."""
    text = fetched.body.decode("utf-8", "replace")
    rows = [(url, words, beside) for words, url, beside in _MARKDOWN.findall(text)]
    for url, words, beside in rows or ((url, "", "") for url in map(without_stop, ADDRESS.findall(text))):
        yield from _link(fetched.url, url, words, beside.strip(" -–—:*"))


def _link(source: Url, target: str, words: str, beside: str = "") -> Iterator[Link]:
    try:
        yield Link(source, parse_url(target.strip()), words[:LONGEST], beside[:LONGEST])
    except InvalidUrl:
        return


class _Outlines(Listener):
    """The outlines of an OPML file: what a feed is called, what it says of itself, where its pages are."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []

    @override
    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        address = next((attributes[key] for key in ("htmlUrl", "url", "xmlUrl") if attributes.get(key)), "")
        if name == "outline" and address:
            words = attributes.get("title") or attributes.get("text") or ""
            self.rows.append((address, words, attributes.get("description", "")))


def _of_opml(fetched: Fetched) -> Iterator[Link]:
    try:
        outlines = _Outlines().fed(fetched.body)
    except ExpatError as error:
        raise DocumentBroken(f"{fetched.url} is not an OPML that can be read: {error}.") from None
    for address, words, beside in outlines.rows:
        yield from _link(fetched.url, address, words, beside)


def as_fetched(url: Url, body: bytes, content_type: str = "") -> Fetched:
    """Return bytes that are at hand as if a server had sent them."""
    headers = (("content-type", content_type),) if content_type else ()
    return Fetched(Candidate(url), url, 200, headers, body)


SMOOTH = 60  # of reciprocal ranks: a first place counts little more than a second
HUBS = 50  # of an earlier crawl
ANSWERS = 200  # of an endpoint
LEAST = 0.02  # likeness of words below which a link of a list is not meant


class SeedSuggestion(Struct, frozen=True):
    """A place to start from, and why."""

    url: Url
    rank: float  # joined from all sources that name it
    words: str  # beside the link
    likeness: float  # of these words and the URL to the topic
    sources: tuple[str, ...]
    tfidf: float | None = None  # of the page itself, where it was read


class Source(Struct, frozen=True):
    """What one source names, the best first."""

    name: str
    links: Sequence[Link]


def suggest(sources: Iterable[Source], judge: Judge) -> list[SeedSuggestion]:
    """Return what the sources name, the best first."""
    found: dict[int, SeedSuggestion] = {}
    for source in sources:
        for place, link in enumerate(source.links, start=1):
            key, share = key_of(link.target), 1.0 / (SMOOTH + place)
            found[key] = _joined(found.get(key), link, share, source.name, judge)
    return sorted(found.values(), key=lambda each: (-each.rank, -each.likeness, each.url))


def _joined(
    known: SeedSuggestion | None, link: Link, share: float, source: str, judge: Judge
) -> SeedSuggestion:
    words, likeness = _words(link), likeness_of(link, judge)
    if known is None:
        return SeedSuggestion(link.target, share, words, likeness, (source,))
    if likeness <= known.likeness:
        words, likeness = known.words, known.likeness
    return SeedSuggestion(known.url, known.rank + share, words, likeness, (*known.sources, source))


def likeness_of(link: Link, judge: Judge) -> float:
    """Return how much the words beside a link, or those of its URL, are the topic's."""
    return max(judge.similarity(_words(link)), judge.similarity(" ".join(url_tokens(link.target))))


def _words(link: Link) -> str:
    return " ".join(f"{link.anchor} {link.context}".split())[:LONGEST]


def from_list(place: str, settings: Settings, judge: Judge, complain: Complain) -> Source:
    """Return the links of a bookmarks file, an OPML file, a list in Markdown or any page, by their words."""
    links: list[Link] = []
    if place.startswith(("http://", "https://")):
        fetched = fetch(place, settings, complain)
        links = links_of_list(fetched) if fetched else []
    elif Path(place).is_file():
        kind = KINDS.get(Path(place).suffix.lower(), "")
        links = links_of_list(as_fetched(Url("http://localhost/"), Path(place).read_bytes(), kind))
    else:
        complain(f"There is no {place} here; it is left out.")
    scored = [(likeness_of(link, judge), link) for link in links if "//localhost/" not in link.target]
    meant = sorted((row for row in scored if row[0] >= LEAST), key=lambda row: -row[0])
    return Source(place, [link for _, link in meant])


def from_crawl(folder: CrawlFolder) -> Source:
    """Return the hubs of an earlier crawl: the pages that link to most of what it found."""
    with folder.open() as store:
        hubs = store.hubs(store.facts.threshold, HUBS)
        titled = [(url, page.title if (page := store.page(url)) else "") for url in hubs]
    return Source(f"hubs of {folder.path}", [Link(url, url, title) for url, title in titled])


def from_search(endpoint: str, topic: Topic, settings: Settings, complain: Complain) -> Source:
    """Return what a search endpoint that speaks as SearXNG does answers, in its own order."""
    mark = "&" if "?" in endpoint else "?"
    address = (
        endpoint.replace("{query}", quote(topic.name))
        if "{query}" in endpoint
        else f"{endpoint}{mark}q={quote(topic.name)}&format=json"
    )
    return Source(f"search at {_place(endpoint)}", _answers(address, settings, complain, _results))


def from_index(endpoint: str, domain: str, topic: Topic, settings: Settings, complain: Complain) -> Source:
    """Return the URLs of a domain with the topic's words that an index such as Common Crawl's knows."""
    pattern = "|".join(word for word in topic.name.lower().split() if len(word) > 2) or "."
    asked = (
        f"url={quote(f'*.{domain}')}&output=json&limit={ANSWERS}&filter={quote(f'~url:(?i).*({pattern}).*')}"
    )
    return Source(f"index of {domain}", _answers(f"{endpoint}?{asked}", settings, complain, _lines))


def _place(endpoint: str) -> str:
    """Return where an endpoint is, without what may be a key or a password."""
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"


Reader = Callable[[bytes], Iterator[Any]]


def _answers(address: str, settings: Settings, complain: Complain, read: Reader) -> list[Link]:
    fetched = fetch(address, settings, complain)
    if fetched is None:
        return []
    try:
        rows = [row for row in read(fetched.body) if isinstance(row, dict) and row.get("url")]
    except (msgspec.DecodeError, RecursionError):
        complain(f"{address} did not answer in JSON; it is left out. SearXNG must allow the format json.")
        return []
    return [link for row in rows[:ANSWERS] if (link := _link_of(row))]


def _results(body: bytes) -> Iterator[Any]:
    answer = msgspec.json.decode(body)
    yield from answer.get("results", []) if isinstance(answer, dict) else answer


def _lines(body: bytes) -> Iterator[Any]:
    for line in body.splitlines():
        if line.strip():
            yield msgspec.json.decode(line)


def _link_of(row: dict[str, Any]) -> Link | None:
    try:
        url = parse_url(str(row["url"]))
    except ValueError:
        return None
    return Link(url, url, str(row.get("title") or "")[:LONGEST], str(row.get("content") or "")[:LONGEST])


def by_tfidf(
    suggestions: Sequence[SeedSuggestion], topic: Topic, settings: Settings, complain: Complain
) -> list[SeedSuggestion]:
    """Return suggestions by the TF-IDF of their pages, read for it: the seed detector of Ratna et al.

    Equations (1) to (4) of the paper, with the pages of all suggestions as the collection.
    """
    pages = read_pages([each.url for each in suggestions], settings, complain, needed=False)
    if not pages:
        raise UsageError("None of the suggested pages could be read; --rank words needs none.")
    collection = Collection(word_weights(terms(topic)), "sound")
    counts = {url: page_counts(page) for url, page in pages.items()}
    for each in counts.values():
        collection.add(each)
    scored = [
        msgspec.structs.replace(each, tfidf=collection.score(counts[each.url]))
        for each in suggestions
        if each.url in counts
    ]
    return sorted(scored, key=lambda each: (-(each.tfidf or 0.0), -each.rank))
