"""What keeps a browser from the network: five walls, of which any four would do.

intercept   every request of every target stops at `Fetch` and is answered by us
proxy       whatever went past it would go to a proxy that does not exist, loopback included
flags       no name resolves, no datagram leaves, nothing is fetched on speculation or for Google
script      before a page's own scripts run, what opens sockets is gone
namespace   where the system allows it, the process has no network interface at all
"""

from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from thresher.core.errors import FetchError, InvalidUrl
from thresher.core.records import Fetched, Url
from thresher.core.url import parse

HERE = Path(__file__).parent
WALL_SCRIPT = (HERE / "walls.js").read_text(encoding="utf-8")
SNAPSHOT_SCRIPT = (HERE / "snapshot.js").read_text(encoding="utf-8")


class Sandbox(Struct, frozen=True):
    """Which walls stand. All of them, but in the tests that show what each one keeps out."""

    proxy: bool = True
    flags: bool = True
    script: bool = True
    namespace: bool = True


NO_FEATURES = (
    *("SpeculationRulesPrefetch", "Prerender2", "PreconnectToSearch", "NavigationPredictor"),
    "SpareRendererForSitePerProcess",  # a process that every page would start for the next one in vain
    *("Translate", "OptimizationHints", "MediaRouter", "InterestFeedContentSuggestions"),
    *("CertificateTransparencyComponentUpdater", "AutofillServerCommunication", "DialMediaRouteProvider"),
)
NO_NETWORK = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--block-new-web-contents",
    "--dns-prefetch-disable",
    "--no-pings",
    f"--disable-features={','.join(NO_FEATURES)}",
)
DEAD_PROXY = ("--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>")
CALM = (
    *("--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check"),
    *("--disable-sync", "--disable-default-apps", "--disable-extensions", "--disable-component-update"),
    *(
        "--disable-domain-reliability",
        "--disable-breakpad",
        "--disable-crash-reporter",
        "--no-service-autorun",
    ),
    *("--disable-gpu", "--mute-audio", "--hide-scrollbars", "--deny-permission-prompts"),
    *("--disable-dev-shm-usage", "--disk-cache-size=1", "--password-store=basic", "--use-mock-keychain"),
    *("--disable-renderer-backgrounding", "--disable-background-timer-throttling"),
    *("--disable-backgrounding-occluded-windows", "--js-flags=--max-old-space-size=512"),
)


def arguments(walls: Sandbox, profile: str, is_root: bool, more: tuple[str, ...] = ()) -> list[str]:
    """Return what a browser is started with; as root it has no sandbox of its own."""
    return [
        *CALM,
        f"--user-data-dir={profile}",
        *(NO_NETWORK if walls.flags else ()),
        *(DEAD_PROXY if walls.proxy else ()),
        *(("--no-sandbox",) if is_root else ()),
        *more,
        "about:blank",
    ]


# What a page may ask for while it is rendered, and how each request is answered.


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


class SubRequest(Struct, frozen=True):
    """A request that a page makes on its own behalf."""

    url: Url
    page: Url
    headers: Mapping[str, str] = {}
    may_be_kept: bool = False


Ask = Callable[[SubRequest], Awaitable[Fetched]]
"""Asks our own web for a part of a page; raises FetchError where that says no."""


class InterceptReply(Struct, frozen=True):
    """What a paused request is answered with: the call of the protocol, and what it says."""

    method: str
    parameters: dict[str, Any] = {}


def fulfilled(fetched: Fetched) -> InterceptReply:
    """Return a response as the browser gets it: unpacked, without what would have it ask elsewhere."""
    shown = [
        {"name": name, "value": value}
        for name, value in fetched.headers
        if name in ANSWERED or name.startswith("access-control-")
    ]
    return InterceptReply(
        "Fetch.fulfillRequest",
        {"responseCode": fetched.status, "responseHeaders": shown, "body": b64encode(fetched.body).decode()},
    )


def nothing(status: int = 204) -> InterceptReply:
    """Return an answer without content, at which a document stays as it is."""
    return InterceptReply("Fetch.fulfillRequest", {"responseCode": status})


def refused() -> InterceptReply:
    """Return a failure, as a page sees it that is offline."""
    return InterceptReply("Fetch.failRequest", {"errorReason": "BlockedByClient"})


def picture() -> InterceptReply:
    """Return a picture of one dot, so that a page that waits for its pictures goes on."""
    headers = [{"name": "content-type", "value": "image/gif"}]
    return InterceptReply(
        "Fetch.fulfillRequest", {"responseCode": 200, "responseHeaders": headers, "body": PICTURE.decode()}
    )


def part_of(page: Url, paused: Mapping[str, Any]) -> SubRequest | None:
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
    return SubRequest(url, page, headers, kind in KEPT)


async def answer(part: SubRequest, ask: Ask) -> InterceptReply:
    """Return the answer of our own web to a part of a page."""
    try:
        return fulfilled(await ask(part))
    except FetchError:
        return refused()
