"""What the server answers: one struct for each kind of answer, the same for the screens and for programs."""

from enum import Enum

from msgspec import Struct

from thresher.core.progress import KeywordOffer, ShareFound
from thresher.serve.requests import ProblemDocument

# About topics


class WeightedWord(Struct, frozen=True):
    """A word and its weight."""

    word: str
    weight: float


class TopicDetail(Struct, frozen=True, kw_only=True):
    """The topic of a crawl as it was run."""

    name: str
    concept: str
    path: list[str]
    description: str
    threshold: float
    keywords: list[WeightedWord]
    spellings: list[str]
    histogram: list[int]  # pages by relevance, in columns of equal width
    pages: int
    relevant: int
    suggestions: list[WeightedWord]
    said_yes: int
    said_no: int
    agreement: int  # labels that the judge agrees with
    can_apply: bool
    why_not: str
    picture: str = ""  # the same as SVG, if a width was asked for


class RelevanceChangeItem(Struct, frozen=True):
    """A page that would turn."""

    key: str
    url: str
    title: str
    before: float
    after: float


class Preview(Struct, frozen=True):
    """What another threshold or other words would change."""

    turned_in: int
    turned_out: int
    relevant: int
    judged: int  # pages that were judged anew, nearest the threshold first
    of: int
    examples: list[RelevanceChangeItem]
    ms: float
    picture: str = ""  # the same as SVG, if a width was asked for


class Understood(Struct, frozen=True, kw_only=True):
    """A topic as it is taken."""

    name: str
    wanted: list[list[str]]  # a page must speak of one of each
    excluded: list[str]
    near: list[WeightedWord]  # in meaning, so they count a little
    spellings: list[str]  # looked for in addresses
    nodes: list[str]  # of the taxonomy that are called so
    warnings: list[str]
    folder: str
    bad_seeds: list[str]
    command: str
    ms: float


# About crawls


class CrawlState(Enum):
    """What a crawl is doing, in one word."""

    BEGINNING = "beginning"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    FINISHED = "finished"
    CUT_OFF = "cut off"
    FAILED = "failed"
    UNREADABLE = "unreadable"


class CrawlSummary(Struct, frozen=True, kw_only=True):
    """A crawl in the list of all."""

    id: str
    name: str
    folder: str
    state: CrawlState
    sentence: str  # why it is in this state
    strategy: str = ""
    pages: int = 0
    relevant: int = 0
    harvest: float = 0.0
    hosts: int = 0
    hosts_paid: int = 0
    disk: int = 0  # bytes
    last_find: str = ""
    spark: str = ""  # the same as SVG, if asked for
    sparkline: tuple[float, ...] = ()  # harvest in up to 60 stretches of equal length
    behind: int = 0  # visits that the index does not know yet
    problem: ProblemDocument | None = None


class CrawlSummaries(Struct, frozen=True):
    """All crawls."""

    items: list[CrawlSummary]
    root: str
    can_start: bool
    version: str


class ForecastView(Struct, frozen=True):
    """What the next downloads promise, and the share of what is within reach that was found."""

    downloads: int
    relevant: float
    low: int
    high: int
    found: ShareFound | None = None


class Count(Struct, frozen=True):
    """How often something was."""

    name: str
    count: int


class Overview(Struct, frozen=True, kw_only=True):
    """One crawl and its figures."""

    crawl: CrawlSummary
    judge: str
    threshold: float
    recent: float  # harvest of the last 100 pages
    recent_of: int
    waiting: int
    requests: int
    bytes: int
    seconds: float
    rate: float  # pages a second of late
    outcomes: list[Count]
    causes: list[Count]
    refused: list[Count]
    said_yes: int
    said_no: int
    changes: int
    forecast: ForecastView | None = None
    keyword_offer: KeywordOffer | None = None  # where nothing certain was found
    feed: str = ""


class CurveLine(Struct, frozen=True):
    """A curve: relevant pages against pages fetched."""

    name: str
    points: list[tuple[int, int]]


class HarvestCurve(Struct, frozen=True):
    """The harvest of a crawl, what is ahead, and breadth-first from the same seeds if that was crawled."""

    points: list[tuple[int, int]]
    forecast: ForecastView | None
    baseline: CurveLine | None
    picture: str = ""  # the same as SVG, if a width was asked for


class InFlight(Struct, frozen=True):
    """A page that is being fetched, was just fetched, or is next."""

    url: str
    host: str
    priority: float
    seconds: float  # since it was asked for


class Now(Struct, frozen=True):
    """What a crawl does at this moment."""

    in_flight: list[InFlight]
    next_up: list[InFlight]
    resting: int  # hosts
    is_known: bool  # what is in flight only the crawling process knows


class DiffPiece(Struct, frozen=True):
    """Words that stayed, went or came."""

    kind: str  # same, gone or came
    text: str


class ChangeEntry(Struct, frozen=True):
    """One change of one page."""

    visit: int
    url: str
    key: str
    host: str
    title: str
    at: str
    day: str
    kind: str
    substantive: bool
    relevance_before: float
    relevance: float
    is_relevant: bool
    left_topic: bool
    diff: list[DiffPiece]


class Day(Struct, frozen=True):
    """How many changes a day had."""

    day: str
    substantive: int
    other: int


class ChangeItems(Struct, frozen=True):
    """Changes, the latest first."""

    items: list[ChangeEntry]
    next: str
    days: list[Day]
    total: int
    revisits: int
    picture: str = ""  # the same as SVG, if a width was asked for


class HostItem(Struct, frozen=True):
    """One host and what it gave."""

    host: str
    visits: int
    pages: int
    relevant: int
    forbidden: int
    failed: int
    state: str  # "", resting, or closed by robots.txt
    seconds: float  # that it still rests


class HostItems(Struct, frozen=True):
    """Hosts of a crawl."""

    items: list[HostItem]
    next: str
    total: int
    share: float  # of the whole crawl


class RequestItem(Struct, frozen=True):
    """One request and how it ended."""

    visit: int
    key: str
    url: str
    outcome: str
    status: int
    reason: str  # why it brought no page, with the tries it took
    at: str
    relevance: float


class RequestItems(Struct, frozen=True):
    """Requests of a crawl."""

    items: list[RequestItem]
    next: str


class Side(Struct, frozen=True):
    """One crawl of a comparison."""

    crawl: CrawlSummary
    points: list[tuple[int, int]]
    only: int  # relevant pages that no other has


class HostShare(Struct, frozen=True):
    """Relevant pages of one host, crawl by crawl."""

    host: str
    counts: list[int]


class Missed(Struct, frozen=True):
    """A relevant page that only one crawl found."""

    crawl: str
    key: str
    url: str
    title: str
    relevance: float


class Compared(Struct, frozen=True):
    """Crawls side by side."""

    sides: list[Side]
    shared: int  # relevant pages that all have
    union: int
    hosts: list[HostShare]
    missed: list[Missed]
    is_estimate: bool  # what is shared was told from a part of all addresses
    picture: str = ""  # the same as SVG, if a width was asked for


class ExportItem(Struct, frozen=True):
    """A file for other programs."""

    name: str
    format: str
    size: int
    made_at: str
    state: str  # making, ready or failed
    sentence: str


class ExportFormatItem(Struct, frozen=True):
    """A format that can be made."""

    name: str
    ending: str
    sentence: str


class Exports(Struct, frozen=True):
    """Files that were made, and what can be made."""

    items: list[ExportItem]
    formats: list[ExportFormatItem]
    command: str


class Health(Struct, frozen=True):
    """The server answers."""

    status: str
    version: str
