"""Settings become a topic: what the user wrote, with the example pages read and the knowledge opened."""

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from thresher.core.protocols import Web
from thresher.core.errors import FetchError, SettingsError
from thresher.core.records import (
    Candidate,
    Fetched,
    Page,
    Url,
)
from thresher.core.url import parse as parse_url
from thresher.parse import parse
import logging
from collections.abc import Callable
from thresher.core.errors import SettingsError
from thresher.core.records import Topic
from thresher.knowledge.index import open_knowledge
from thresher.settings.model import Settings, WebSettings
from thresher.topic.build import Asked, make_topic
from thresher.fetch.user_agent import user_agent
from thresher.fetch.live import LiveWeb


KINDS = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "text/html",
    ".txt": "text/plain",
    ".md": "text/plain",
}
"""What a folder's files are read as; others in it are passed over."""

LOOK = 2000  # bytes
STRANGE = 0.01  # of them, from which on a file is no text, whatever it is called

MakeWeb = Callable[[], Web]
Complain = Callable[[str], None]


def read_pages(places: Iterable[str], make_web: MakeWeb, complain: Complain) -> dict[str, Page]:
    """Return the page of each place that has one, in order; an empty or binary one is named and left out."""
    pages: dict[str, Page] = {}
    asked = list(places)
    for place, page in (read for each in asked for read in _read(each, make_web, complain)):
        if page.text.strip():
            pages[place] = page
        else:
            complain(f"{place} has no text that can be read; it is left out.")
    if asked and not pages:
        raise SettingsError("There is no page to go by; name pages that have text, by URL, file or folder.")
    return pages


def _read(place: str, make_web: MakeWeb, complain: Complain) -> Iterator[tuple[str, Page]]:
    if place.startswith(("http://", "https://")):
        yield from _fetched(place, make_web, complain)
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
    """Return the page of a response, an empty one if its bytes are no text."""
    start = fetched.body[:LOOK]
    wide = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not wide and len(_NEVER_IN_TEXT.findall(start)) > STRANGE * len(start):
        return Page(fetched.url)
    return parse(fetched)


def _fetched(place: str, make_web: MakeWeb, complain: Complain) -> Iterator[tuple[str, Page]]:
    """Fetch a page, in a thread with a loop of its own: we may be inside the loop of a crawl."""
    with ThreadPoolExecutor(1) as thread:
        try:
            fetched = thread.submit(asyncio.run, _get(parse_url(place), make_web)).result()
        except FetchError as error:
            complain(f"{place} could not be fetched: {error}")
            return
    if fetched.status == 200:
        yield place, _page_of(fetched)
    else:
        complain(f"{place} answered with status {fetched.status}; it is left out.")


async def _get(url: Url, make_web: MakeWeb) -> Fetched:
    web = make_web()
    try:
        return await web.get(Candidate(url))
    finally:
        await web.close()


_NEVER_IN_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def topic_of(settings: Settings, complain: Complain = logging.getLogger(__name__).warning) -> Topic:
    """Return the topic the settings ask for."""
    with open_knowledge() as lexicon:
        return make_topic(asked_of(settings, complain), lexicon)


def asked_of(settings: Settings, complain: Complain) -> Asked:
    """Return what the settings say of the topic, with the texts of its example pages.

    A query is told apart from others by the examples and the seeds, so these are read beforehand.
    """
    wanted = settings.topic
    name = wanted.name or wanted.node or wanted.query or next(iter(wanted.keywords), "")
    if not name and not wanted.examples:
        raise SettingsError("No topic: name one, as in 'thresher crawl beekeeping'.")
    examples = _texts(wanted.examples, settings, complain)
    seeds = _texts(settings.seeds, settings, complain) if wanted.query and settings.web.kind == "live" else {}
    return Asked(
        name=name or "examples",
        keywords=wanted.keywords,
        node=wanted.node,
        query=wanted.query,
        context=" ".join([*examples.values(), *seeds.values()]),
        description=wanted.description,
        examples=examples,
        negatives=_texts(wanted.negatives, settings, complain),
        spellings=wanted.spellings,
        seeds=settings.seeds,
    )


def topic_web(settings: Settings) -> Callable[[], Web]:
    """Return what makes the web that example pages are fetched from: the live one, as polite as a crawl."""
    web = settings.web
    return lambda: LiveWeb(agent=agent_of(web), allow_networks=web.allow_networks)


def agent_of(settings: WebSettings) -> str:
    """Return the user agent: the user's own, or ours with their contact address."""
    return settings.user_agent or user_agent(settings.contact)


def _texts(places: tuple[str, ...], settings: Settings, complain: Complain) -> dict[str, str]:
    pages = read_pages(places, topic_web(settings), complain)
    return {place: f"{page.title}\n{page.text}" for place, page in pages.items()}
