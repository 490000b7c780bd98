"""Settings become objects: which judge, frontier and budget a crawl gets, and which seeds."""

from collections.abc import Callable, Iterable
from math import inf

from thresher.build.plugins import strategy_class
from thresher.core.errors import InvalidUrl, NoSeedLeft, NoSeeds
from thresher.core.progress import Budget
from thresher.core.protocols import Judge, Shelf, Strategy
from thresher.core.records import (
    Fetched,
    Page,
    Topic,
    Url,
)
from thresher.core.url import parse as parse_url
from thresher.fetch.user_agent import agent_of, product_token
from thresher.frontier.workbench import Workbench
from thresher.gate.gate import PageRules
from thresher.gate.scope import Scope, first_reason, patterns
from thresher.gate.traps import Budgets, Traps
from thresher.judges import make_judge as judge_of
from thresher.judges import own_threshold
from thresher.parse import parse
from thresher.parse.sitemap import with_sitemaps
from thresher.settings.model import Settings


def make_parser(settings: Settings) -> Callable[[Fetched], Page]:
    """Return what turns a response into a page, sitemaps included where they are wanted."""
    strategy = strategy_class(settings.strategy.name)
    context, place, codes = (
        getattr(strategy, f"reads_{what}", True) for what in ("context", "place", "codes")
    )
    agent = product_token(agent_of(settings.web))
    of_seeds = getattr(strategy, "reads_context_of_seeds", False)

    def fitting(fetched: Fetched) -> Page:
        """Read what the strategy looks at, and nothing else."""
        wanted = context or (of_seeds and fetched.candidate.depth == 0)
        return parse(fetched, agent=agent, context=wanted, place=place, codes=codes)

    return with_sitemaps(fitting, asked_for=not settings.web.sitemaps)


def make_judge(settings: Settings, topic: Topic) -> Judge:
    """Return the judge the settings name."""
    return judge_of(topic, settings.judge.name, settings.judge.threshold)


def threshold_of(settings: Settings) -> float:
    """Return from which score on a page is relevant: as the settings say, or as the judge has it."""
    asked = settings.judge.threshold
    return own_threshold(settings.judge.name) if asked is None else asked


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


def make_mind(
    settings: Settings,
    strategy: Strategy,
    scope: Scope,
    shelf: Shelf | None = None,
    bench: Callable[..., Workbench] = Workbench,
) -> tuple[Strategy, Workbench]:
    """Return the strategy and its frontier, both behind the rules about traps and duplicates, if any."""
    web = settings.web
    if not settings.scope.rules:
        return strategy, bench(web.delay, web.per_host, scope.refuses, shelf)
    traps = make_traps(settings)
    refuses = first_reason(scope.refuses, traps.refuses)
    frontier = bench(web.delay, web.per_host, refuses, shelf, spent=traps.spent)
    nofollow, threshold = settings.scope.obey_nofollow, threshold_of(settings)
    return PageRules(strategy, traps, threshold, nofollow, web.max_redirects, frontier.refused), frontier


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
            seeds.append(parse_url(text))
        except InvalidUrl as error:
            complaints.append(str(error))
    if complaints and not seeds:
        raise NoSeedLeft(f"No seed is left to start from. {' '.join(complaints)}")
    if not seeds:
        raise NoSeeds("No seed to start from; give one with --seed URL.")
    for complaint in complaints:
        complain(complaint)
    return seeds
