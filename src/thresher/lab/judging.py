"""Judges of the lab: one that remembers its scores, and the one of Chen et al. that no crawl is guided by."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt

from thresher.core.doors import Judge
from thresher.core.records import Page, Reason, Url
from thresher.lab.corpus import Corpus, CorpusTopic
from thresher.settings.rooms import JudgeSettings
from thresher.text.words import words

PAPERS_JUDGE = JudgeSettings("cosine", 0.1)
"""The cosine and the delta of Chen et al. 2009: what guides a contender that does not ask for another."""

MOST_TEXTS = 200_000  # short texts remembered at a time: some 50 MB


@dataclass
class Remembering:
    """The judge behind it; in a recorded web a page of one URL is always the same, so is its score."""

    inner: Judge
    threshold: float = field(init=False)
    _scores: dict[Url, float] = field(default_factory=dict)
    _similarities: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take over from which score on a page is relevant."""
        self.threshold = self.inner.threshold

    def score(self, page: Page) -> float:
        """Return the score of a page, judging it only once."""
        if page.url not in self._scores:
            self._scores[page.url] = self.inner.score(page)
        return self._scores[page.url]

    def similarity(self, text: str) -> float:
        """Return how well a short text fits the topic: the strategies of a comparison ask alike."""
        known = self._similarities.get(text)
        if known is None:
            if len(self._similarities) >= MOST_TEXTS:
                self._similarities.clear()
            known = self._similarities[text] = self.inner.similarity(text)
        return known

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the evidence for the page's score."""
        return self.inner.explain(page)


class Description:
    """R'_PC = cos(page, Desc), eq. (9): Desc is all that is said of the topic and of the topics below it."""

    def __init__(self, corpus: Corpus, topic: CorpusTopic) -> None:
        """Gather what the corpus says of the topic's subtree."""
        below = [each for each in corpus.topics.values() if _is_below(each.path, topic.path)]
        self._weights = Counter(words("\n".join(_said(each) for each in below)))
        self._length = _length(self._weights)
        self._known: dict[Url, float] = {}

    def information(self, page: Page) -> float:
        """Return what a page adds to the sum of information, eq. (11)."""
        if page.url not in self._known:
            self._known[page.url] = self._cosine(Counter(words(f"{page.title}\n{page.text}")))
        return self._known[page.url]

    def _cosine(self, counts: Counter[str]) -> float:
        shared = sum(weight * counts[word] for word, weight in self._weights.items())
        return shared / (self._length * _length(counts)) if shared else 0.0


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _said(topic: CorpusTopic) -> str:
    labels = [label for path in topic.labels().values() for label in path[-1:]]
    return "\n".join([*labels, *topic.words(), topic.description])


def _length(counts: Counter[str]) -> float:
    return sqrt(sum(count * count for count in counts.values()))
