"""How far a crawl has come, and how far it may go."""

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from math import inf
from shlex import quote

from msgspec import Struct

from thresher.core.enums import NOT_RENDERED, Outcome, Request
from thresher.core.records import Visit
from thresher.core.url import host_of


class Budget(Struct, frozen=True):
    """What a crawl may spend; zero means no limit. Every limit means exactly what it says."""

    pages: int = 0
    relevant: int = 0
    seconds: float = 0.0
    patience: float = inf  # seconds a crawl waits for hosts that rest when there is nothing else to do


class FinishKind(Enum):
    """Why a crawl ended, for programs."""

    NOTHING_LEFT = "nothing left"
    PAGES = "page limit"
    RELEVANT = "limit of relevant pages"
    TIME = "time limit"
    RESTING = "hosts rest"
    FORECAST = "poor forecast"
    SHARE_FOUND = "share found"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    FAILED = "failed"
    UNFINISHED = "not finished"  # it runs still, or was cut off


class Finish(Struct, frozen=True):
    """Why a crawl ended: what kind of end, the limit if it was one, and the sentence for people."""

    kind: FinishKind
    sentence: str
    limit: float = 0.0


NOTHING_LEFT = Finish(FinishKind.NOTHING_LEFT, "nothing left to visit")


class HostWait(Struct, frozen=True):
    """A host that rests or is busy, for which free workers wait instead of asking for something worse."""

    host: str
    seconds: float  # until it has rested, or until something else is asked for
    priority: float  # of its best candidate
    other: float  # of the best candidate that could be asked for now
    rest: float = 0.0  # seconds for which it asked to be left alone after its latest answer


class ShareFound(Struct, frozen=True):
    """The share of the relevant pages within reach that was found; four times in five it is in the band."""

    share: float
    low: float
    high: float


class SecondCount(Struct, frozen=True):
    """How many pages of a sample the default judge calls relevant, beside the judge of the crawl."""

    pages: int
    relevant: int | None  # none: the default judge is that of the crawl
    sentences: tuple[str, ...] = ()  # on what looks wrong, with the setting that helps


class KeywordOffer(Struct, frozen=True):
    """What is said of a crawl that has found nothing certain: how far it came, and words that may help."""

    pages: int
    best: float  # the relevance of the surest page
    words: tuple[str, ...] = ()  # the likeliest first

    @property
    def sentence(self) -> str:
        """That nothing certain was found, and what may help, for people."""
        found = f"Nothing certain found in {self.pages:,} pages; the best has a relevance of {self.best:.2f}."
        tried = ", ".join(f"--keyword {quote(word)}" for word in self.words)
        return f"{found} {f'Try {tried}.' if tried else OTHER_WORDS}"


OTHER_WORDS = "Other words (--keyword), a sentence (--description) or other seeds may help."


class Forecast(Struct, frozen=True):
    """What the next downloads will bring, as it looked when so many pages were fetched."""

    pages: int
    downloads: int
    relevant: float
    low: int  # four times in five it is between these two
    high: int
    found: ShareFound | None = None  # none: too few relevant pages to say

    @property
    def share(self) -> float:
        """The share of the downloads that will be relevant."""
        return self.relevant / self.downloads


@dataclass
class Progress:
    """A fold over the visits: everything the terminal, the limits and the report count."""

    threshold: float
    started: float
    budget: Budget = Budget()
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    relevant: int = 0
    bytes: int = 0
    need_browser: int = 0  # pages made by script that were not rendered
    found: Visit | None = None  # the latest that brought a relevant page
    stopping: Finish | None = None  # set from outside (Ctrl-C) to end the crawl after what is under way
    forecast: Forecast | None = None  # the latest, once enough is known

    def add(self, visit: Visit) -> None:
        """Count one visit; a back-link question is a request but not a page."""
        if visit.candidate.kind is Request.BACKLINKS:
            return
        self.outcomes[visit.outcome] += 1
        self.bytes += visit.size
        self.need_browser += visit.detail in NOT_RENDERED
        self.hosts[host_of(visit.candidate.url)] += 1
        if visit.outcome is Outcome.FETCHED and visit.relevance >= self.threshold:
            self.relevant += 1
            self.found = visit

    @property
    def pages(self) -> int:
        """How many pages were fetched."""
        return self.outcomes[Outcome.FETCHED]

    @property
    def visits(self) -> int:
        """How many candidates came to an end, whatever the outcome."""
        return self.outcomes.total()

    @property
    def harvest_rate(self) -> float:
        """The share of the fetched pages that are relevant."""
        return self.relevant / self.pages if self.pages else 0.0

    def finished(self, now: float) -> Finish | None:
        """Return why the crawl should stop now, or nothing."""
        pages, relevant, seconds = self.budget.pages, self.budget.relevant, self.budget.seconds
        if self.stopping:
            return self.stopping
        if pages and self.pages >= pages:
            return Finish(FinishKind.PAGES, f"page limit of {pages} reached", pages)
        if relevant and self.relevant >= relevant:
            return Finish(FinishKind.RELEVANT, f"limit of {relevant} relevant pages reached", relevant)
        if seconds and now - self.started >= seconds:
            return Finish(FinishKind.TIME, f"time limit of {seconds:g} seconds reached", seconds)
        return None

    def has_room(self, busy: int) -> bool:
        """Tell whether one more visit could not overshoot the page limit."""
        return not self.budget.pages or self.pages + busy < self.budget.pages

    def patience(self, now: float, wake: float | None, busy: int = 0) -> float | None:
        """Return the seconds until a host has rested or the time is up; too long a rest ends the crawl."""
        if not busy and wake is not None and wake - now > self.budget.patience:
            sentence = f"every host left rests for more than {self.budget.patience:g} seconds"
            self.stopping = Finish(FinishKind.RESTING, sentence, self.budget.patience)
            return 0.0
        if self.budget.seconds:
            end = self.started + self.budget.seconds
            wake = end if wake is None else min(wake, end)
        return None if wake is None else max(0.0, wake - now)
