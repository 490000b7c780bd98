"""What went wrong, for people and programs: RFC 9457, with what is safe and what to do next."""

import msgspec
from aiohttp import web
from msgspec import Struct

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
        """Return the problem as it goes over the wire."""
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
    """Return the problem of somebody who asks too often."""
    problem = Problem(
        "too-many", "Too many requests", 429, detail, "Nothing was changed.", f"Ask again in {seconds} s."
    )
    problem.headers["Retry-After"] = str(seconds)
    return problem


def of_folder(error: ThresherError) -> Problem:
    """Return the problem that an error of a crawl's folder is to whoever looks at it."""
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
    (DiskFull, "disk-full", "The disk is full", 507, "Everything acknowledged so far is safe.",
     "Make room, then resume."),
    (StoreFailed, "store-failed", "The disk failed", 500, "Everything acknowledged so far is safe.",
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
