"""The loop: a crawl is a fold over its visits. It sees the doors, never the rooms."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thresher.core.progress import NOTHING_LEFT, Finish, Progress
from thresher.core.protocols import Clock, Frontier, Store, Strategy, Workers
from thresher.core.records import Url, Visit


@dataclass
class Crawl:
    """One crawl, put together: the mind offers, the hands visit, the store remembers."""

    strategy: Strategy
    frontier: Frontier
    workers: Workers
    store: Store
    clock: Clock
    progress: Progress
    watch: Callable[[Visit, Progress], None] = lambda visit, progress: None
    grace: float = 5.0  # seconds that what is under way may take at the end: a host that hangs cannot hold it

    async def run(self, seeds: Sequence[Url]) -> Finish:
        """Visit until the budget is spent or nothing is left, and return which it was."""
        self.frontier.offer(self.strategy.start(seeds))
        while not (finish := self.progress.finished(self.clock.now())):
            wake = self.send_ready()
            if not self.workers.busy and not self.frontier:
                if not (offers := list(self.strategy.more(self.store))):
                    return NOTHING_LEFT
                self.frontier.offer(offers)
                wake = self.clock.now()  # what is new is sent at once; if all is known it is asked again
            await self.absorb_next(self.progress.patience(self.clock.now(), wake, self.workers.busy))
        end = self.clock.now() + self.grace
        while self.workers.busy and self.clock.now() < end:
            await self.absorb_next(None)
        return finish

    def send_ready(self) -> float | None:
        """Give every free hand the best candidate, and return when the next host will have rested."""
        while self.workers.free and self.progress.has_room(self.workers.busy):
            if not (candidate := self.frontier.take(self.clock.now())):
                return self.frontier.wake()
            self.workers.send(candidate)
        return None

    async def absorb_next(self, patience: float | None) -> None:
        """Fold the next visit, if one ends in time, into the frontier, the store and the strategy."""
        if not self.workers.busy and patience and patience > 1.0:
            self.store.commit()  # for a while there will be nothing to do
        if not (visit := await self.workers.next(patience)):
            return self.store.pause()
        self.store.add(visit)  # first: what follows belongs to the same transaction
        self.frontier.done(visit.candidate, self.clock.now(), visit.rest)
        self.progress.add(visit)
        self.frontier.offer([visit.onward] if visit.onward else [])
        self.frontier.offer(self.strategy.learn(visit, self.store))
        self.watch(visit, self.progress)
