"""What may be asked of the server: one struct for each question, from path, query and body alike."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Id = Annotated[str, Meta(pattern=r"^[\w-]{1,80}$", description="The crawl's id.")]
Key = Annotated[str, Meta(pattern="^[0-9a-f]{16}$", description="The key of a page's URL.")]
Limit = Annotated[int, Meta(ge=1, le=200, description="Items in one answer at most.")]
Words = Annotated[
    str, Meta(max_length=400, description="Words to search for; 'thresher search --help' says how.")
]
Share = Annotated[float, Meta(ge=0, le=1)]
Address = Annotated[str, Meta(max_length=2083)]
Width = Annotated[
    int, Meta(ge=0, le=4000, description="Draw the picture so many pixels wide, as SVG; 0: no picture.")
]


class Ask(Struct, frozen=True, forbid_unknown_fields=True):
    """A question without parameters."""


class OfCrawl(Ask, frozen=True):
    """A question about one crawl."""

    id: Id


class CrawlList(Ask, frozen=True):
    """All crawls, with what each has found so far drawn small if asked for."""

    sparks: bool = False


class DrawnCrawl(OfCrawl, frozen=True):
    """A question about one crawl that has a picture for an answer, too."""

    width: Width = 0


class NewCrawl(Ask, frozen=True):
    """A crawl to be begun."""

    topic: Annotated[str, Meta(min_length=1, max_length=200)]
    seeds: Annotated[tuple[Address, ...], Meta(max_length=200)] = ()
    name: Annotated[str, Meta(max_length=80)] = ""
    strategy: str = "thresher"
    pages: Annotated[int, Meta(ge=0, le=10_000_000)] = 1000
    relevant: Annotated[int, Meta(ge=0, le=10_000_000)] = 0
    minutes: Annotated[float, Meta(ge=0, le=525_600)] = 0.0
    domains: Annotated[tuple[str, ...], Meta(max_length=50)] = ()
    depth: Annotated[int, Meta(ge=0, le=1000)] = 0


class NewState(OfCrawl, frozen=True):
    """What is to become of a crawl; limits may be raised when it goes on."""

    to: Literal["running", "paused", "stopped"]
    pages: Annotated[int, Meta(ge=0, le=10_000_000)] | None = None
    relevant: Annotated[int, Meta(ge=0, le=10_000_000)] | None = None


class PageList(OfCrawl, frozen=True):
    """Pages of one crawl, searched or sorted."""

    q: Words = ""
    relevant: Literal["", "yes", "no"] = ""
    label: Literal["", "yes", "no", "none"] = ""
    host: str = ""
    lang: Annotated[str, Meta(max_length=8)] = ""
    since: str = ""
    sort: Literal["best", "new", "unsure"] = "best"
    after: str = ""
    limit: Limit = 50


class OnePage(OfCrawl, frozen=True):
    """One page of a crawl, with the words of a search marked in it."""

    key: Key
    q: Words = ""


class WhyOf(OfCrawl, frozen=True):
    """Why one page of a crawl came."""

    key: Key
    width: Width = 0


class Copy(OfCrawl, frozen=True):
    """An archived copy to be shown."""

    visit: Annotated[int, Meta(ge=1)]


class Label(OfCrawl, frozen=True):
    """What the user says of a page; null takes it back."""

    url: Address
    label: Literal["yes", "no"] | None = None


class ChangeList(OfCrawl, frozen=True):
    """Changes of a crawl's pages, the latest first."""

    since: str = ""
    news: bool = True
    after: str = ""
    limit: Limit = 50
    width: Width = 0


class HostList(OfCrawl, frozen=True):
    """The hosts of a crawl."""

    sort: Literal["relevant", "pages"] = "relevant"
    after: str = ""
    limit: Limit = 50


class TopicTrial(OfCrawl, frozen=True):
    """Another threshold or other words, to see what would turn."""

    threshold: Share | None = None
    keywords: Annotated[dict[str, float], Meta(max_length=500)] | None = None
    width: Width = 0


class TopicWords(Ask, frozen=True):
    """A topic as somebody types it."""

    topic: Annotated[str, Meta(min_length=1, max_length=200)]
    seeds: Annotated[tuple[Address, ...], Meta(max_length=200)] = ()


class Comparison(Ask, frozen=True):
    """Crawls to be set side by side, their ids divided by commas."""

    ids: Annotated[str, Meta(max_length=1000)]
    width: Width = 0


class NewExport(OfCrawl, frozen=True):
    """A file to be made."""

    format: Annotated[str, Meta(max_length=20)]
    relevant: bool = True


class ExportFile(OfCrawl, frozen=True):
    """A file that was made."""

    name: Annotated[str, Meta(pattern=r"^[\w-][\w.-]{0,120}$")]


class SearchAll(Ask, frozen=True):
    """A search over several crawls; none named: all of them."""

    q: Words
    crawl: tuple[Id, ...] = ()
    after: str = ""
    limit: Limit = 20


class Watch(Ask, frozen=True):
    """The event stream: of all crawls, with every visit of one."""

    crawl: Annotated[str, Meta(pattern=r"^[\w-]{0,80}$")] = ""


class Feed(OfCrawl, frozen=True):
    """The feed of a crawl's changes, opened by a key of its own."""

    key: str = ""


class ShownCopy(OfCrawl, frozen=True):
    """An archived copy, opened by a key that is good for it and for five minutes."""

    visit: Annotated[int, Meta(ge=1)]
    key: str = ""
