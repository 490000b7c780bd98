"""The engine: a crawl is a fold over its visits. It sees interfaces, never other packages."""

from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from time import process_time

from msgspec.structs import replace

from thresher.core.enums import REVISITS, Detail, Outcome, Request
from thresher.core.errors import JudgeFailed, StageFailed, StoreFailed, StrategyFailed
from thresher.core.interfaces import Clock, Filters, Frontier, Observer, OnlineJudge, StopRule, Store, Workers
from thresher.core.progress import NOTHING_LEFT, Finish, Progress
from thresher.core.records import PORTION, Candidate, UniformOffers, Url, Visit, chunked
from thresher.core.strategy import LabelFeed, LinkGuide, Strategy

LARGE, MANY = 256 << 10, 1_000  # bytes and links or offers: a visit with more is processed with pauses
SKIPPED = 200  # candidates passed over in one turn of the loop: a trap may leave tens of thousands

Question = Callable[..., Iterable[Candidate]]
"""What a strategy is asked: one of its methods."""


@dataclass
class StrategyStats:
    """What the strategy has taken and given: processor seconds, and candidates that it offered."""

    seconds: float = 0.0
    offers: int = 0


@dataclass
class Crawl:
    """The stages of one crawl, in the order in which a visit passes them, and the loop that runs them.

    The workers fetch, read and check; what follows is done here, one visit after the other.
    """

    workers: Workers
    store: Store
    strategy: Strategy
    filters: Filters
    frontier: Frontier
    clock: Clock
    progress: Progress
    labels: LabelFeed | None = None
    guide: LinkGuide | None = None
    stop: StopRule | None = None
    observers: tuple[Observer, ...] = ()
    judge: OnlineJudge | None = None  # None: pages are judged where they are read, and teach nothing
    name: str = "of the crawl"  # the strategy's, for messages
    thought: StrategyStats = field(default_factory=StrategyStats)
    drain: float = 5.0  # seconds that what is under way may take at the end: a host that hangs cannot hold it

    def stages(self) -> list[tuple[str, object]]:
        """Return the stages by name, in the order in which a visit passes them."""
        here = ("judge", "store", "strategy", "labels", "guide", "filters", "frontier", "stop", "observers")
        return [*self.workers.stages(), *((name, getattr(self, name)) for name in here)]

    def __str__(self) -> str:
        """Return the plan: a line for each stage."""
        return "\n".join(f"{name:10}{described(stage)}" for name, stage in self.stages())

    # The loop

    async def run(self, seeds: Sequence[Url]) -> Finish:
        """Visit until the budget is spent or nothing is left, and return which it was."""
        self.start(seeds)
        while not (finish := self.progress.finished(now := self.clock.now())):
            asked = self.ask_for_more(now)
            wake = self.dispatch(now)
            if not asked and not self.workers.busy and not self.frontier:
                return NOTHING_LEFT
            if visit := await self.workers.next(self.patience(now, now if asked else wake)):
                await self.process(visit)
            else:
                self.store.pause()
        end = self.clock.now() + self.drain
        while self.workers.busy and self.clock.now() < end:
            if visit := await self.workers.next(self.patience(self.clock.now(), None)):
                await self.process(visit)
        return finish

    def patience(self, now: float, wake: float | None) -> float | None:
        """Return for how long to wait for a visit, until there is a reason to look again."""
        busy = self.workers.busy
        patience = self.progress.patience(now, wake, busy)
        if not busy and patience and patience > 1.0:
            self.store.commit()  # for a while there will be nothing to do
        return patience

    def dispatch(self, now: float) -> float | None:
        """Give every free worker the best candidate, and return when there is a reason to look again."""
        free, busy, skipped = self.workers.free, self.workers.busy, 0
        while free > 0 and self.progress.has_room(busy) and skipped < SKIPPED:
            if not (candidate := self.frontier.take(now)):
                return self.frontier.wake()
            if refusal := self.filters.recheck(candidate):
                self.frontier.skip(candidate)
                self.strategy.on_rejected([(candidate, refusal)])
                skipped += 1
            else:
                self.workers.send(candidate)
                free, busy = free - 1, busy + 1
        return now if skipped == SKIPPED else None

    async def process(self, visit: Visit) -> None:
        """Record a visit, learn from it, and queue what it leads to; a large one with pauses."""
        visit = self._judged(visit)
        self.store.add(visit)  # first: what follows belongs to the same transaction
        self.frontier.done(visit.candidate, self.clock.now(), visit.retry_after)
        self.progress.add(visit)
        if self.judge and (learned := self.judge.save()):
            self.store.keep_learned(learned)
        large, cancelled, portions = _is_large(visit), False, self.offers_of(visit)
        while True:
            cancelled |= large and await self._pause()
            if (offers := next(portions, None)) is None:
                break
            self.offer(offers, visit)
            large = large or len(offers) >= PORTION
        self.filters.commit(visit)
        self.notify_observers(visit)
        if cancelled:
            raise CancelledError

    async def _pause(self) -> bool:
        """Let others have their turn, and tell whether one of them wants us to end: no half visit is kept.

        What was done so far is written, so that the end of the transaction takes no longer.
        """
        cancelled = await _is_cancelled(self.clock)
        self.store.flush()
        return cancelled | await _is_cancelled(self.clock)

    def _judged(self, visit: Visit) -> Visit:
        """Return a visit as the judge sees it now; what it raises stops the crawl once that is stored."""
        try:
            return self.judge.update(visit) if self.judge else visit
        except Exception as error:
            return replace(visit, relevance=0.0, reason=repr(error), detail=Detail.JUDGE_FAILED)

    def notify_observers(self, visit: Visit) -> None:
        """Call the stop rule and the observers."""
        if self.stop:
            self.stop.consider(self.progress)
        for observer in self.observers:
            observer(visit, self.progress)

    # What is offered, and what becomes of it

    def start(self, seeds: Sequence[Url]) -> None:
        """Queue the first candidates; only those that the user named are seeds."""
        if seeds:
            offers = self.ask(self.strategy.start, seeds, about="its seeds")
            self.offer([_marked(offer, seeds) for offer in offers])

    def offers_of(self, visit: Visit) -> Iterator[Sequence[Candidate]]:
        """Yield what a visit leads to itself, and what strategy and labels suggest after it."""
        url = visit.candidate.url
        if visit.redirect:
            yield [visit.redirect]
        if visit.detail is Detail.JUDGE_FAILED:
            raise JudgeFailed(
                f"The judge failed at {url} ({visit.reason}). What was fetched so far is stored; "
                "mend the judge, then go on with 'thresher resume'.",
                url,
            )
        if _teaches(visit):
            yield from self.asked(self.strategy.on_visit, visit, self.store, about=url, unlearned=url)
        if self.labels and (labels := self.labels.new_labels()):
            yield self.on_labels(labels)
        if self.guide and (opinions := self.guide.new_opinions(self.store)):
            yield self.ask(self.strategy.on_opinions, opinions, self.store, about="the guide")
        if canonical := self.filters.canonical(visit):
            yield [canonical]

    def offer(self, offers: Sequence[Candidate], visit: Visit | None = None) -> None:
        """Let offers pass the filters into the frontier, and tell the strategy which of them did not."""
        try:
            accepted, rejected = self.filters.admit(offers, visit, self.frontier.update)
        except StoreFailed:
            raise
        except Exception as error:
            url = visit.candidate.url if visit else ""
            raise StageFailed(
                f"The filters raised {error!r} at {url or 'the offers'}. What was fetched so far is stored; "
                "mend them, then go on with 'thresher resume'.",
                url,
            ) from error
        self.frontier.push(accepted)
        if rejected:
            self.strategy.on_rejected(rejected)

    def learn(self, visit: Visit) -> None:
        """Let the strategy learn from a visit that is stored, and queue what it suggests."""
        for offers in self.offers_of(visit):
            self.offer(offers, visit)
        self.filters.commit(visit)

    def learn_again(self, visit: Visit) -> None:
        """Let the strategy learn from a visit that was judged anew, and rank what waits by it anew."""
        url = visit.candidate.url
        offers = self.ask(self.strategy.on_visit, visit, self.store, about=url)
        self.offer([replace(offer, replaces_priority=True) for offer in offers])

    def on_labels(self, labels: Mapping[Url, bool]) -> list[Candidate]:
        """Let the judge and the strategy learn what the user says of pages, if they can."""
        if self.judge:
            self.judge.hear(labels, self.store)
        return self.ask(self.strategy.on_labels, labels, self.store, about="the labels")

    def ask_for_more(self, now: float) -> bool:
        """Ask the strategy for further candidates if it is time, and tell whether it had any.

        It is asked once in each turn of the loop, so that limits and interruptions are heard in between.
        """
        if not self.workers.free or not self.frontier.needs_more(now, self.workers.busy):
            return False
        offers = self.ask(self.strategy.on_empty, self.store, about="the empty frontier")
        self.offer(offers)
        return bool(offers)

    def ask(self, question: Question, *given: object, about: str, unlearned: str = "") -> list[Candidate]:
        """Return all that the strategy answers."""
        return [*chain.from_iterable(self.asked(question, *given, about=about, unlearned=unlearned))]

    def asked(
        self, question: Question, *given: object, about: str, unlearned: str = ""
    ) -> Iterator[Sequence[Candidate]]:
        """Ask the strategy; if it raises, the crawl stops loudly, by name, and at the visit that broke it."""
        try:
            answer: Iterator[Sequence[Candidate]] | None = None
            while True:
                began = process_time()
                answer = answer or chunked(question(*given))
                offers = next(answer, ())
                self.thought.seconds += process_time() - began
                self.thought.offers += len(offers)
                _check(offers)
                if not offers:
                    return
                yield offers
        except Exception as error:
            raise StrategyFailed(
                f"Strategy {self.name} raised {error!r} at {about}. What was fetched so far is stored; "
                "mend the strategy, then go on with 'thresher resume'.",
                unlearned,
            ) from error


