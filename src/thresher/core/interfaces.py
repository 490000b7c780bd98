"""Interfaces between packages: what one may ask of another, and nothing else."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from thresher.core.enums import Refusal
from thresher.core.progress import HostWait, Progress
from thresher.core.records import (
    Candidate,
    Concept,
    Fetched,
    Link,
    Neighbour,
    Page,
    PageRecord,
    QueueColumns,
    QueuedRequest,
    Reason,
    Url,
    Visit,
)

T = TypeVar("T")


class Clock(Protocol):
    """Time, real or virtual: in replay a day's wait costs nothing."""

    def now(self) -> float:
        """Return the seconds since the epoch."""

    async def sleep(self, seconds: float) -> None:
        """Return when that many seconds have passed."""

    async def wait(self, arrival: Awaitable[T], seconds: float | None) -> T | None:
        """Return what arrives, or None when the seconds pass first."""


class Web:
    """Answers for URLs: the live web, an archive, the practice web."""

    async def get(self, candidate: Candidate) -> Fetched:
        """Return the response, whatever its status; raise FetchError when there is none."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close every connection."""


class Judge:
    """Scores pages. It guides a crawl, and never measures one."""

    threshold: float
    """From which score on a page is relevant."""

    certain: ClassVar[float] = 0.0
    """From which score on a page is certainly relevant; below the threshold, the threshold counts."""

    in_batches: ClassVar[bool] = False
    """Whether pages are scored in batches: then `score_many` is awaited, and `score` never called."""

    def score(self, page: Page) -> float:
        """Return how well the page fits the topic, from 0 to 1."""
        raise NotImplementedError

    def score_read(self, page: Page, record: PageRecord) -> float:
        """Return the score of a page whose words are counted already."""
        return self.score(page)

    async def score_many(self, pages: Sequence[Page]) -> Sequence[float]:
        """Return how well each of the pages fits the topic."""
        return [self.score(page) for page in pages]

    def similarity(self, text: str) -> float:
        """Return how well a short text (an anchor, a context) fits the topic, from 0 to 1; at once."""
        raise NotImplementedError

    def explain(self, page: Page) -> Sequence[Reason]:
        """Return the evidence for the page's score, the strongest first."""
        return ()

    def knows(self, words: Sequence[str]) -> bool:
        """Tell whether any of the words, as a topic without a language has them, may speak for the topic."""
        return True

    def distrusts(self, page: Page) -> bool:
        """Tell whether a page is made to score, so that its words say nothing."""
        return False

    def learner(self, memory: "CrawlView | None" = None) -> "OnlineJudge | None":
        """Return what will learn in a crawl, and knows nothing yet; None: the judge learns nothing.

        With a memory, pages met before can be judged again, and boilerplate is to be left out.
        """
        return None

    def threshold_for(self, scores: Sequence[float]) -> float | None:
        """Return the threshold found by the scores of a crawl; None: the judge keeps its own."""
        return None


class LabelSource:
    """Says of pages whether they are wanted: a sheet, a database, another program."""

    def labels(self) -> Mapping[str, bool]:
        """Return every label by the URL of its page."""
        raise NotImplementedError


class Lexicon(Protocol):
    """What `topic` may ask of `knowledge`: what words mean, and what lies beside it."""

    def senses(self, phrase: str) -> Sequence[Concept]:
        """Return the concepts a word or phrase may mean, the commonest first."""

    def neighbours(self, concept: str) -> Sequence[Neighbour]:
        """Return the concepts beside one, by its id."""

    def path(self, concept: str) -> Sequence[Concept]:
        """Return the way from the top of the taxonomy to a node of it, the node last; empty if it is none."""

    def nodes(self, label: str) -> Sequence[Concept]:
        """Return the nodes of the taxonomy of that label or path, in either language, the likeliest first."""

    def nearest(self, label: str, several: int = 5) -> Sequence[Concept]:
        """Return the nodes whose labels look most like one that does not exist."""

    def translations(self, phrase: str) -> Sequence[str]:
        """Return what a word or phrase is called in the other language, the likeliest first."""


