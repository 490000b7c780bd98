"""Settings become objects: which web, judge, frontier and budget a crawl gets."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from thresher.core.doors import Clock, Judge, Web
from thresher.core.errors import InvalidUrl, NoSeeds, SettingsError, UnknownName, suggestion
from thresher.core.progress import Budget
from thresher.core.records import Topic, Url
from thresher.core.url import parse as parse_url
from thresher.crawling.clock import VirtualClock
from thresher.frontier.scope import Scope, patterns
from thresher.frontier.workbench import Workbench
from thresher.relevance.cosine import Cosine
from thresher.settings.rooms import Settings, TopicSettings
from thresher.web.practice import PracticeWeb

JUDGES: dict[str, Callable[[Topic, float], Judge]] = {"cosine": Cosine}
VIRTUAL_START = 1_600_000_000.0  # virtual time begins here, so that logs are the same every time


@dataclass(frozen=True)
class World:
    """The web a crawl sees, its time, and what that web suggests for a topic."""

    web: Web
    clock: Clock
    topic: Topic


def make_world(settings: Settings) -> World:
    """Return the web the settings name; the practice web knows topics and seeds of its own."""
    if settings.web.kind != "practice":
        raise UnknownName("web", settings.web.kind, ["practice"])
    clock = VirtualClock(VIRTUAL_START)
    web = PracticeWeb(settings.web.seed, clock)
    known = {topic.name: topic for topic in web.topics}
    if settings.topic.name not in known and not settings.seeds:
        raise NoSeeds(
            f"The practice web has no topic {settings.topic.name!r} to start from. "
            f"{suggestion(settings.topic.name, known)} Or give a page to start from with --seed URL."
        )
    topic = known.get(settings.topic.name)
    if topic and settings.topic.keywords:
        topic = replace(topic, keywords=dict(settings.topic.keywords))
    return World(web, clock, topic or make_topic(settings.topic))


def make_topic(settings: TopicSettings) -> Topic:
    """Return the topic of a name and keywords; without keywords the name's words count."""
    if not settings.name and not settings.keywords:
        raise SettingsError("No topic: name one, as in 'thresher crawl beekeeping'.")
    return Topic(settings.name, dict(settings.keywords) or {settings.name: 1.0})


def make_judge(settings: Settings, topic: Topic) -> Judge:
    """Return the judge the settings name."""
    if settings.judge.name not in JUDGES:
        raise UnknownName("judge", settings.judge.name, JUDGES)
    return JUDGES[settings.judge.name](topic, settings.judge.threshold)


def make_frontier(settings: Settings) -> Workbench:
    """Return the frontier with the politeness and the scope that the settings ask for."""
    rules = settings.scope
    scope = Scope(
        frozenset(domain.lower() for domain in rules.domains),
        patterns(rules.include),
        patterns(rules.exclude),
        rules.depth,
        rules.obey_nofollow,
    )
    return Workbench(settings.web.delay, settings.web.per_host, scope.refuses)


def make_budget(settings: Settings) -> Budget:
    """Return what the crawl may spend."""
    return Budget(settings.stop.pages, settings.stop.relevant, settings.stop.seconds)


def make_seeds(texts: Iterable[str], complain: Callable[[str], None]) -> list[Url]:
    """Return the seeds that are URLs, and complain about the others; none left is an error."""
    seeds, complaints = [], []
    for text in texts:
        try:
            seeds.append(parse_url(text))
        except InvalidUrl as error:
            complaints.append(str(error))
    if not seeds:
        raise NoSeeds(" ".join(["No seed to start from; give one with --seed URL.", *complaints]))
    for complaint in complaints:
        complain(complaint)
    return seeds
