"""What a page may ask for while it is rendered, and how each request is answered."""

from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct

from thresher.core.errors import FetchError, InvalidUrl
from thresher.core.records import Fetched, Url
from thresher.core.url import parse

WANTED = frozenset({"Script", "Stylesheet", "XHR", "Fetch"})
"""The kinds of request without which a page does not become itself; pictures, fonts and films are not."""

KEPT = frozenset({"Script", "Stylesheet"})
"""Those that are the same for many pages of a host."""

ANSWERED = frozenset(
    {"content-type", "content-language", "content-security-policy", "location", "cache-control"}
)
"""The headers that a browser may see, beside those of CORS: others make it store, report or load things."""

CARRIED = frozenset({"accept", "origin", "x-requested-with"})
"""The headers of a page's own request that go along with ours."""

ENDLESS = "text/event-stream"  # never ends, and is asked for anew until it is told that there is nothing

PICTURE = b64encode(
    bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c000000000100010000020144003b")
)


class Part(Struct, frozen=True):
    """A request that a page makes on its own behalf."""

    url: Url
    page: Url
    headers: Mapping[str, str] = {}
    may_be_kept: bool = False


Ask = Callable[[Part], Awaitable[Fetched]]
"""Asks our own web for a part of a page; raises FetchError where that says no."""


class Reply(Struct, frozen=True):
    """What a paused request is answered with: the call of the protocol, and what it says."""

    method: str
    parameters: dict[str, Any] = {}


def fulfilled(fetched: Fetched) -> Reply:
    """Return a response as the browser gets it: unpacked, without what would have it ask elsewhere."""
    shown = [
        {"name": name, "value": value}
        for name, value in fetched.headers
        if name in ANSWERED or name.startswith("access-control-")
    ]
    return Reply(
        "Fetch.fulfillRequest",
        {"responseCode": fetched.status, "responseHeaders": shown, "body": b64encode(fetched.body).decode()},
    )


def nothing(status: int = 204) -> Reply:
    """Return an answer without content, at which a document stays as it is."""
    return Reply("Fetch.fulfillRequest", {"responseCode": status})


def refused() -> Reply:
    """Return a failure, as a page sees it that is offline."""
    return Reply("Fetch.failRequest", {"errorReason": "BlockedByClient"})


def picture() -> Reply:
    """Return a picture of one dot, so that a page that waits for its pictures goes on."""
    headers = [{"name": "content-type", "value": "image/gif"}]
    return Reply(
        "Fetch.fulfillRequest", {"responseCode": 200, "responseHeaders": headers, "body": PICTURE.decode()}
    )


def part_of(page: Url, paused: Mapping[str, Any]) -> Part | None:
    """Return what a paused request asks for, if it is something that a page may have."""
    request, kind = paused["request"], paused.get("resourceType", "")
    if request["method"] != "GET" or kind not in WANTED:
        return None
    try:
        url = parse(request["url"])
    except InvalidUrl:
        return None
    carried = {name.lower(): value for name, value in request.get("headers", {}).items()}
    if carried.get("accept") == ENDLESS:
        return None
    headers = {name: value for name, value in carried.items() if name in CARRIED and value.isprintable()}
    return Part(url, page, headers, kind in KEPT)


async def answer(part: Part, ask: Ask) -> Reply:
    """Return the answer of our own web to a part of a page."""
    try:
        return fulfilled(await ask(part))
    except FetchError:
        return refused()
