"""Topic of a crawl: made of what the settings say, the texts of the example pages and the knowledge."""

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import structs

from thresher.build.plugins import strategy_class
from thresher.core.errors import DocumentUnread, FetchError, SettingsError
from thresher.core.interfaces import CrawlView, Lexicon
from thresher.core.records import Candidate, Fetched, Page, Topic, Url
from thresher.core.url import parse as parse_url
from thresher.knowledge.index import open_knowledge
from thresher.parse import parse
from thresher.settings.model import Settings
from thresher.topic.build import NAMELESS, TopicRequest, is_as_likely, make_topic
from thresher.topic.ontology import named
from thresher.topic.question import check_language, remarks

Complain = Callable[[str], None]

KINDS = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".txt": "text/plain",
    ".md": "text/plain",
}
"""What a folder's files are read as; others in it are passed over."""

NO_TOPIC = "No topic: name one, as in 'thresher crawl beekeeping'."
SNIFFED = 2000  # bytes
STRANGE = 0.01  # of them, from which on a file is no text, whatever it is called
_NEVER_IN_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def topic_of(
    settings: Settings,
    complain: Complain = logging.getLogger(__name__).warning,
    stored: CrawlView | None = None,
    seeds_tell: bool = False,
) -> Topic:
    """Return the topic the settings ask for; with pages `stored`, none is asked for."""
    with open_knowledge() as lexicon:
        asked = asked_of(settings, complain, stored, seeds_tell)
        topic = make_topic(_with_node(asked, settings, complain, lexicon), lexicon)
    for remark in remarks(topic.facets):
        complain(remark)
    return topic


def _with_node(asked: TopicRequest, settings: Settings, complain: Complain, lexicon: Lexicon) -> TopicRequest:
    """Return the request with the node that is called like the topic, for strategies that start from one."""
    wanted = strategy_class(settings.strategy.name).defaults.takes_node
    if not wanted or asked.node or asked.query or asked.name == NAMELESS:
        return asked
    found = lexicon.nodes(asked.name)
    likeliest = [node for node in found if is_as_likely(node, found[0], lexicon)]
    if len(likeliest) == 1:
        path = likeliest[0].id.partition(":")[2]
        complain(f"Topic {asked.name!r} is taken for {path} of the taxonomy; topic.node names another.")
        return structs.replace(asked, node=path)
    near = "; ".join(map(named, likeliest or lexicon.nearest(asked.name, 3)))
    said = "names several nodes" if likeliest else "is no node"
    complain(f"Topic {asked.name!r} {said} of the taxonomy; name one with --set topic.node=PATH: {near}.")
    return asked


def asked_of(
    settings: Settings, complain: Complain, stored: CrawlView | None = None, seeds_tell: bool = False
) -> TopicRequest:
    """Return what the settings say of the topic, with the texts of its example pages.

    A query is told apart from others by the examples, and by the seeds where these can be read beforehand.
    """
    wanted = settings.topic
    name = wanted.name or wanted.node or wanted.query or next(iter(wanted.keywords), "")
    if not name.strip() and not wanted.examples:
        raise SettingsError(NO_TOPIC)
    check_language(wanted.language)
    examples = _texts(wanted.examples, settings, complain, needed=not name, stored=stored)
    pages, words = _pages_and_words(wanted.negatives)
    disputed = settings.seeds if wanted.query and seeds_tell else ()
    seeds = _texts(disputed, settings, complain, stored=stored)
    return TopicRequest(
        name=name or NAMELESS,
        keywords=wanted.keywords,
        node=wanted.node,
        query=wanted.query,
        context=" ".join([*examples.values(), *seeds.values()]),
        description=wanted.description,
        examples=examples,
        negatives=_texts(pages, settings, complain, needed=False, stored=stored),
        spellings=wanted.spellings,
        seeds=settings.seeds,
        also=wanted.also,
        excluded=words,
        language=wanted.language,
        vocabularies=wanted.vocabularies,
    )


