"""A judge that learns while a crawl goes on: from seeds, from pages the user labelled, from the background.

    score  = (topical + SHARE * likeness) * readable + corrections . page
    topical      what the crawl's judge makes of the page, its threshold being one half; less if the page says
                 the same words over and over
    likeness     cos(page, examples - background): the words of the examples that are not everywhere here
    readable     near 1 for a page to read, near 0 for one that is mostly links: a list is not what it lists
    corrections  what the words of labelled pages add or take away: a ridge regression on what was missed,
                 and a page that was judged right has missed nothing

A seed may be off topic, so it counts as an example by as much as it is topical and readable. The background
is what was fetched and is not topical. docs/trust/learner.md
"""

from collections.abc import Mapping, Sequence
from functools import cache
from math import exp, sqrt

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.core.interfaces import CrawlView, Judge
from thresher.core.records import Page, Url
from thresher.judges.question.page import SIZE, looked_up
from thresher.judges.word_evidence import page_counts
from thresher.strategies.learned.features import LinkFeatures
from thresher.strategies.learned.rows import History
from thresher.text.vectors import shipped_vectors

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

SHARE = 1.0
LISTS = 0.7  # the share of a page's text that is anchors, from which on it is a list
BLUR = 0.1  # the width of the step from page to list, as a share
LEAST, MOST = -0.5, 1.5
BACKGROUND = 300  # pages; more of them change nothing
STUFFED, TELLING = 2.5, 60  # fewer different words than 2.5 times the root of all were not written to be read
WANTED, UNWANTED = 0.8, 0.2  # what a page is worth at least, or at most, when the user has said which it is
DOUBT = 0.3  # the ridge: how far a label is explained by something else than the words of its page
AT_ONCE = 256  # labels that are weighed against each other
LEAST_EDGE = 1e-3  # how near to 0 or 1 a threshold counts at most
NEVER_NONE = 1e-3  # what even a seed without a word of the topic counts for


class PageVector(Struct, frozen=True):
    """A page as this judge sees it: its words as a unit vector, how topical it is, how much it is read."""

    places: Places
    values: Floats
    topical: float
    readable: float


class PageLabeller:
    """Judges pages by the topic and by examples that may come at any time."""

    def __init__(self, judge: Judge) -> None:
        """Know the crawl's judge."""
        self.judge = judge
        self.examples: Floats = np.zeros(SIZE)
        self.background: Floats = np.zeros(SIZE)
        self.corrections: Floats = np.zeros(SIZE)
        self.shown = 0.0  # how much the examples weigh in all
        self.passed = 0.0  # how much the background does
        self.seen = 0
        self.changed: set[str] = set()  # which of the three vectors was added to

    def read(
        self, page: Page, relevance: float | None = None, words: Mapping[str, int] | None = None
    ) -> PageVector:
        """Return a page as this judge sees it; what the crawl has found out of it need not be found again."""
        counts = looked_up(page_counts(page) if words is None else words)
        values = np.log1p(counts.times) * _rarities()[counts.rows]
        length = float(np.sqrt(values @ values))
        readable = 1 / (1 + exp((_share_of_links(page) - LISTS) / BLUR))
        unit: Floats = values / (length or 1.0)
        topical = self._evenly(page, relevance) * _variety(len(unit), float(counts.times.sum()))
        return PageVector(counts.places, unit, topical, readable)

    def _evenly(self, page: Page, relevance: float | None) -> float:
        """Return what the crawl's judge makes of a page, on a scale on which its threshold is one half."""
        if relevance is None:
            relevance = 0.0 if self.judge.in_batches else self.judge.score(page)
        edge = min(max(self.judge.threshold, LEAST_EDGE), 1 - LEAST_EDGE)
        return relevance / (2 * edge) if relevance < edge else 1 - (1 - relevance) / (2 * (1 - edge))

    def score(self, page: PageVector) -> float:
        """Return how much the page is what the user wants, about 1 for what is and 0 for what is not."""
        wanted = self.examples[page.places] / self.shown if self.shown else 0.0
        common = self.background[page.places] / self.passed if self.passed else 0.0
        likeness = float(page.values @ (wanted - common)) if self.shown else 0.0
        corrected = float(page.values @ self.corrections[page.places])
        return min(MOST, max(LEAST, (page.topical + SHARE * likeness) * page.readable + corrected))

    def add_positive(self, page: PageVector, weight: float | None = None) -> None:
        """Take a page for an example of what is wanted; unless told how much, as far as it seems one."""
        if weight is None:
            weight = (page.topical + NEVER_NONE) * page.readable
        self._add("examples", page, weight)
        self.shown += weight

    def correct(self, pages: Sequence[PageVector], labels: Sequence[bool]) -> None:
        """Learn from pages the user has labelled what the words of such pages were misjudged by.

        Solved page by page and not word by word, because there are few pages and many words.
        """
        for start in range(0, len(pages), AT_ONCE):
            some = pages[start : start + AT_ONCE]
            vectors = np.zeros((len(some), SIZE), np.float32)
            for vector, page in zip(vectors, some, strict=True):
                np.add.at(vector, page.places, page.values)
            scores = [self.score(page) for page in some]
            missed = np.array([*map(_told, labels[start : start + AT_ONCE], scores)]) - scores
            overlap = (vectors @ vectors.T).astype(np.float64) + DOUBT * np.eye(len(some))
            for page, much in zip(some, np.linalg.solve(overlap, missed).tolist(), strict=True):
                self._add("corrections", page, much)

    def add_background(self, page: PageVector) -> None:
        """Let a fetched page count for the background, as far as it is not topical."""
        self.seen += 1
        if self.seen <= BACKGROUND and page.topical < 0.5:
            self._add("background", page, 1 - 2 * page.topical)
            self.passed += 1 - 2 * page.topical

    def inherit(self, earlier: "PageLabeller") -> None:
        """Start from the examples, the background and the corrections of another judge of the topic.

        The background of this web still comes on top.
        """
        for name in ("examples", "background", "corrections"):
            setattr(self, name, getattr(earlier, name).copy())
            self.changed.add(name)
        self.shown, self.passed = earlier.shown, earlier.passed

    def _add(self, name: str, page: PageVector, weight: float) -> None:
        np.add.at(getattr(self, name), page.places, weight * page.values)
        self.changed.add(name)


