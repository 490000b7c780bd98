"""What the server answers about topics: as run, as tried, as typed."""

from msgspec import Struct


class Word(Struct, frozen=True):
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
    keywords: list[Word]
    spellings: list[str]
    histogram: list[int]  # pages by relevance, in columns of equal width
    pages: int
    relevant: int
    suggestions: list[Word]
    said_yes: int
    said_no: int
    agreement: int  # labels that the judge agrees with
    can_apply: bool
    why_not: str
    picture: str = ""  # the same as SVG, if a width was asked for


class Turned(Struct, frozen=True):
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
    examples: list[Turned]
    ms: float
    picture: str = ""  # the same as SVG, if a width was asked for


class Understood(Struct, frozen=True, kw_only=True):
    """A topic as it is taken."""

    name: str
    wanted: list[list[str]]  # a page must speak of one of each
    excluded: list[str]
    near: list[Word]  # in meaning, so they count a little
    spellings: list[str]  # looked for in addresses
    nodes: list[str]  # of the taxonomy that are called so
    warnings: list[str]
    folder: str
    bad_seeds: list[str]
    command: str
    ms: float
