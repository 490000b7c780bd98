"""What the server answers about single pages: lists, reading, why, labels."""

from msgspec import Struct

from thresher.search.query import Marked
from thresher.search.reader import Hit


class PageItems(Struct, frozen=True):
    """A list of pages."""

    items: list[Hit]
    next: str
    total: int
    all_words: int
    ms: float
    behind: int = 0
    remarks: tuple[str, ...] = ()


class PageLink(Struct, frozen=True):
    """A link of a page and what became of it."""

    url: str
    anchor: str
    state: str  # an outcome, waiting or never asked for
    relevance: float | None
    key: str


class PageVersion(Struct, frozen=True):
    """One visit to a page."""

    visit: int
    at: str
    outcome: str
    status: int
    size: int
    relevance: float
    change: str
    has_copy: bool


class PageDetail(Struct, frozen=True, kw_only=True):
    """One page to read."""

    key: str
    url: str
    title: str
    host: str
    host_ascii: str
    language: str
    relevance: float
    is_relevant: bool
    label: bool | None
    fetched_at: str
    size: int
    depth: int
    visit: int
    paragraphs: list[Marked]
    cut: bool
    links: list[PageLink]
    links_total: int
    versions: list[PageVersion]


class CopyKey(Struct, frozen=True):
    """Where an archived copy can be seen for five minutes."""

    address: str
    size: int
    type: str


class WayStep(Struct, frozen=True):
    """One page on the way from a seed."""

    url: str
    host: str
    anchor: str
    outcome: str
    relevance: float
    key: str


class Part(Struct, frozen=True):
    """One piece of evidence and what it contributed."""

    name: str
    weight: float
    sentence: str = ""


class WhyPage(Struct, frozen=True, kw_only=True):
    """Why a page was asked for and how it was judged."""

    url: str
    key: str
    title: str
    way: list[WayStep]
    price: float
    usual: float | None
    price_parts: list[Part]
    terms: list[str]  # the price as the strategy tells it
    strategy: str
    judge: str
    threshold: float
    relevance: float
    judged: float | None
    label: bool | None
    evidence: list[Part]
    inlinks: list[PageLink]
    picture: str = ""  # the same as SVG, if a width was asked for


class Effect(Struct, frozen=True):
    """What a label has changed, at once."""

    kept: bool
    learns: bool
    needs: str  # what is missing before the crawl learns
    judged_anew: int
    turned_in: int
    turned_out: int
    is_relevant: bool
    said_yes: int
    said_no: int


class WishItem(Struct, frozen=True):
    """A page whose label would help."""

    url: str
    key: str
    title: str
    score: float
    alike: int


class LessonItem(Struct, frozen=True):
    """What a word or a host brought."""

    name: str
    visits: int
    brought: float


class Wishes(Struct, frozen=True):
    """Where the user's word helps most, and what was learned so far."""

    items: list[WishItem]
    words: list[LessonItem]
    nowhere: list[LessonItem]
    learns: bool
