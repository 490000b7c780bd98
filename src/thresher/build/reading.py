"""Settings become a reader of pages: which parser and which judge; all that a reader process needs."""

from collections.abc import Callable

from msgspec.structs import replace

from thresher.build.plugins import judge_class, own_threshold, reader_class, strategy_class
from thresher.core.protocols import AnyJudge
from thresher.core.records import Fetched, Page, Topic
from thresher.fetch.user_agent import agent_of, product_token
from thresher.judges import DEFAULT_JUDGE
from thresher.parse import parse
from thresher.parse.sitemap import with_sitemaps
from thresher.settings.model import Settings
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
