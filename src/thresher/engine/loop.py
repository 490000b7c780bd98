"""The loop: a crawl is a fold over its visits. It sees protocols, never packages."""

from collections.abc import Sequence

from thresher.core.progress import NOTHING_LEFT, Finish
from thresher.core.records import Url
from thresher.engine.pipeline import Pipeline

SKIPPED = 200  # candidates passed over in one turn of the loop: a trap may leave tens of thousands


class Crawl(Pipeline):
    """The pipeline at work: candidates go out to the workers, visits come back into the fold."""

    async def run(self, seeds: Sequence[Url]) -> Finish:
        """Visit until the budget is spent or nothing is left, and return which it was."""
        self.start(seeds)
        while not (finish := self.progress.finished(self.clock.now())):
            asked = self.ask_for_more()
            wake = self.send_ready()
            if not self.workers.busy and not self.frontier and not asked:
                return NOTHING_LEFT
            if asked:
                wake = self.clock.now()  # what is new is sent at once; if all is known it is asked again
            await self.handle_next(self.progress.patience(self.clock.now(), wake, self.workers.busy))
        end = self.clock.now() + self.drain
        while self.workers.busy and self.clock.now() < end:
            await self.handle_next(None)
        return finish

    def send_ready(self) -> float | None:
        """Give every free worker the best candidate, and return when there is a reason to look again."""
        skipped = 0
        while self.workers.free and self.progress.has_room(self.workers.busy) and skipped < SKIPPED:
            if not (candidate := self.frontier.take(self.clock.now())):
                return self.frontier.wake()
            if refusal := self.gate.still_worth(candidate):
                self.frontier.skip(candidate)
                self.tell_refusals([(candidate, refusal)])
                skipped += 1
            else:
                self.workers.send(candidate)
        return self.clock.now() if skipped == SKIPPED else None

    async def handle_next(self, patience: float | None) -> None:
        """Fold the next visit, if one ends in time, into the store, the strategy and the frontier."""
        if not self.workers.busy and patience and patience > 1.0:
            self.store.commit()  # for a while there will be nothing to do
        if not (visit := await self.workers.next(patience)):
            return self.store.pause()
        await self.take_in(visit)
