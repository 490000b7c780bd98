"""The records that packages hand to each other: frozen, typed, cheap to make and to encode."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from typing import NewType, overload

from msgspec import Struct

from thresher.core.enums import ChangeKind, Detail, Origin, Outcome, Request

Url = NewType("Url", str)
"""A normalised http(s) URL; made only by `core.url`."""

Headers = tuple[tuple[str, str], ...]
"""Response headers in the order received, names in lower case."""


class Link(Struct, frozen=True, gc=False):
    """One hyperlink: `rel`, `place` (the tags above it) and `heading` are its author's, `origin` ours."""

    source: Url
    target: Url
    anchor: str = ""
    context: str = ""
    rel: str = ""
    place: str = ""
    origin: Origin = Origin.PAGE
    heading: str = ""  # what it stands under


class Candidate(Struct, frozen=True, gc=False):
    """A URL to be visited, with everything that explains why."""

    url: Url
    priority: float = 0.0  # higher first; means nothing else, ever
    via: Link | None = None  # the link that led here: the explanation and the learner's example
    hops_left: int = 0  # hops left without food: Fish, Shark, FCMRPS, CT-FC
    inherited: float = 0.0  # score handed down: Shark, the learner
    depth: int = 0  # links followed since a seed
    redirects: int = 0  # redirects followed since the link that led here
    kind: Request = Request.LINK
    not_before: float = 0.0  # not to be asked before
    replaces_priority: bool = False  # instead of raising it, but for where a redirect led


URGENT, USUAL = 0, 1
"""The lanes of the frontier: what is urgent goes before everything usual, whatever the priorities."""


class QueuedRequest(Struct, frozen=True, gc=False):
    """A waiting candidate as the shelf keeps it: its 64-bit key, its host and its number of arrival."""

    key: int
    host: str
    arrival: int
    candidate: Candidate
    lane: int = USUAL

    @property
    def rank(self) -> tuple[int, float, int]:
        """Urgent first, then the best priority, then first come, first served; smaller comes first."""
        return (self.lane, -self.candidate.priority, self.arrival)


class QueueColumns(Struct, frozen=True):
    """What waits, in columns: the number of its host, its key, and where it stands."""

    hosts: "array[int]"
    keys: "array[int]"
    standing: "tuple[array[float], array[int], array[int], array[int]]"  # -priority, arrival, life, depth


class ArchivedExchange(Struct, frozen=True, gc=False):
    """A response and its request as finished members of an archive, made where they were fetched."""

    members: tuple[bytes, ...]  # gzip, one record each
    ids: tuple[str, ...]  # of the records
    cut: int = 0  # bytes of the longest headers that had to be left out


class Fetched(Struct, frozen=True, gc=False):
    """One HTTP response as it was received, whatever its status."""

    candidate: Candidate
    url: Url
    status: int
    headers: Headers = ()
    body: bytes = b""
    fetched_at: float = 0.0
    truncated: bool = False
    body_error: str = ""  # what was wrong with a body that was kept all the same
    retry_after: float = 0.0  # seconds the host asked us to leave it alone
    request: bytes = b""  # the request as sent
    head: bytes = b""  # status line and headers as received
    raw_body: bytes = b""  # the body as received, before content decoding; chunks already joined
    address: str = ""  # the IP address that answered
    sitemaps: tuple[Url, ...] = ()  # those the host's robots.txt names, beside a seed
    packed: ArchivedExchange | None = None  # the same, ready for the archive
    rendering: "BrowserRendering | None" = None  # where the page is made by script
    tries: int = 1  # where the answer was an error

    def header(self, name: str) -> str:
        """Return the first header of that (lower-case) name, or the empty string."""
        return next((value for key, value in self.headers if key == name), "")


class BrowserRendering(Struct, frozen=True, gc=False):
    """What became of a page made by script: the document that a browser made of it, or why there is none."""

    detail: Detail
    reason: str = ""
    document: bytes = b""  # HTML in UTF-8, as its reader sees it
    at: float = 0.0
    browser: str = ""
    parts: tuple[Fetched, ...] = ()  # what was fetched for it on the way, for the archive


class Fingerprint(Struct, frozen=True, gc=False):
    """What a page looked like, so that a later visit can tell what changed.

    Digest and SimHash are of the main text: those of another version of it cannot be compared.
    """

    structure: tuple[str, str] = ("", "")  # first and last letters of the start tags (Mali, layer 2)
    tags: str = ""  # hash of the whole tag sequence
    text_code: float = 0.0  # sum of code points over distinct symbols (Mali, layer 2)
    images: tuple[str, ...] = ()  # addresses of the images shown
    digest: str = ""  # BLAKE2b of the normalised main text
    simhash: int = 0  # 64 bits; the distance says how much changed
    image_code: str = ""  # of a picture: its determinant in decimal digits (Mali, layer 2)
    likeness: int = 0  # of a picture: 64 bits; the distance says how much its appearance changed
    version: int = 1  # of what is taken for the main text


