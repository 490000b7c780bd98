"""Questions to the server, one struct each, and the problems that answer what cannot be asked."""

from typing import Annotated, Literal

import msgspec
from aiohttp import web
from msgspec import Meta, Struct

from thresher.core.errors import (
    CrawlExists,
    CrawlRunning,
    DiskFull,
    InvalidUrl,
    NotACrawl,
    SettingsError,
    StoreFailed,
    ThresherError,
    UsageError,
)

# What went wrong, for people and programs: RFC 9457, with what is safe and what to do next.


CONTENT_TYPE = "application/problem+json"


class ProblemDocument(Struct, frozen=True):
    """The body of an answer that is an error."""

    type: str
    title: str
    status: int
    detail: str  # what happened
    safe: str = ""  # what is safe
    next: str = ""  # what to do


class Problem(Exception):
    """An answer that is an error."""

    def __init__(
        self, kind: str, title: str, status: int, detail: str, safe: str = "", next: str = ""
    ) -> None:
        """Make the document; the kind names its type."""
        super().__init__(detail)
        self.document = ProblemDocument(f"/problems/{kind}", title, status, detail, safe, next)
        self.headers: dict[str, str] = {}

    def answer(self) -> web.Response:
        """Return the problem as it is sent."""
        body = msgspec.json.encode(self.document)
        return web.Response(
            body=body, status=self.document.status, content_type=CONTENT_TYPE, headers=self.headers
        )


def not_found(what: str, next: str = "") -> Problem:
    """Return the problem of something that is not there."""
    return Problem("not-found", "Not here", 404, what, "Nothing was changed.", next)


def bad_request(detail: str, next: str = "") -> Problem:
    """Return the problem of a question that cannot be understood."""
    return Problem("bad-request", "Not understood", 400, detail, "Nothing was changed.", next)


def too_many(detail: str, seconds: int) -> Problem:
    """Return the problem of a client that asks too often."""
    problem = Problem(
        "too-many", "Too many requests", 429, detail, "Nothing was changed.", f"Ask again in {seconds} s."
    )
    problem.headers["Retry-After"] = str(seconds)
    return problem


def of_folder(error: ThresherError) -> Problem:
    """Return the problem that reports an error of a crawl's folder."""
    kind, title, status, safe, next = next_of(error)
    return Problem(kind, title, status, str(error), safe, next)


def next_of(error: ThresherError) -> tuple[str, str, int, str, str]:
    """Return kind, title, status, what is safe and what to do."""
    return next((rest for kinds, *rest in _TABLE if isinstance(error, kinds)), _OTHER)  # type: ignore[return-value]


_UNTOUCHED = "The folder was only read: nothing in it was changed."
_TABLE: tuple[tuple[type[ThresherError], str, str, int, str, str], ...] = (
    (NotACrawl, "not-a-crawl", "This folder cannot be read as a crawl", 422, _UNTOUCHED,
     "Open it with the Thresher that wrote it, or take the folder out of here."),
    (CrawlRunning, "running", "A crawl is running here", 409, "The crawl goes on as before.",
     "Pause it first, or wait until it ends."),
    (CrawlExists, "exists", "There is a crawl of this name", 409, "It was not touched.",
     "Choose another name."),
    (DiskFull, "disk-full", "The disk is full", 507, "Everything saved so far is safe.",
     "Make room, then resume."),
    (StoreFailed, "store-failed", "The disk failed", 500, "Everything saved so far is safe.",
     "Look at the disk, then resume."),
    (InvalidUrl, "bad-url", "Not a web address", 422, "Nothing was changed.", "Write it as http://example.org/."),
    (SettingsError, "bad-settings", "This cannot be set so", 422, "Nothing was changed.", ""),
    (UsageError, "bad-request", "Not understood", 400, "Nothing was changed.", ""),
)  # fmt: skip
_OTHER = (
    "failed",
    "It did not work",
    500,
    "The crawl itself was not changed.",
    "Look into the log of the server.",
)


# Questions


Id = Annotated[str, Meta(pattern=r"^[\w-]{1,80}$", description="The crawl's id.")]
Key = Annotated[str, Meta(pattern="^[0-9a-f]{16}$", description="The key of a page's URL.")]
Limit = Annotated[int, Meta(ge=1, le=200, description="Items in one answer at most.")]
Words = Annotated[
    str, Meta(max_length=400, description="Words to search for; 'thresher search --help' says how.")
]
Share = Annotated[float, Meta(ge=0, le=1)]
Address = Annotated[str, Meta(max_length=2083)]
Keywords = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=200)], ...], Meta(max_length=50)]
Sentence = Annotated[str, Meta(max_length=2000)]
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
    keywords: Keywords = ()
    description: Sentence = ""
    examples: Annotated[tuple[Address, ...], Meta(max_length=20)] = ()
    delay: Annotated[float, Meta(ge=0.2, le=3600)] | None = None
    contact: Annotated[str, Meta(max_length=200)] = ""


class NewState(OfCrawl, frozen=True):
    """What is to become of a crawl; when it goes on limits may be raised and keywords added."""

    to: Literal["running", "paused", "stopped"]
    pages: Annotated[int, Meta(ge=0, le=10_000_000)] | None = None
    relevant: Annotated[int, Meta(ge=0, le=10_000_000)] | None = None
    keywords: Keywords = ()


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
    substantive: bool = True
    after: str = ""
    limit: Limit = 50
    width: Width = 0


class HostList(OfCrawl, frozen=True):
    """The hosts of a crawl."""

    sort: Literal["relevant", "pages", "failed"] = "relevant"
    after: str = ""
    limit: Limit = 50


class RequestList(OfCrawl, frozen=True):
    """The requests of a crawl, the latest first; `errors` are those that brought no answer or an error."""

    outcome: str = ""  # an outcome, errors, or nothing for all
    host: str = ""  # with its scheme and port, as the list of hosts has it
    after: str = ""
    limit: Limit = 100


class TopicTrial(OfCrawl, frozen=True):
    """Another threshold or other words, to see what would turn."""

    threshold: Share | None = None
    keywords: Annotated[dict[str, float], Meta(max_length=500)] | None = None
    width: Width = 0


class TopicQuery(Ask, frozen=True):
    """A topic while it is typed."""

    topic: Annotated[str, Meta(min_length=1, max_length=200)]
    seeds: Annotated[tuple[Address, ...], Meta(max_length=200)] = ()
    keywords: Keywords = ()
    description: Sentence = ""


class CompareRequest(Ask, frozen=True):
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


class WatchRequest(Ask, frozen=True):
    """The event stream: of all crawls, with every visit of one."""

    crawl: Annotated[str, Meta(pattern=r"^[\w-]{0,80}$")] = ""


class Feed(OfCrawl, frozen=True):
    """The feed of a crawl's changes, opened by a key of its own."""

    key: str = ""


class ShownCopy(OfCrawl, frozen=True):
    """An archived copy, opened by a key that is good for it and for five minutes."""

    visit: Annotated[int, Meta(ge=1)]
    key: str = ""
