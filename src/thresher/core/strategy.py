"""What a strategy must be, and what it may be besides."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from thresher.core.enums import Refusal
from thresher.core.interfaces import Memory
from thresher.core.records import Candidate, Lesson, Question, Url, Visit


class Strategy(Protocol):
    """The mind of a crawl: it returns candidates and touches nothing."""

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Return the first candidates."""

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Return what a visit suggests visiting next."""

    def more(self, memory: Memory) -> Iterable[Candidate]:
        """Return further candidates when the frontier has run dry; none means that there are none left."""


@runtime_checkable
class HearsRefusals(Protocol):
    """A strategy that wants to know which of its offers were refused."""

    def refused(self, refusals: Sequence[tuple[Candidate, Refusal]]) -> None:
        """Take note of offers that are not queued, and why."""


class LabelFeed(Protocol):
    """Where what the user says of pages comes from."""

    def news(self) -> Mapping[Url, bool]:
        """Return the labels if there are new ones, else none."""


@runtime_checkable
class Explaining(Protocol):
    """A strategy that can say what a price was made of."""

    def explain(self, candidate: Candidate, memory: Memory) -> Sequence[str]:
        """Return the terms of a candidate's price as equations with their numbers, one a line."""


@runtime_checkable
class Teachable(Protocol):
    """A strategy that learns from what the user says of fetched pages."""

    def teach(self, labels: Mapping[Url, bool], memory: Memory) -> Iterable[Candidate]:
        """Take up which pages are wanted and which are not, and return what should be priced anew."""


@runtime_checkable
class Reflecting(Protocol):
    """A strategy that can say what it has learned, and which labels of pages would teach it most."""

    def lessons(self) -> Sequence[Lesson]:
        """Return what groups of links have brought, the greatest gain first."""

    def questions(self) -> Sequence[Question]:
        """Return the pages visited that the user has not labelled, the most helpful label first."""


@runtime_checkable
class Inheriting(Protocol):
    """A strategy that can start from what it learned in an earlier crawl on the same topic."""

    def inherit(self, earlier: object) -> bool:
        """Take up what a strategy of this kind knew of its crawl; tell whether that was anything."""


@runtime_checkable
class Ranking(Protocol):
    """A strategy with a score of its own for results."""

    def worth(self, url: Url) -> float | None:
        """Return what a fetched page is worth as a result, or None if it is none."""


@runtime_checkable
class Remembering(Protocol):
    """A strategy with a small state of its own, kept as a whole in the same transaction as the visits."""

    def remember(self) -> str:
        """Return the state."""

    def recall(self, saved: str) -> None:
        """Take up the state of an earlier run."""


@runtime_checkable
class Bookkeeping(Protocol):
    """A strategy that knows something of every page or link: too much to be kept as a whole each time.

    The store keeps an entry for each, under a 64-bit key, and is told of those that changed.
    """

    def changes(self) -> Sequence[tuple[int, bytes]]:
        """Return the entries that are new or changed since this was last asked."""

    def restore(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Take up the entries of an earlier run, after `recall` if there is one."""