def _pages_and_words(unwanted: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which of the things not wanted are pages, and which are words."""
    pages = tuple(each for each in unwanted if _is_place(each))
    return pages, tuple(each for each in unwanted if each not in pages)


def _is_place(text: str) -> bool:
    """Tell whether a text names a page; a bare word does not, though a folder may be called so."""
    if text.startswith(("http://", "https://")) or Path(text).suffix.lower() in KINDS:
        return True
    return Path(text).is_file() or ("/" in text and Path(text).exists())


def _texts(
    places: tuple[str, ...],
    settings: Settings,
    complain: Complain,
    needed: bool = True,
    stored: CrawlView | None = None,
) -> dict[str, str]:
    pages = read_pages(places, settings, complain, needed, stored)
    return {place: f"{page.title}\n{page.text}" for place, page in pages.items()}


def read_pages(
    places: Iterable[str],
    settings: Settings,
    complain: Complain,
    needed: bool = True,
    stored: CrawlView | None = None,
) -> dict[str, Page]:
    """Return the page of each place that has one, in order; an empty or binary one is named and left out."""
    pages: dict[str, Page] = {}
    asked = list(places)
    for place, page in (read for each in asked for read in _read(each, settings, complain, stored)):
        if page.text.strip():
            pages[place] = page
        else:
            complain(f"{place} has no text that can be read; it is left out.")
    if asked and not pages and needed:
        raise SettingsError("There is no page to go by; name pages that have text, by URL, file or folder.")
    return pages


def _read(
    place: str, settings: Settings, complain: Complain, stored: CrawlView | None
) -> Iterator[tuple[str, Page]]:
    if place.startswith(("http://", "https://")):
        yield from _stored(place, complain, stored) if stored else _fetched(place, settings, complain)
    elif Path(place).is_dir():
        files = sorted(file for file in Path(place).rglob("*") if file.suffix.lower() in KINDS)
        yield from ((str(file), _parsed(file)) for file in files)
        if not files:
            complain(f"{place} holds no .html, .txt or .md file.")
    elif Path(place).is_file():
        yield place, _parsed(Path(place))
    else:
        complain(f"There is no {place} here; it is left out.")


def _parsed(file: Path) -> Page:
    """Parse a file as if a server had sent it."""
    url = Url("http://localhost/")
    kind = KINDS.get(file.suffix.lower(), "")
    return _page_of(
        Fetched(Candidate(url), url, 200, (("content-type", kind),) if kind else (), file.read_bytes())
    )


def _page_of(fetched: Fetched) -> Page:
    """Return the page of a response, an empty one if its bytes are no text and no document we can read."""
    start = fetched.body[:SNIFFED]
    known = start.startswith((b"\xff\xfe", b"\xfe\xff", b"%PDF-"))
    if not known and len(_NEVER_IN_TEXT.findall(start)) > STRANGE * len(start):
        return Page(fetched.url)
    try:
        return parse(fetched)
    except DocumentUnread:
        return Page(fetched.url)


def _stored(place: str, complain: Complain, stored: CrawlView) -> Iterator[tuple[str, Page]]:
    """Read a page off the crawl."""
    if page := stored.page(parse_url(place)):
        yield place, page
    else:
        complain(f"{place} is none of the stored pages; it is left out, for nothing is fetched.")


def _fetched(place: str, settings: Settings, complain: Complain) -> Iterator[tuple[str, Page]]:
    if fetched := fetch(place, settings, complain):
        yield place, _page_of(fetched)


def fetch(place: str, settings: Settings, complain: Complain) -> Fetched | None:
    """Fetch a URL, in a thread with a loop of its own: we may be inside the loop of a crawl."""
    with ThreadPoolExecutor(1) as thread:
        try:
            fetched = thread.submit(asyncio.run, _get(parse_url(place), settings)).result()
        except FetchError as error:
            complain(f"{place} could not be fetched: {error}")
            return None
    if fetched.status != 200:
        complain(f"{place} answered with status {fetched.status}; it is left out.")
        return None
    return fetched


async def _get(url: Url, settings: Settings) -> Fetched:
    from thresher.build.live import live_web  # 14 ms, and most topics need no page

    web = live_web(settings.web)
    try:
        return await web.get(Candidate(url))
    finally:
        await web.close()