class Page(Struct, frozen=True, gc=False):
    """A parsed page: `text` is everything a reader sees, `main` the part worth reading."""

    url: Url
    title: str = ""
    text: str = ""
    main: str = ""
    language: str = ""
    charset: str = ""
    links: tuple[Link, ...] = ()
    canonical: Url | None = None
    noindex: bool = False
    nofollow: bool = False
    fingerprint: Fingerprint = Fingerprint()
    offsets: tuple[int, ...] = ()  # where the anchor of each link begins in the text, -1: nowhere
    breaks: tuple[int, ...] = ()  # ends of lines in the text at which no block ends


class PageWords(Struct, frozen=True, array_like=True, gc=False):
    """The words of a page, cut once: how often each occurs, those of some places, and all as a vector."""

    counts: dict[str, int] = {}
    title: frozenset[str] = frozenset()
    url: frozenset[str] = frozenset()  # of its path and query
    main_start: frozenset[str] = frozenset()  # the beginning of the main text
    page_start: frozenset[str] = frozenset()  # the top, where a trail often says what the page belongs to
    codes: bytes = b""  # uint32, one a word: where it is hashed to, and its row in the vector table
    weights: bytes = b""  # float32, one a word


class PageRecord(Struct, frozen=True, array_like=True, gc=False):
    """What is known of a page, worked out once where it is read and never again.

    Too short a text has no SimHash: `said` stands for it, its words as hashes.
    """

    digest: str = ""  # of the main text, with the title where it is short
    simhash: int | None = None
    numberless: int | None = None  # a hash of the main text without its digits
    said: tuple[int, ...] = ()
    links_share: float = 0.0  # of the text that stands in links
    keys: tuple[int, ...] = ()  # the 64-bit identities of what its links lead to
    words: PageWords | None = None  # where the judge or the strategy asks for them


class ReadResult(Struct, frozen=True, gc=False):
    """What was made of a fetched page, without what a crawl learns on its way; or why nothing was."""

    page: Page | None = None
    relevance: float = 0.0
    record: PageRecord | None = None
    failure: str = ""
    detail: Detail | None = None


class Change(Struct, frozen=True, gc=False):
    """What a later visit to a page found to be different.

    `edits` are hashes of the lines that came or went and could matter; those that come and go on many pages
    of the host alike are its boilerplate, which only the revisits of the other pages can tell.
    """

    kind: ChangeKind
    substantive: bool = False  # by what the page itself shows
    distance: int = 0  # bits of 64 in which the SimHashes of the main text differ
    diff: str = ""  # lines that went and came, to be read
    edits: tuple[int, ...] = ()
    noise: tuple[int, ...] = ()  # places of the page that differ on each load, learned at this visit
    page: Url | None = None  # the page that shows a picture, where its change is the page's


class EncodedPage(Struct, frozen=True, gc=False):
    """A page beside its form in the database, made where it was read; of another page it says nothing."""

    page: Page
    packed: bytes


AFTER = ", after "  # in a reason, before the number of tries


class Visit(Struct, frozen=True, gc=False):
    """THE event: what became of one candidate. Everything else reads what visits left behind."""

    candidate: Candidate
    outcome: Outcome
    at: float
    page: Page | None = None
    relevance: float = 0.0  # the probability that the page is wanted: what is counted
    status: int = 0
    size: int = 0  # bytes of the body as received
    record: str = ""  # "file#offset" of the archived response
    reason: str = ""  # for people
    redirect: Candidate | None = None  # where a redirect leads: the next request
    fetched: Fetched | None = None  # what was received, for the archive; not kept in the database
    retry_after: float = 0.0  # seconds the host asked us to leave it alone
    change: Change | None = None  # what a revisit found to be different
    detail: Detail | None = None
    moved_to: Url | None = None  # the target of a redirect
    page_record: PageRecord | None = None  # not kept in the database
    ready: EncodedPage | None = None
    contrast: float | None = None  # how the page stands out among the latest; none: the judge does not tell
    likeness: float = 0.0  # how much more like the seeds than like the rest the page is

    @property
    def words(self) -> Mapping[str, int]:
        """How often each word of the page occurs, where the judge or the strategy asks for words."""
        record = self.page_record
        return record.words.counts if record and record.words else {}

    @property
    def guidance(self) -> float:
        """What a strategy goes by: the contrast where the judge tells one, else the relevance."""
        return self.relevance if self.contrast is None else self.contrast


class Reason(Struct, frozen=True, gc=False):
    """One piece of evidence for a score: a word or rule, and what it contributed."""

    term: str
    weight: float


class PriorityTerm(Struct, frozen=True, gc=False):
    """One term of a priority: what it is called, what it adds, and what it says in words."""

    name: str
    amount: float
    value: float  # of what was measured
    sentence: str = ""