def _told(wanted: bool, score: float) -> float:
    """Return what a page is worth that had a score and was labelled.

    On the scale of the judge: else the words of a host that happens to be labelled would count for more
    than those of one that is as good.
    """
    return max(score, WANTED) if wanted else min(score, UNWANTED)


def _share_of_links(page: Page) -> float:
    """Return the share of a page's text that stands in links."""
    return min(1.0, sum([len(link.anchor) for link in page.links]) / (1 + len(page.text)))


def _variety(different: int, words: float) -> float:
    """Return 1 for what people write, and less the more often a stuffed page repeats its words."""
    return min(1.0, different / (STUFFED * sqrt(words))) ** 2 if words > TELLING else 1.0


@cache
def _rarities() -> Floats:
    """Return the rarity of the word of each row, in thousandths: values are brought to a length of one."""
    return np.round(1_000 * np.array([*shipped_vectors().rarities([*shipped_vectors().words, ""])]))


JUDGED_AGAIN = 300  # pages, the latest


def teach(
    labels: Mapping[Url, bool],
    taught: dict[Url, bool],
    judge: PageLabeller,
    evidence: LinkFeatures,
    history: History,
    memory: CrawlView,
) -> bool:
    """Learn from labels that are new beside those `taught` before, and return whether there was something.

    Labels of one kind are noted and wait for one of the other: many a no says that nothing was found yet,
    not which words are wrong.
    """
    new = {
        url: wanted for url, wanted in labels.items() if taught.get(url) is not wanted and memory.page(url)
    }
    had_both = _has_both_kinds(taught)
    taught |= new
    if not new or not (had_both or _has_both_kinds(taught)):
        return False
    _correct(judge, new if had_both else taught, memory)
    for place in history.latest(min(len(history), JUDGED_AGAIN)):
        _judge_again(place, judge, evidence, history, memory)
    return True


def _has_both_kinds(labels: Mapping[Url, bool]) -> bool:
    """Return whether there are labels of both kinds."""
    return len({*labels.values()}) == 2


def _correct(judge: PageLabeller, labels: Mapping[Url, bool], memory: CrawlView) -> None:
    """Let the judge learn from labelled pages."""
    pages = {url: page for url in labels if (page := memory.page(url))}
    judge.correct([*map(judge.read, pages.values())], [labels[url] for url in pages])


def _judge_again(
    place: int, judge: PageLabeller, evidence: LinkFeatures, history: History, memory: CrawlView
) -> None:
    """Judge a page that was learned from once more, and correct what was counted for its groups."""
    url, _, groups, before = history.at(place)
    page = memory.page(url)
    if page is None:
        return
    label = judge.score(judge.read(page))
    history.correct(place, label)
    evidence.count(groups, label - before, visits=0)
