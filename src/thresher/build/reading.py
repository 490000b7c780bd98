"""What it takes to read a page: which parser and which judge, as one record that a process can be told."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from thresher.build.parsing import COMMAND, Parsing, parser_of
from thresher.build.plugins import ASKING, has_own, judge_class, own_threshold, strategy_class
from thresher.core.enums import TopicForm
from thresher.core.errors import SettingsError
from thresher.core.interfaces import CrawlView, Judge, OnlineJudge
from thresher.core.records import Fetched, Page, Topic
from thresher.engine.read import as_sync
from thresher.engine.reader_process import ParserProcess, framed
from thresher.fetch.request_headers import robots_token_of
from thresher.judges import DEFAULT_JUDGE, JUDGES
from thresher.judges.baselines import GuardedJudge
from thresher.judges.boilerplate import WithoutBoilerplate
from thresher.settings.components import JudgeSettings
from thresher.settings.model import Settings
from thresher.topic.build import path_vectors, seen_as, word_weights


class ReadingTask(Struct, frozen=True):
    """How pages are read and judged, without what a crawl learns on its way."""

    topic: Topic
    judge: str
    threshold: float | None
    form: str
    parsing: Parsing
    counts_words: bool = False
    guard: bool = False

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that are not ours, by their names."""
        return tuple(
            name for name in (self.judge, *self.parsing.readers) if name not in JUDGES and name not in ASKING
        )

    def make_judge(self) -> Judge:
        """Return the judge."""
        return judge_named(self.judge, self.threshold, self.topic, self.form, JudgeSettings(guard=self.guard))


def reading_task(settings: Settings, topic: Topic) -> ReadingTask:
    """Return how the pages of a crawl are read."""
    settled = with_own_judge(settings)
    asked = settled.judge
    learns = settings.judge.learns and has_own(judge_class(asked.name), Judge.learner)
    counted = learns or strategy_class(settings.strategy.name).needs.words
    form, parsing = settled.topic.form, parsing_of(settings)
    return ReadingTask(topic, asked.name, asked.threshold, form, parsing, counted, asked.guard)


def limited_reader(parsing: Parsing, seconds: float) -> ParserProcess:
    """Return the one process that parses what is large or a document; a page there may take so long."""
    return ParserProcess(COMMAND, framed(parsing), seconds)


def make_parser(settings: Settings) -> Callable[[Fetched], Page]:
    """Return what turns a response into a page, sitemaps included where they are wanted."""
    return parser_of(parsing_of(settings))


def parsing_of(settings: Settings) -> Parsing:
    """Return what of a page the strategy and the settings ask for."""
    needs = strategy_class(settings.strategy.name).needs
    return Parsing(
        robots_token_of(settings.web),
        needs.context,
        needs.context_of_seeds,
        needs.place,
        needs.codes or settings.revisit.change == "paper",
        needs.offsets,
        settings.web.sitemaps,
        settings.web.readers,
    )


def with_own_judge(settings: Settings) -> Settings:
    """Return the settings with the judge, threshold and topic form of the strategy's paper.

    A judge that the user names has its own threshold and the whole topic. A judge that finds the
    threshold by the pages of the crawl is given none.
    """
    defaults, judge = strategy_class(settings.strategy.name).defaults, settings.judge
    name, named = judge.name or defaults.judge or DEFAULT_JUDGE, bool(judge.name)
    form = TopicForm.WHOLE if named else defaults.topic_form
    parameter = settings.strategy.parameters.get(defaults.threshold_parameter, 0.0)
    threshold = judge.threshold
    if threshold is None and parameter and not named:
        threshold = float(parameter)
    elif threshold is None and not has_own(judge_class(name), Judge.threshold_for):
        threshold = own_threshold(name)
    return replace(
        settings,
        judge=replace(judge, name=name, threshold=threshold),
        topic=replace(settings.topic, form=settings.topic.form or form.value),
    )


def make_judge(settings: Settings, topic: Topic) -> Judge:
    """Return the judge the settings name, or that of the strategy's paper."""
    asked = with_own_judge(settings)
    networks = asked.web.allow_networks
    return judge_named(
        asked.judge.name, asked.judge.threshold, topic, asked.topic.form, asked.judge, networks
    )


def judge_named(
    name: str,
    threshold: float | None,
    topic: Topic,
    form: str,
    asked: JudgeSettings = JudgeSettings(),
    networks: tuple[str, ...] = (),
) -> Judge:
    """Return a judge by its name, for its part of the topic."""
    given = _elsewhere(asked, networks, topic, form) if name in ASKING else {}
    threshold = own_threshold(name) if threshold is None else threshold
    judge: Judge = judge_class(name)(seen_as(topic, TopicForm(form)), threshold, **given)
    return GuardedJudge(judge) if asked.guard and name != DEFAULT_JUDGE and not judge.in_batches else judge


def _elsewhere(asked: JudgeSettings, networks: tuple[str, ...], topic: Topic, form: str) -> dict[str, Any]:
    """Return the arguments of a judge that asks a model's endpoint: its address, and the fallback judge.

    A process that reads pages does not know where, and need not: such a judge is asked by the crawl.
    """
    from thresher.models.endpoint import ModelEndpoint  # aiohttp: more than a reader process takes to start

    endpoint = ModelEndpoint(asked.endpoint, asked.model, asked.key, networks, ANSWER_SECONDS, tries=1)
    other = judge_named(asked.fallback, own_threshold(asked.fallback), topic, form)
    return {"endpoint": endpoint, "fallback": other, "fallback_name": asked.fallback}


ANSWER_SECONDS = 20.0  # that vectors may take; then another judge stands in


def check_judge(settings: Settings) -> None:
    """Refuse a remote judge without an endpoint, or one that is its own fallback."""
    asked = settings.judge
    if asked.name not in ASKING:
        return
    if not (asked.endpoint and asked.model):
        raise SettingsError(
            f"The judge {asked.name} asks a model for vectors: name it with --set judge.endpoint=URL and "
            "--set judge.model=NAME."
        )
    if judge_class(asked.fallback).in_batches:
        raise SettingsError("judge.fallback stands in while the endpoint is away: name one that needs none.")


def threshold_of(settings: Settings) -> float:
    """Return from which score on a page is relevant on the way: as the settings or the judge have it."""
    judge = with_own_judge(settings).judge
    return own_threshold(judge.name) if judge.threshold is None else judge.threshold


def learner_of(judge: Judge, settings: JudgeSettings, topic: Topic, store: CrawlView) -> OnlineJudge | None:
    """Return what a judge learns in a crawl: what relevant pages are like, or which lines are boilerplate."""
    wanted = settings.skip_boilerplate
    learned = judge.learner(None if wanted is False else store)
    if learned and settings.learns:
        return learned
    skips = learned is not None if wanted is None else wanted
    return WithoutBoilerplate(as_sync(judge), _words_of(topic)) if skips else None


def _words_of(topic: Topic) -> Iterator[str]:
    """Yield the words that any judge may look for."""
    named = dict.fromkeys((topic.name, *topic.lexicon, *chain.from_iterable(topic.facets)), 1.0)
    for path in path_vectors(topic):
        yield from word_weights(named | path)