class PriorityBreakdown(Struct, frozen=True, gc=False):
    """A priority and what it was made of, the weightiest term first."""

    base: float  # of a usual link
    parts: tuple[PriorityTerm, ...] = ()


class KeptConcept(Struct, frozen=True, gc=False):
    """A concept of a topic's local ontology: what it is called, and how near it is."""

    names: tuple[str, ...]  # the main one of each language before its synonyms
    weight: float = 1.0
    meaning: int = 0  # 0: beside the concept the query was taken for; others: beside what it may mean, too


class Topic(Struct, frozen=True, gc=False):
    """What the user wants, whatever it was made from."""

    name: str
    keywords: dict[str, float] = {}
    path: tuple[str, ...] = ()
    labels: dict[str, str] = {}  # language -> label
    spellings: tuple[tuple[str, ...], ...] = ()  # one row of URL spellings per label of the path
    examples: tuple[str, ...] = ()
    concept: str = ""
    description: str = ""
    seeds: tuple[str, ...] = ()
    lexicon: dict[str, float] = {}  # what the concept and those round it are called, in every language
    vocabularies: tuple[tuple[str, ...], ...] = ()  # the words of each sub-domain of the example pages
    centroid: dict[str, float] = {}  # the words of the example pages, less those of the negative ones
    paths: dict[str, tuple[str, ...]] = {}  # language -> the labels of the path in it
    facets: tuple[tuple[str, ...], ...] = ()  # the question: all are wanted, any phrase of one will do
    excluded: tuple[str, ...] = ()  # phrases of what is not wanted
    language: str = ""  # of the words above, if it was said
    ontology: tuple[KeptConcept, ...] = ()  # the concepts behind the lexicon, the heaviest first


class GroupKind(Enum):
    """What links of a group have in common."""

    HOST = "host"
    FOLDER = "folder"
    SECTION = "section"  # of pages
    WORD = "word"  # of their anchors


class GroupYield(Struct, frozen=True, gc=False):
    """What a crawl has learned of a group of links."""

    kind: GroupKind
    name: str
    host: str
    visits: int
    brought: float  # what a visit was worth in the mean, about 1 for what is wanted
    gain: float  # what its visits brought above as many usual ones; below 0 they were a loss of time


class LabelSuggestion(Struct, frozen=True, gc=False):
    """A fetched page of which a crawl would like to be told whether it is what is wanted."""

    url: Url
    score: float  # what the crawl takes it for
    alike: int  # URLs that wait in its folder


class StrategyTable(Struct, frozen=True, gc=False):
    """A table that a strategy's paper draws, as it is now."""

    name: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Concept(Struct, frozen=True, gc=False):
    """Something that words may mean: a node of the taxonomy, a sense of WordNet, a named thing."""

    id: str
    gloss: str = ""
    labels: tuple[tuple[str, str], ...] = ()  # language (en, zh, abbr) and label, the main ones first
    domain: str = ""  # what kind of thing it is, such as noun.animal; "topic" for a node of a taxonomy


class Neighbour(Struct, frozen=True, gc=False):
    """A concept beside another and what it is to it: broader, narrower, part, whole, member, domain, same."""

    kind: str
    concept: Concept


PORTION = 1_000  # candidates taken at a time: hardly a page has more links, but a sitemap may have 50,000


class UniformOffers(Sequence[Candidate]):
    """Links of a page offered at one priority: candidates are made on demand, and few are new."""

    __slots__ = ("depth", "keys", "links", "priority")

    def __init__(self, links: Sequence[Link], priority: float, depth: int, keys: Sequence[int] = ()) -> None:
        """Take links of a page, what each is worth, how far they are from a seed, and their identities."""
        self.links, self.priority, self.depth, self.keys = links, priority, depth, keys

    def __len__(self) -> int:
        """Return how many links are offered."""
        return len(self.links)

    @overload
    def __getitem__(self, place: int) -> Candidate: ...

    @overload
    def __getitem__(self, place: slice) -> "UniformOffers": ...

    def __getitem__(self, place: int | slice) -> "Candidate | UniformOffers":
        """Return the candidate of one link, or some of the links at the same priority."""
        if isinstance(place, slice):
            return UniformOffers(self.links[place], self.priority, self.depth, self.keys[place])
        link = self.links[place]
        return Candidate(link.target, self.priority, link, depth=self.depth)

    def __iter__(self) -> Iterator[Candidate]:
        """Make the candidates, one after the other."""
        priority, depth = self.priority, self.depth
        return (Candidate(link.target, priority, link, depth=depth) for link in self.links)


def chunked(offers: Iterable[Candidate]) -> Iterator[Sequence[Candidate]]:
    """Yield offers in portions, those at one priority unmade."""
    if isinstance(offers, UniformOffers):
        yield from (offers[start : start + PORTION] for start in range(0, len(offers), PORTION))
        return
    left = iter(offers)
    while some := list(islice(left, PORTION)):
        yield some
