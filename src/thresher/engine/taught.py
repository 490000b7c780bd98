"""A strategy that the user may teach while the crawl goes on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from thresher.core.protocols import Memory, Strategy, Teachable
from thresher.core.records import Candidate, Url, Visit


@dataclass
class TaughtStrategy:
    """The strategy behind it; what the user has said of pages since the last visit is handed on to it."""

    inner: Strategy
    teachable: Teachable
    news: Callable[[], Mapping[Url, bool]]

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        """Ask for the first candidates."""
        return self.inner.start(seeds)

    def learn(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Ask what a visit suggests, and what has been taught."""
        offers = list(self.inner.learn(visit, memory))
        if labels := self.news():
            offers += self.teachable.teach(labels, memory)
        return offers

    def more(self, memory: Memory) -> Iterable[Candidate]:
        """Ask for further candidates."""
        return self.inner.more(memory)