def _check(offers: Sequence[Candidate]) -> None:
    for offer in offers[:1] if isinstance(offers, UniformOffers) else offers:
        if offer.priority != offer.priority:  # NaN would upset every order
            raise ValueError(f"the priority of {offer.url} is not a number")


def described(stage: object) -> str:
    """Return what a stage is, in a line: in its own words, or in the first of its documentation."""
    if isinstance(stage, tuple):
        return "; ".join(described(each) for each in stage if each is not None) or "nothing"
    if stage is None:
        return "nothing"
    if type(stage).__str__ is not object.__str__:
        return str(stage)
    name = getattr(stage, "__name__", type(stage).__name__)
    return f"{name}: {(stage.__doc__ or '').strip().partition(chr(10))[0]}"


def _teaches(visit: Visit) -> bool:
    """Tell whether a visit has anything to teach: a revisit only where it has changed."""
    changed = visit.outcome is Outcome.FETCHED and visit.change is not None
    return changed or visit.candidate.kind not in REVISITS


def _marked(offer: Candidate, seeds: Sequence[Url]) -> Candidate:
    """Return one of the first candidates, marked if it is a seed."""
    named = offer.url in seeds and offer.kind is Request.LINK
    return replace(offer, kind=Request.SEED) if named else offer


def _is_large(visit: Visit) -> bool:
    """Tell whether the fold of a visit may take so long that others should not wait for its end."""
    return visit.size > LARGE or (visit.page is not None and len(visit.page.links) > MANY)


async def _is_cancelled(clock: Clock) -> bool:
    """Let others have their turn, and tell whether one of them wants us to end."""
    try:
        await clock.sleep(0.0)
    except CancelledError:
        return True
    return False