class CrawlView(Protocol):
    """The reading face of the store: what a strategy may know of the crawl so far."""

    def outlinks(self, url: Url) -> Sequence[Link]:
        """Return the links found on a fetched page."""

    def inlinks(self, url: Url) -> Sequence[Link]:
        """Return the links that lead to a URL from the pages fetched so far."""

    def history(self, url: Url) -> Sequence[Visit]:
        """Return the page visits to a URL, oldest first, without their texts."""

    def relevance(self, url: Url) -> float | None:
        """Return the relevance of a fetched page, or None if it was not fetched."""

    def guidance(self, url: Url) -> float | None:
        """Return what a strategy goes by of a fetched page, as `Visit.guidance`, or None."""

    def page(self, url: Url) -> Page | None:
        """Return a fetched page, text and all."""

    def sources(self, url: Url) -> Sequence[Url]:
        """Return the fetched pages that link to a URL, oldest first, without what their links say."""

    def entries_at(self, keys: Sequence[int]) -> Mapping[int, bytes]:
        """Return what a strategy that keeps entries left under these keys, as far as there is any."""

    def visits(self) -> Iterator[Visit]:
        """Yield every visit in the order of the crawl, without texts."""

    def queue(self) -> Iterator[Candidate]:
        """Yield all that waits, pages and questions, the best priority first."""

    def latest(self, most: int) -> Sequence[Visit]:
        """Return the latest visits that fetched a page of the crawl, without their texts."""

    def next_up(self, most: int) -> Sequence[Candidate]:
        """Return the pages that wait, those with the best priorities, the best first."""


class Store(CrawlView, Protocol):
    """The writing face of the store, beside the reading one."""

    def add(self, visit: Visit) -> None:
        """Keep the visit, its page and its links."""

    def keep_learned(self, state: bytes) -> None:
        """Keep what the judge has learned up to the visit that was added last."""

    def commit(self) -> None:
        """Acknowledge what was added: from now on it is never lost."""

    def pause(self) -> None:
        """Acknowledge what has waited long enough: nothing is happening right now."""

    def flush(self) -> None:
        """Write what is known so far without acknowledging it, so that to acknowledge it takes less long."""

    def close(self) -> None:
        """Make everything durable and let go of the files."""


class BacklinkSource:
    """A source of back-links: which pages link to a page. Wrapped round any web; each question is charged."""

    async def who_links_to(self, url: Url) -> Sequence[Link]:
        """Return links that lead to a URL; raise FetchError when there is no answer."""
        raise NotImplementedError


Unknown = Callable[[Sequence[Candidate]], Sequence[Candidate]]
"""Lets offers count for what waits, and returns those that could be queued."""


class Admission(NamedTuple):
    """The candidates that are to be queued, and the offers that are refused."""

    accepted: list[Candidate]
    rejected: list[tuple[Candidate, Refusal]]


class Filters(Protocol):
    """Decides which offers are queued, and keeps the one count of refusals."""

    refused: Counter[Refusal]

    def admit(self, offers: Sequence[Candidate], visit: Visit | None, unknown: Unknown) -> Admission:
        """Return which offers are to be queued, and which are refused and why.

        Those of pages that are not expanded are refused first; of the others, `unknown` says which are new.
        """

    def canonical(self, visit: Visit) -> Candidate | None:
        """Return the request for what a page calls its proper address, if that is to be asked for."""

    def commit(self, visit: Visit) -> None:
        """Learn from a visit, once all that it led to was admitted or refused."""

    def recheck(self, candidate: Candidate) -> Refusal | None:
        """Check a candidate again before it is fetched. Returns the reason to skip it, or None."""

    def changes(self) -> Sequence[bytes]:
        """Return what was learned since this was last asked, a piece for each visit."""

    def restore(self, pieces: Iterable[bytes]) -> None:
        """Take up what an earlier run had learned, in the order it learned it."""


Observer = Callable[[Visit, Progress], None]
"""Sees each visit after everything else has been done with it, and changes nothing."""


class StopRule:
    """Decides after each visit whether the crawl should go on."""

    def consider(self, progress: Progress) -> None:
        """Set `progress.stopping` where it should not."""


