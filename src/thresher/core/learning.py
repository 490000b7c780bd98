"""The doors of a judge who learns in a crawl."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from msgspec import Struct

from thresher.core.protocols import Memory
from thresher.core.records import Page, Reason, Url, Visit


class Learned(Protocol):
    """What a judge has learned in a crawl: the fold adds it to what the judge says of a page by itself."""

    def judged(self, visit: Visit) -> Visit:
        """Return the visit with the relevance of its page as it is known now, and learn from a new page."""

    def recall(self, visits: Iterable[Visit], labels: Mapping[Url, bool]) -> None:
        """Meet the pages of an earlier run again, in their order, with what the user has said of them."""

    def hear(self, labels: Mapping[Url, bool], memory: Memory) -> None:
        """Learn what the user says of pages that were met."""

    def now(self, page: Page, label: bool | None = None) -> float:
        """Return the relevance of a page that was met, as it is known now."""


class Taught(Struct, frozen=True):
    """What a crawl has taught its judge about one page."""

    alone: float  # what the judge says by himself
    now: float  # with what was learned
    pages: int  # learned from
    words: tuple[Reason, ...]  # what each word of the page adds to the log odds, the weightiest first


@runtime_checkable
class TellsLessons(Protocol):
    """What a judge has learned, and that can say by which words of a page."""

    def taught(self, page: Page, label: bool | None = None) -> Taught:
        """Return what was learned about a page that was met; what it itself taught does not count."""


@runtime_checkable
class LearningJudge(Protocol):
    """A judge who learns in a crawl; what he says of a page by himself needs nothing but the page."""

    def learner(self) -> Learned:
        """Return what will learn in a crawl, and knows nothing yet."""


@runtime_checkable
class FindsThreshold(Protocol):
    """A judge who tells by the scores of a crawl from which of them on pages are relevant."""

    def threshold_for(self, scores: Sequence[float]) -> float:
        """Return it, where the user has not said."""
