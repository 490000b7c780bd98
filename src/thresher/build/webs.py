"""The webs a crawl can see: the live one, the practice web with topics and seeds of its own, or a user's."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from thresher.build.plugins import load_class, strategy_class
from thresher.build.reading import with_own_judge
from thresher.build.topic import NO_TOPIC, topic_of
from thresher.core.clock import SteadyClock, VirtualClock
from thresher.core.errors import (
    NoSeeds,
    SettingsError,
    suggestion,
)
from thresher.core.interfaces import BacklinkSource, Clock, CrawlView, Web
from thresher.core.records import Topic, Url
from thresher.core.url import hostname_of
from thresher.fetch.backlinks import (
    BacklinkEndpoint,
    BudgetedSource,
    ChainedSource,
    CrawlLinks,
    Folders,
    KnownLinks,
    PacedSource,
    open_dump,
)
from thresher.fetch.client import NO_COPIES, Copies
from thresher.fetch.request_headers import agent_of, contact_needed
from thresher.settings.model import Settings, WebSettings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder

VIRTUAL_START = 1_600_000_000.0  # virtual time begins here, so that logs are the same every time


@dataclass(frozen=True)
class WebContext:
    """The web a crawl sees, its time, what that web suggests for a topic, and what it asks of a crawl."""

    web: Web
    clock: Clock
    topic: Topic
    backlinks: BacklinkSource | None = None  # of a web that knows its own graph
    virtual_time: bool = False  # waiting costs nothing, and the order of visits depends on nothing else
    needs_contact: bool = False  # its owners want to know whom to write to
    remote_workers: bool = False  # other processes and machines see the same web
    robots: bool = False  # its robots.txt files are obeyed


class EarlierCrawl(NamedTuple):
    """What an earlier crawl of the same web has left."""

    topic: Topic
    ended: float
    copies: Copies


class WebKind(NamedTuple):
    """How a kind of web is made, and the topic of a crawl of it without asking for a page."""

    world: Callable[[Settings, EarlierCrawl | None], WebContext]
    topic: Callable[[Settings, CrawlView], Topic]


def make_world(settings: Settings, earlier: EarlierCrawl | None = None) -> WebContext:
    """Return the world the settings name; it must be made inside the event loop that will use it."""
    return _kind(settings).world(settings, earlier)


def topic_asked_for(settings: Settings, stored: CrawlView) -> Topic:
    """Return the topic of the settings; example pages are read off the crawl, never asked for."""
    return _kind(settings).topic(settings, stored)


def _kind(settings: Settings) -> WebKind:
    """Return one of our kinds of web, or that of a package, or of `package.module:Class`."""
    if settings.web.kind in WEBS:
        return WEBS[settings.web.kind]
    own = load_class(Web, settings.web.kind, dict.fromkeys(WEBS, Web))
    return WebKind(
        lambda settings, earlier: WebContext(
            own(), SteadyClock(), earlier.topic if earlier else topic_of(settings)
        ),
        lambda settings, stored: topic_of(settings, stored=stored),
    )


def choose_web(settings: Settings) -> Settings:
    """Return the settings with the web chosen: live if there are seeds, else the practice web."""
    if settings.web.kind:
        return settings
    return replace(settings, web=replace(settings.web, kind="live" if settings.seeds else "practice"))


def refuse_anonymous(settings: Settings, seeds: Iterable[Url]) -> None:
    """Refuse a broad crawl of the live web without a contact address."""
    private = all(_is_private(seed, settings.web) for seed in seeds)
    sentence = contact_needed(
        agent=agent_of(settings.web),
        pages=settings.stop.pages or None,
        leaves_domains=not settings.scope.domains,
        private=private,
    )
    if sentence:
        raise SettingsError(sentence)


def _live(settings: Settings, earlier: EarlierCrawl | None) -> WebContext:
    from thresher.build.live import make_web  # 14 ms that the practice web does not need

    web = make_web(settings, earlier.copies if earlier else NO_COPIES)
    topic = earlier.topic if earlier else topic_of(settings, seeds_tell=True)
    return WebContext(web, SteadyClock(), topic, needs_contact=True, remote_workers=True, robots=True)


def _practice(settings: Settings, earlier: EarlierCrawl | None = None) -> WebContext:
    """Return the practice web in-process, in virtual time that goes on where the crawl before ended."""
    from thresher_practice import PracticeWeb  # measured: 12 ms that no other crawl needs

    clock = VirtualClock(earlier.ended if earlier else VIRTUAL_START)
    web = PracticeWeb(settings.web.seed, clock)
    known = {topic.name: topic for topic in web.topics}
    asked = settings.topic
    if not (asked.name.strip() or asked.node or asked.query or asked.keywords or asked.examples):
        raise SettingsError(NO_TOPIC)
    if settings.topic.name not in known and not settings.seeds:
        raise NoSeeds(
            f"No page to start from; give one with --seed URL. Without a seed only the practice web can be "
            f"crawled, and it has no topic {settings.topic.name!r}. {suggestion(settings.topic.name, known)}"
        )
    topic = known.get(settings.topic.name)
    made = _of_the_user(topic, settings) if topic else topic_of(settings)
    citing = KnownLinks(web.citing)
    return WebContext(web, clock, made, citing, virtual_time=True, robots=True)


def _of_the_user(topic: Topic, settings: Settings) -> Topic:
    """Return a topic of the practice web with what the user says of it, which goes before our own.

    What the taxonomy knows of its node is looked up only if it is needed: that takes most of a second.
    """
    asked = settings.topic
    if asked.keywords:
        facets = ((topic.name, *asked.keywords),)
        topic = replace(topic, keywords={topic.name: 1.0} | asked.keywords, facets=facets)
    said = (asked.node, asked.query, asked.description, asked.examples, asked.spellings, asked.vocabularies)
    if any(said):
        made = topic_of(settings)
        return replace(made, seeds=topic.seeds, keywords=topic.keywords if not asked.node else made.keywords)
    needs_lexicon = with_own_judge(settings).judge.name == "lexicon"
    if needs_lexicon or strategy_class(settings.strategy.name).defaults.takes_node:
        node = topic.concept.removeprefix("topic:")
        made = topic_of(replace(settings, topic=replace(asked, node=node, keywords=topic.keywords)))
        known = {name: getattr(made, name) for name in ("lexicon", "ontology", "path", "paths", "spellings")}
        return replace(topic, **known)
    return topic


WEBS = {
    "live": WebKind(_live, lambda settings, stored: topic_of(settings, stored=stored, seeds_tell=True)),
    "practice": WebKind(_practice, lambda settings, stored: _practice(settings).topic),
}
"""The kinds of web that we have."""


def _is_private(url: Url, settings: WebSettings) -> bool:
    """Tell whether a seed is on loopback or in a network the user allowed by name."""
    host = hostname_of(url)
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or any(address in ip_network(each) for each in settings.allow_networks)


def check_backlinks(settings: Settings) -> None:
    """Refuse a file that is not there and an address without a place for the page."""
    asked = settings.backlinks
    for name in ("file", "vertices"):
        path = getattr(asked, name)
        if path and not Path(path).is_file():
            raise SettingsError(f"There is no file {path}: correct backlinks.{name}.")
    for folder in _other_crawls(settings):
        folder.must_exist()
    if asked.endpoint and "{url}" not in asked.endpoint.reveal():
        raise SettingsError("backlinks.endpoint has no {url} where the address of the page should go.")


def _other_crawls(settings: Settings) -> list[CrawlFolder]:
    named = settings.backlinks.crawl
    return [CrawlFolder(Path(each)) for each in ([named] if isinstance(named, str) else named) if each]


def _opened(folder: CrawlFolder) -> AbstractContextManager[CrawlView]:
    return closing(folder.open())


def make_backlinks(
    settings: Settings, world: WebContext, store: Database, folder: CrawlFolder
) -> BudgetedSource:
    """Return the source of back-links."""
    asked = settings.backlinks
    sources: list[BacklinkSource] = []
    if asked.file:
        vertices = Path(asked.vertices) if asked.vertices else None
        sources.append(open_dump(Path(asked.file), folder.path / "backlinks.db", vertices))
    if asked.endpoint:
        sources.append(
            PacedSource(BacklinkEndpoint(world.web, asked.endpoint.reveal()), world.clock, settings.web.delay)
        )
    sources += [CrawlLinks(partial(_opened, other)) for other in _other_crawls(settings)]
    if world.backlinks:
        sources.append(world.backlinks)
    if asked.folders:
        sources.append(Folders())
    most = asked.questions or settings.stop.pages
    left = max(0, most - store.questions()) if most else None
    return BudgetedSource(ChainedSource(sources), left, asked.most)
