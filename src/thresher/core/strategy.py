"""What every strategy starts from: a judge, a topic, and defaults for all that it may do."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from msgspec import Struct

from thresher.core.enums import Refusal, TopicForm
from thresher.core.interfaces import CrawlView, Judge
from thresher.core.records import (
    Candidate,
    GroupYield,
    LabelSuggestion,
    PriorityBreakdown,
    StrategyTable,
    Topic,
    Url,
    Visit,
)


class Needs(Struct, frozen=True):
    """What pages must carry for a strategy. What it does not need is not looked for."""

    context: bool = True  # the words around links
    context_of_seeds: bool = False  # those around the links of seeds, where it needs no others
    place: bool = True  # where on the page links are
    offsets: bool = False  # where the anchors of links stand in the text of their page
    codes: bool = False  # the structure and the text code in fingerprints
    words: bool = False  # the counted words of pages


class Defaults(Struct, frozen=True):
    """What the paper of a strategy says of its judge, unless the user says otherwise."""

    judge: str = ""  # empty: the default judge
    threshold_parameter: str = ""  # that says from which score on a page is relevant, if there is one
    topic_form: TopicForm = TopicForm.WHOLE  # how much of the topic its judge sees
    takes_node: bool = False  # starts from the node of the taxonomy that is called like the topic
    default_judge_in_lab: bool = False  # where the other strategies get the judge of a paper


class StrategyState(Struct, frozen=True):
    """What a strategy knows of its crawl: a head, saved as a whole, and rows under 64-bit keys."""

    head: str = ""
    rows: Iterable[tuple[int, bytes]] = ()  # saved: those that changed since the last time; loaded: all


class Insights(Struct, frozen=True):
    """What a strategy has learned, and which labels of pages would teach it most."""

    group_yields: Sequence[GroupYield]  # what groups of links have brought, the greatest gain first
    label_suggestions: Sequence[
        LabelSuggestion
    ]  # pages without a label of the user's, the most helpful label first


@dataclass
class Strategy:
    """Decides which links are fetched first: it returns candidates and touches nothing.

    The fields that a subclass adds are its parameters.
    """

    needs: ClassVar[Needs] = Needs()
    defaults: ClassVar[Defaults] = Defaults()

    bytes_per_link: ClassVar[int] = 200
    """How much a link that was offered may add to the memory of the strategy, beyond the frontier's."""

    state_version: ClassVar[int] = 1
    """The version of what `save` returns. What another version wrote is not loaded."""

    judge: Judge = field(kw_only=True)
    topic: Topic = field(kw_only=True)

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Return the first candidates: the seeds, in the order given."""
        return [Candidate(seed, priority=1.0) for seed in seeds]

    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        """Return what a visit suggests visiting next."""
        return ()

    def on_empty(self, memory: CrawlView) -> Iterable[Candidate]:
        """Return further candidates when the frontier is empty. Without any the crawl is over."""
        return ()

    def on_labels(self, labels: Mapping[Url, bool], memory: CrawlView) -> Iterable[Candidate]:
        """Learn from the user's labels of fetched pages, and return what has another priority now."""
        return ()

    def on_opinions(self, opinions: Mapping[Url, float], memory: CrawlView) -> Iterable[Candidate]:
        """Learn what a guide says of URLs that wait, from 0 to 1; return what has another priority now."""
        return ()

    def on_rejected(self, rejected: Sequence[tuple[Candidate, Refusal]]) -> None:
        """Learn which candidates were not queued, and why."""

    def missing(self) -> str:
        """Say what the topic lacks for this strategy and what stands in for it; usually nothing.

        Where nothing sensible can stand in, raise SettingsError with what to add to the topic.
        """
        return ""

    def left_out(self, crawl: CrawlView) -> str:
        """Say at the end what of its paper a crawl did not do, and why; usually nothing."""
        return ""

    def goes_by(self) -> str:
        """Say in a few words what of the topic its judge goes by."""
        return "its words"

    def explain(self, candidate: Candidate, memory: CrawlView) -> Sequence[str]:
        """Return the terms of a candidate's priority, one equation a line; the priority alone has none."""
        return ()

    def breakdown(self, candidate: Candidate, memory: CrawlView) -> PriorityBreakdown | None:
        """Return the terms of a candidate's priority as numbers, where it is a sum of them."""
        return None

    def insights(self) -> Insights | None:
        """Return what was learned so far, if that can be told."""
        return None

    def tables(self, crawl: CrawlView) -> Sequence[StrategyTable]:
        """Return the tables that its paper draws, the best rows of each first; usually none."""
        return ()

    def result_score(self, url: Url) -> float | None:
        """Return the score of a fetched page as a result, or None if it is none."""
        return None

    def save(self) -> StrategyState | None:
        """Return what is to be saved with the next transaction; None: nothing is ever saved."""
        return None

    def load(self, state: StrategyState) -> None:
        """Go on from what an earlier run saved."""

    def warm_start(self, earlier: "Strategy") -> bool:
        """Start from what an earlier crawl on the same topic learned. Returns whether that was anything."""
        return False

    def is_relevant(self, visit: Visit) -> bool:
        """Tell whether the page visited is about the topic, as the judge sees it."""
        return visit.guidance >= self.judge.threshold


class LabelFeed:
    """Where the user's labels of pages come from."""

    def new_labels(self) -> Mapping[Url, bool]:
        """Return the labels if there are new ones, else none."""
        raise NotImplementedError


class LinkGuide:
    """Says of links that wait how much they promise, while the crawl goes on."""

    def new_opinions(self, crawl: CrawlView) -> Mapping[Url, float]:
        """Return what is new since the last visit, from 0 to 1 for each URL; called after every visit."""
        raise NotImplementedError
