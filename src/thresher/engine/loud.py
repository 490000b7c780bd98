"""A strategy that raises stops the crawl loudly, by name, and at the visit that broke it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from thresher.core.errors import StrategyFailed
from thresher.core.protocols import Memory, Strategy
from thresher.core.records import Candidate, Url, Visit


@dataclass
class LoudStrategy:
    """The strategy behind it, with every exception turned into StrategyFailed."""

    inner: Strategy
    name: str

    def start(self, seeds: Sequence[Url]) -> list[Candidate]:
        """Ask for the first candidates."""
        return self._ask("its seeds", lambda: self.inner.start(seeds))

    def learn(self, visit: Visit, memory: Memory) -> list[Candidate]:
        """Ask what a visit suggests."""
        url = visit.candidate.url
        return self._ask(url, lambda: self.inner.learn(visit, memory), unlearned=url)

    def more(self, memory: Memory) -> list[Candidate]:
        """Ask for further candidates."""
        return self._ask("the empty frontier", lambda: self.inner.more(memory))

    def _ask(
        self, about: str, question: Callable[[], Iterable[Candidate]], unlearned: str = ""
    ) -> list[Candidate]:
        try:
            offers = list(question())
            for offer in offers:
                if offer.priority != offer.priority:  # NaN would upset every order
                    raise ValueError(f"the price of {offer.url} is not a number")
            return offers
        except Exception as error:
            raise StrategyFailed(
                f"Strategy {self.name} raised {error!r} at {about}. What was fetched so far is stored; "
                "mend the strategy, then go on with 'thresher resume'.",
                unlearned,
            ) from error
