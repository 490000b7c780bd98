"""Settings become objects: which scope, gate and budget a crawl gets, and which seeds."""

from collections.abc import Callable, Iterable
from math import inf

from thresher.core.errors import InvalidUrl, NoSeedLeft, NoSeeds
from thresher.core.progress import Budget
from thresher.core.records import Topic, Url
from thresher.core.url import parse as parse_url
from thresher.core.url import with_scheme
from thresher.fetch.request_headers import NAME, VERSION, agent_of
from thresher.filters.filters import Gate
from thresher.filters.pages import PageRules
from thresher.filters.traps import Budgets, Traps
from thresher.filters.urls import Scope, patterns
from thresher.settings.model import Settings
from thresher.strategies import BaseStrategy
from thresher.topic.build import TopicForm


def judge_sentence(settings: Settings, strategy: object, topic: Topic) -> str:
    """Return what tells pages apart in a crawl by a paper, in one line; nothing for other strategies."""
    if not isinstance(strategy, BaseStrategy) or not strategy.own_judge:
        return ""
    labels = settings.topic.form == TopicForm.LABELS.value and topic.path
    seen = f"labels of {' / '.join(topic.path)}" if labels else strategy.goes_by()
    judge = settings.judge
    return f"{settings.strategy.name}: judge {judge.name}, relevant above {judge.threshold:g}, topic: {seen}."


def make_scope(settings: Settings) -> Scope:
    """Return the rules for which links may be followed at all."""
    rules = settings.scope
    return Scope(
        frozenset(domain.lower() for domain in rules.domains),
        patterns(rules.include),
        patterns(rules.exclude),
        rules.depth,
        rules.obey_nofollow,
    )


def make_gate(settings: Settings, scope: Scope, threshold: float) -> Gate:
    """Return what decides which links are queued; a page of that relevance was worth its request."""
    pages = PageRules(threshold, settings.scope.obey_nofollow, settings.scope.language)
    return Gate(scope, make_traps(settings), pages, settings.scope.rules, settings.web.max_redirects)


def make_traps(settings: Settings) -> Traps:
    """Return what keeps the crawl out of sites without end."""
    asked = settings.traps
    return Traps(
        Budgets(
            url_length=asked.url_length,
            path_depth=asked.path_depth,
            repeats=asked.path_repeats,
            query_parameters=asked.query_parameters,
            template=asked.template_budget,
            host=asked.host_budget,
            host_pages=asked.host_pages,
        )
    )


def make_budget(settings: Settings) -> Budget:
    """Return what the crawl may spend."""
    patience = settings.web.longest_wait if settings.web.kind == "live" else inf  # virtual time costs nothing
    return Budget(settings.stop.pages, settings.stop.relevant, settings.stop.seconds, patience)


def make_seeds(texts: Iterable[str], complain: Callable[[str], None]) -> list[Url]:
    """Return the seeds that are URLs, and complain about the others; none left is an error."""
    seeds, complaints = [], []
    for text in texts:
        try:
            seeds.append(parse_url(with_scheme(text)))
        except InvalidUrl as error:
            complaints.append(str(error))
    if complaints and not seeds:
        raise NoSeedLeft(f"No seed is left to start from. {' '.join(complaints)}")
    if not seeds:
        raise NoSeeds("No seed to start from; give one with --seed URL.")
    for complaint in complaints:
        complain(complaint)
    return seeds


def make_warcinfo(settings: Settings, topic: Topic) -> dict[str, str]:
    """Return what opens every file of the archive: who crawled, as whom and for what; not where."""
    facts = {
        "software": f"{NAME}/{VERSION}",
        "operator": settings.web.contact,
        "http-header-user-agent": agent_of(settings.web),
        "robots": "obeyed, as RFC 9309 says",
        "isPartOf": topic.name,
        "description": f"focused crawl by the strategy {settings.strategy.name}",
    }
    return {name: value for name, value in facts.items() if value}
