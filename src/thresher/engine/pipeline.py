"""The pipeline: the stages of a crawl, and what is folded into them after each visit."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import process_time

from msgspec.structs import replace

from thresher.core.errors import JudgeFailed, StrategyFailed
from thresher.core.kinds import LOOKS, Detail, Outcome, Refusal, Request
from thresher.core.learning import Learned
from thresher.core.progress import Progress
from thresher.core.protocols import Clock, Frontier, Gate, Observer, StopRule, Store, Workers
from thresher.core.records import Candidate, Url, Visit
from thresher.core.strategy import HearsRefusals, LabelFeed, Strategy, Teachable


@dataclass
class Thought:
    """What the strategy has taken and given: processor seconds, and candidates that it offered."""

    seconds: float = 0.0
    offers: int = 0


@dataclass
class Pipeline:
    """The stages of one crawl, in the order in which a visit passes them.

    The workers fetch, read and check; what follows is done here, one visit after the other.
    """

    workers: Workers
    store: Store
    strategy: Strategy
    gate: Gate
    frontier: Frontier
    clock: Clock
    progress: Progress
    labels: LabelFeed | None = None
    stop: StopRule | None = None
    observers: tuple[Observer, ...] = ()
    learned: Learned | None = None  # what the judge learns on the way
    name: str = "of the crawl"  # the strategy's, for messages
    thought: Thought = field(default_factory=Thought)
    drain: float = 5.0  # seconds that what is under way may take at the end: a host that hangs cannot hold it

    def stages(self) -> list[tuple[str, object]]:
        """Return the stages by name, in the order in which a visit passes them."""
        here = ("learned", "store", "strategy", "labels", "gate", "frontier", "stop", "observers")
        return [*self.workers.stages(), *((name, getattr(self, name)) for name in here)]

    def __str__(self) -> str:
        """Return the plan: a line for each stage."""
        return "\n".join(f"{name:10}{described(stage)}" for name, stage in self.stages())

    def start(self, seeds: Sequence[Url]) -> None:
        """Queue the first candidates; those that the user named are seeds, and nobody else can make one."""
        if seeds:
            offers = self.ask(self.strategy.start, seeds, about="its seeds")
            self.offer(_marked(offer, seeds) for offer in offers)

    def learn(self, visit: Visit) -> None:
        """Let the strategy learn from a visit that is stored, and queue what it suggests."""
        self.offer(self.lessons(visit), visit)

    def learn_again(self, visit: Visit) -> None:
        """Let the strategy learn from a visit that was judged anew, and price what waits by it."""
        url = visit.candidate.url
        offers = self.ask(self.strategy.learn, visit, self.store, about=url)
        self.offer([replace(offer, reprice=True) for offer in offers])

    def look_on(self, visit: Visit) -> None:
        """Let the rule that may end the crawl, and whoever watches, see a visit."""
        if self.stop:
            self.stop.consider(self.progress)
        for observer in self.observers:
            observer(visit, self.progress)

    def lessons(self, visit: Visit) -> list[Candidate]:
        """Return what the strategy suggests after a visit, and after what the user has said meanwhile."""
        offers, url = [], visit.candidate.url
        if visit.detail is Detail.JUDGE_FAILED:
            raise JudgeFailed(
                f"The judge failed at {url} ({visit.reason}). What was fetched so far is stored; "
                "mend the judge, then go on with 'thresher resume'.",
                url,
            )
        if _teaches(visit):
            offers += self.ask(self.strategy.learn, visit, self.store, about=url, unlearned=url)
        if self.labels and (labels := self.labels.news()):
            offers += self.hear(labels)
        return offers

    def hear(self, labels: Mapping[Url, bool]) -> list[Candidate]:
        """Let the judge and the strategy learn what the user says of pages, if they can."""
        if self.learned:
            self.learned.hear(labels, self.store)
        if not isinstance(self.strategy, Teachable):
            return []
        return self.ask(self.strategy.teach, labels, self.store, about="the labels")

    def ask_for_more(self) -> bool:
        """Ask the strategy for further candidates if it is time, and tell whether it had any.

        It is asked once in each turn of the loop, so that limits and interruptions are heard in between.
        """
        if not self.workers.free or not self.frontier.needs_more(self.clock.now(), self.workers.busy):
            return False
        offers = self.ask(self.strategy.more, self.store, about="the empty frontier")
        self.offer(offers)
        return bool(offers)

    def offer(self, offers: Iterable[Candidate], visit: Visit | None = None) -> None:
        """Let offers pass the gate into the frontier, and tell the strategy which of them did not."""
        ruling = self.gate.rule(offers, visit)
        new = self.frontier.reprice(ruling.offers)
        self.frontier.queue(self.gate.admit(ruling, new))
        self.tell_refusals(ruling.refused)

    def tell_refusals(self, refused: Sequence[tuple[Candidate, Refusal]]) -> None:
        """Let a strategy know which of its offers are not queued, if it wants to."""
        if refused and isinstance(self.strategy, HearsRefusals):
            self.strategy.refused(refused)

    def ask(
        self,
        question: Callable[..., Iterable[Candidate]],
        *given: object,
        about: str,
        unlearned: str = "",
    ) -> list[Candidate]:
        """Ask the strategy; if it raises, the crawl stops loudly, by name, and at the visit that broke it."""
        began = process_time()
        try:
            offers = list(question(*given))
            self.thought.seconds += process_time() - began
            self.thought.offers += len(offers)
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
    """Tell whether a visit has anything to teach: a look at a known page only where it has changed."""
    changed = visit.outcome is Outcome.FETCHED and visit.change is not None
    return changed or visit.candidate.kind not in LOOKS


def _marked(offer: Candidate, seeds: Sequence[Url]) -> Candidate:
    """Return one of the first candidates, marked if it is a seed."""
    named = offer.url in seeds and offer.kind is Request.LINK
    return replace(offer, kind=Request.SEED) if named else offer