class Frontier(Protocol):
    """The candidates that wait, best first among the hosts that have rested."""

    def offer(self, candidates: Iterable[Candidate]) -> int:
        """Queue the new, update the priority of what waits, ignore the known; return how many were queued."""

    def update(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """Let offers count for what waits, and return those that could be queued."""

    def push(self, candidates: Sequence[Candidate]) -> int:
        """Queue what `update` returned and the filters accepted; return how many were queued."""

    def needs_more(self, now: float, busy: int) -> bool:
        """Tell whether the strategy should be asked for further candidates while so many are under way."""

    def skip(self, candidate: Candidate) -> None:
        """Drop a candidate that was taken and is not worth its request; its host need not rest."""

    def take(self, now: float) -> Candidate | None:
        """Hand out the best candidate of a ready host, or None while every host rests."""

    def done(self, candidate: Candidate, now: float, rest: float = 0.0) -> None:
        """Let the host of a candidate that was taken rest, for at least `rest` seconds."""

    def wake(self) -> float | None:
        """Return when the next resting host is ready, or None when none rests with work."""

    def awaited(self, now: float) -> HostWait | None:
        """Return the host that free workers wait for, and the best other one, if any."""

    def __len__(self) -> int:
        """Return how many candidates wait."""


class FrontierStorage(Protocol):
    """The cold part of the frontier, kept by the store in the same transaction as the visits.

    Every waiting candidate stands here, the hot ones too, until its visit is stored: so what was in
    flight when the power failed simply waits again.
    """

    def put(self, waiting: Sequence[QueuedRequest]) -> None:
        """Keep candidates, or keep them again under a new priority."""

    def get(self, arrivals: Sequence[int]) -> Sequence[QueuedRequest]:
        """Return the candidates of these numbers of arrival, in this order."""

    def drop(self, arrival: int) -> None:
        """Forget a candidate: its visit is being stored."""

    def rest(self, host: str, until: float) -> None:
        """Remember until when a host is to be left alone."""

    def visited(self) -> Iterable[int]:
        """Return the keys of everything that was asked."""

    def hosts(self) -> Iterable[tuple[int, str, float]]:
        """Return the number of each host, its name, and when it may be asked again."""

    def backlog(self) -> QueueColumns:
        """Return everything that waits but the revisits, in the order of arrival."""

    def postponed(self) -> Sequence[QueuedRequest]:
        """Return the revisits that wait for their time."""


class Workers(Protocol):
    """The workers of a crawl. Exactly one visit per candidate, whatever is raised."""

    @property
    def free(self) -> int:
        """How many more candidates could be sent now."""

    @property
    def busy(self) -> int:
        """How many candidates are under way."""

    def under_way(self) -> Sequence[tuple[Candidate, float]]:
        """Return what is being visited, each with the seconds since it was sent."""
        return ()

    def stages(self) -> Sequence[tuple[str, object]]:
        """Return what a candidate passes until it comes back as a visit: fetch, read, check."""

    async def open(self) -> None:
        """Be there for the first candidate, or say in a sentence why not."""

    def send(self, candidate: Candidate) -> None:
        """Start a visit."""

    async def next(self, timeout: float | None) -> Visit | None:
        """Return a finished visit, or None when the timeout passes first."""

    async def close(self) -> None:
        """Drop what is under way, and let go of every process and connection."""


# Judges that learn during a crawl


class FeedbackExplanation(Struct, frozen=True):
    """What a crawl has taught its judge about one page."""

    alone: float  # what the judge says of the page alone
    now: float  # with what was learned
    pages: int  # learned from
    words: tuple[Reason, ...]  # what each word of the page adds to the log odds, the weightiest first


class OnlineJudge(Protocol):
    """What a judge has learned in a crawl: the fold adds it to what the judge says of a page by itself."""

    judges: bool
    """Whether it asks the judge itself: then a page comes with NaN for its relevance, or with its score."""

    def update(self, visit: Visit) -> Visit:
        """Return the visit judged by what was learned so far, then learn from a new page.

        That is its relevance, its contrast, and its likeness to the seeds.
        """

    def save(self) -> bytes | None:
        """Return what was learned if that is due, else None: a run that resumes starts from there."""

    def restore(self, state: bytes) -> bool:
        """Take up what `save` returned; False if it answers another question, or is of another version."""

    def recall(self, visits: Iterable[Visit], labels: Mapping[Url, bool]) -> None:
        """Meet pages of an earlier run again, in their order, with what the user has said of them."""

    def hear(self, labels: Mapping[Url, bool], memory: CrawlView) -> None:
        """Learn what the user says of pages that were met."""

    def now(self, page: Page, label: bool | None = None) -> float:
        """Return the relevance of a page that was met, as it is known now."""

    def taught(self, page: Page, label: bool | None = None) -> FeedbackExplanation | None:
        """Return what was learned about a page that was met; what it itself taught does not count."""
