"""What the user says of pages while the crawl goes on: a strategy learns it, and the counts follow it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from thresher.core.progress import Progress
from thresher.core.protocols import Memory, Strategy, Teachable
from thresher.core.records import Candidate, Url, Visit
from thresher.store.database import Database
from thresher.store.labels import Labels


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


@dataclass
class Recount:
    """Counts the relevant pages anew when the user has said something of one, and then watches as asked."""

    store: Database
    labels: Labels
    watch: Callable[[Visit, Progress], None]

    def __call__(self, visit: Visit, progress: Progress) -> None:
        """Look for labels after a visit."""
        if self.labels.news():
            progress.relevant = self.store.tally(progress.threshold).relevant
        self.watch(visit, progress)
