"""Settings become objects: which judge, frontier and budget a crawl gets, and which seeds."""

from collections.abc import Callable, Iterable
from math import inf

from msgspec.structs import replace

from thresher.build.plugins import judge_class, own_threshold, reader_class, strategy_class
from thresher.core.errors import InvalidUrl, NoSeedLeft, NoSeeds
from thresher.core.progress import Budget
from thresher.core.protocols import AnyJudge
from thresher.core.records import Fetched, Page, Topic, Url
from thresher.core.url import parse as parse_url
from thresher.core.url import with_scheme
from thresher.fetch.user_agent import NAME, VERSION, agent_of, product_token
from thresher.gate.gate import Gate
from thresher.gate.pages import PageRules
from thresher.gate.scope import Scope, patterns
from thresher.gate.traps import Budgets, Traps
from thresher.judges import DEFAULT_JUDGE
from thresher.parse import parse
from thresher.parse.sitemap import with_sitemaps
from thresher.settings.model import Settings
from thresher.strategies import BaseStrategy
from thresher.topic.build import TopicForm, seen_as


def make_parser(settings: Settings) -> Callable[[Fetched], Page]:
    """Return what turns a response into a page, sitemaps included where they are wanted."""
    strategy = strategy_class(settings.strategy.name)
    context, place, codes, offsets = (
        getattr(strategy, f"reads_{what}", True) for what in ("context", "place", "codes", "offsets")
    )
    codes = codes or settings.revisit.change == "paper"
    agent = product_token(agent_of(settings.web))
    of_seeds = getattr(strategy, "reads_context_of_seeds", False)
    readers = tuple(reader_class(name)() for name in settings.web.readers)

    def fitting(fetched: Fetched) -> Page:
        """Read what the strategy looks at, and nothing else."""
        wanted = context or (of_seeds and fetched.candidate.depth == 0)
        return parse(
            fetched, agent=agent, context=wanted, place=place, codes=codes, offsets=offsets, readers=readers
        )

    return with_sitemaps(fitting, asked_for=not settings.web.sitemaps)


def reads_words(settings: Settings) -> bool:
    """Tell whether the strategy looks at the words of pages, which are then counted once for all."""
    return bool(getattr(strategy_class(settings.strategy.name), "reads_words", False))


def with_own_judge(settings: Settings) -> Settings:
    """Return the settings with the judge, threshold and topic form of the strategy's paper.

    Who names a judge gets that one with its own threshold and the whole topic.
    """
    kind, judge = strategy_class(settings.strategy.name), settings.judge
    named, own = bool(judge.name), getattr(kind, "own_judge", "")
    name = judge.name or own or DEFAULT_JUDGE
    form = TopicForm.WHOLE if named else getattr(kind, "topic_form", TopicForm.WHOLE)
    parameter = settings.strategy.parameters.get(getattr(kind, "own_threshold", ""), 0.0)
    threshold = judge.threshold
    if threshold is None:
        threshold = own_threshold(name) if named or not parameter else float(parameter)
    return replace(
        settings,
        judge=replace(judge, name=name, threshold=threshold),
        topic=replace(settings.topic, form=settings.topic.form or form.value),
    )


def make_judge(settings: Settings, topic: Topic) -> AnyJudge:
    """Return the judge the settings name, or that of the strategy's paper."""
    asked = with_own_judge(settings)
    kind, seen = judge_class(asked.judge.name), seen_as(topic, TopicForm(asked.topic.form))
    judge: AnyJudge = kind(seen, asked.judge.threshold)
    return judge


def threshold_of(settings: Settings) -> float:
    """Return from which score on a page is relevant: as the settings say, or as the judge has it."""
    return with_own_judge(settings).judge.threshold or 0.0


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
