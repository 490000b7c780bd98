"""The frontier of a replay: the order is the price's alone, and a redirect is followed on the spot."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

from msgspec.structs import replace

from thresher.core.doors import Frontier
from thresher.core.records import Candidate
from thresher.core.url import asked_key


@dataclass
class PromptFrontier:
    """The frontier behind it, in which the target of a redirect takes the turn of the link that led to it.

    So a strategy sees the graph of pages, whichever spelling of an address a link uses. Unless `polite`,
    what hosts ask for in pauses is not waited for: nothing but the price decides who is next.
    """

    inner: Frontier
    polite: bool = False
    _onward: dict[int, Candidate] = field(default_factory=dict)

    def offer(self, candidates: Iterable[Candidate]) -> int:
        """Queue the new; what a redirect leads to comes next."""
        return self.inner.offer(map(self._promptly, candidates))

    def take(self, now: float) -> Candidate | None:
        """Hand out the best candidate, with the price its strategy gave it."""
        candidate = self.inner.take(now)
        return self._onward.pop(asked_key(candidate), candidate) if candidate else None

    def done(self, candidate: Candidate, now: float, rest: float = 0.0) -> None:
        """Let the host rest, if anybody asked for that."""
        self.inner.done(candidate, now, rest if self.polite else 0.0)

    def wake(self) -> float | None:
        """Return when the next resting host is ready."""
        return self.inner.wake()

    def __len__(self) -> int:
        return len(self.inner)

    def _promptly(self, candidate: Candidate) -> Candidate:
        if not candidate.redirects:
            return candidate
        self._onward[asked_key(candidate)] = candidate
        return replace(candidate, priority=inf, reprice=True)
