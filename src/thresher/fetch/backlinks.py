"""Who links to a page: sources of back-links, asked round any web and charged for each question.

A crawler's own links tell only of pages it has fetched, so a source from outside is needed for news: a file
of links, an endpoint, an archive's graph. Folders are the substitute that costs nothing to set up: the folder
above a page often lists it.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from urllib.parse import quote

import msgspec

from thresher.core.enums import Origin
from thresher.core.errors import BadResponse, FetchError, InvalidUrl, NoBacklinks, SettingsError
from thresher.core.interfaces import BacklinkSource, Clock, Memory, Web
from thresher.core.records import Candidate, Fetched, Link, Url
from thresher.core.url import folders, parse

MOST = 100  # links of one answer


@dataclass
class Charged:
    """The source behind it, asked as long as questions are left, and for so many links at most."""

    source: BacklinkSource
    questions: int | None = None  # how many may be asked; None: as many as one likes
    most: int = MOST

    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Return links of different pages that lead to a URL; each question is charged."""
        if self.questions is not None:
            if self.questions <= 0:
                raise NoBacklinks("the questions for back-links that may be asked are spent")
            self.questions -= 1
        return distinct(await self.source.who_links_to(url), url, self.most)

    def __str__(self) -> str:
        return str(self.source)


@dataclass
class Several:
    """Sources asked one after the other; one that fails is counted and passed over."""

    sources: Sequence[BacklinkSource]
    failed: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return ", ".join(type(source).__name__ for source in self.sources) or "nobody"

    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Return what all sources know; only when none answers is there no answer."""
        found: list[Link] = []
        complaints = []
        for source in self.sources:
            try:
                found += await source.who_links_to(url)
            except (FetchError, OSError, ValueError) as error:
                self.failed[f"no answer about back-links from {type(source).__name__}"] += 1
                complaints.append(str(error) or type(error).__name__)
        if len(complaints) == len(self.sources):
            raise NoBacklinks(
                "; ".join(complaints) or "no source of back-links is set: see backlinks in settings"
            )
        return found


@dataclass(frozen=True)
class KnownLinks:
    """A graph that is at hand, such as that of an archive: `sources` names the pages that link to a URL."""

    sources: Callable[[Url], Iterable[Url]]

    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Return a link from each page the graph knows of."""
        return [Link(source, url, origin=Origin.BACKLINK) for source in self.sources(url)]


@dataclass(frozen=True)
class OwnLinks:
    """The crawl's own graph: it names only pages that were fetched, with what their links say."""

    memory: Memory

    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Return the links that were found."""
        return self.memory.inlinks(url)


@dataclass(frozen=True)
class Folders:
    """Path-ascending: the folders above a page stand in for the pages that link to it."""

    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Return a link from each folder above, the nearest first."""
        return [Link(folder, url, origin=Origin.FOLDER) for folder in folders(url)]


@dataclass
class Paced:
    """The source behind it, asked one question at a time with a pause in between."""

    source: BacklinkSource
    clock: Clock
    delay: float
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Wait for the turn, ask, and let the source rest."""
        async with self._turn:
            try:
                return await self.source.who_links_to(url)
            finally:
                await self.clock.sleep(self.delay)


def distinct(links: Iterable[Link], url: Url, most: int) -> list[Link]:
    """Return the first links of different sources that lead to a URL from elsewhere."""
    found: dict[Url, Link] = {}
    for link in links:
        if link.target == url and link.source != url:
            found.setdefault(link.source, link)
            if len(found) == most:
                break
    return list(found.values())


LISTS = ("links", "backlinks", "results", "data")
MOST_TOLD = 2_000  # links of one answer: to read more would keep others waiting
LONGEST = 500  # characters of an anchor


@dataclass(frozen=True)
class Endpoint:
    """Asks the endpoint by way of a web, so that its guard, rules and limits hold here too."""

    web: Web
    address: str

    def __post_init__(self) -> None:
        """Refuse an address in which the page has no place."""
        if "{url}" not in self.address:
            raise SettingsError(
                f"backlinks.endpoint {self.address!r} has no {{url}} where the page's address should go."
            )

    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Return the links the endpoint tells of."""
        address = parse(self.address.replace("{url}", quote(url, safe="")))
        fetched = await self.web.get(Candidate(address))
        if fetched.status != 200:
            raise BadResponse(f"the endpoint for back-links answered with status {fetched.status}")
        return [link for told in islice(_told(fetched), MOST_TOLD) if (link := _link(told, url))]


def _told(fetched: Fetched) -> Iterator[Any]:
    """Yield what stands for one link each."""
    text = fetched.body.lstrip()
    if text[:1] not in (b"[", b"{"):
        yield from fetched.body.decode("utf-8", "replace").splitlines()
        return
    try:
        answer = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise BadResponse("the endpoint for back-links sent JSON that cannot be read") from None
    if isinstance(answer, dict):
        answer = next((answer[name] for name in LISTS if isinstance(answer.get(name), list)), [])
    yield from answer


def _link(told: Any, url: Url) -> Link | None:
    source, anchor = told, ""
    if isinstance(told, Mapping):
        source, anchor = told.get("source") or told.get("url"), told.get("anchor") or ""
    try:
        return Link(parse(str(source).strip()), url, str(anchor)[:LONGEST], origin=Origin.BACKLINK)
    except InvalidUrl:
        return None
