"""The server's defences: who may ask, signed links, limits on work, and text made harmless."""

import base64
import hmac
import re
import sqlite3
import time
import unicodedata
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TypeVar

import msgspec
from msgspec import Struct

from thresher.serve.requests import Problem, bad_request, too_many

# The walls round the server: who may ask at all, who may change something, and what a page may do.
#
# Against pages that the user visits, pages that were crawled, and other users of the machine; not against the
# user. A request passes the list of hosts first, whatever it asks for: in DNS rebinding Origin and Host
# agree. There is no cookie: cookies know no ports, so a page of another server on this machine would send
# ours.


SHELL_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
COPY_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Server": "thresher",  # no versions: they say which holes to try
}
SCHEMES = frozenset({"http", "https"})
READING = frozenset({"GET", "HEAD"})
OWN_SITE = frozenset({"", "same-origin"})


class Guards(Struct, frozen=True):
    """What a request must show. Each wall can be left out, so that a test can show what it keeps out."""

    hosts: frozenset[str]  # names with their port, exactly as a browser writes them
    token: str
    checks_host: bool = True
    checks_token: bool = True
    checks_origin: bool = True
    isolates_copies: bool = True

    def admit(self, method: str, headers: Mapping[str, str], is_open: bool) -> None:
        """Let a request pass, or raise why not; what is open needs no token."""
        if self.checks_host and headers.get("Host", "").lower() not in self.hosts:
            raise Problem(
                "wrong-host", "Not this server", 421, "The name in the address is not one of this server.",
                "Nothing was read.", "Open the address that 'thresher serve' printed.",
            )  # fmt: skip
        if not is_open and self.checks_token and not self.knows(headers.get("Authorization", "")):
            raise Problem(
                "no-token", "The token is missing or of an earlier start", 401,
                "Every start of the server makes a new token, and this request has none that is valid.",
                "Nothing was read or changed.", "Open the address that 'thresher serve' printed last.",
            )  # fmt: skip
        if method not in READING:
            self._admit_change(headers)

    def _admit_change(self, headers: Mapping[str, str]) -> None:
        """Let a request that changes something pass only from our own pages, or from no page at all."""
        origin, site = headers.get("Origin", ""), headers.get("Sec-Fetch-Site", "")
        scheme, _, host = origin.lower().partition("://")
        own = not origin or (scheme in SCHEMES and host in self.hosts)
        if self.checks_origin and not (own and site in OWN_SITE):
            raise Problem(
                "foreign-page", "Asked by another page", 403, "A page of another address asked for a change.",
                "Nothing was changed.", "Close that page if you do not know it.",
            )  # fmt: skip
        if self.checks_origin and headers.get("Content-Type", "") != "application/json":
            raise Problem(
                "wrong-type",
                "Not JSON",
                415,
                "A change is asked for in application/json.",
                "Nothing was changed.",
            )

    def knows(self, authorization: str) -> bool:
        """Tell whether the header carries the token."""
        return hmac.compare_digest(authorization.encode(), f"Bearer {self.token}".encode())


def security_headers(path: str, isolates_copies: bool = True) -> dict[str, str]:
    """Return the headers of an answer: what the page that shows it may do."""
    if path.startswith("/copy/"):
        policy = {"Content-Security-Policy": COPY_POLICY} if isolates_copies else {}
        return {**HEADERS, **policy, "Cache-Control": "no-store"}
    kept = (
        {"Cache-Control": "no-store"}
        if path.startswith(("/api/", "/metrics"))
        else {"Cache-Control": "no-cache"}
    )
    return {**HEADERS, "Content-Security-Policy": SHELL_POLICY, **kept}


# Keys of the server's own making: for one copy and five minutes, for a feed, for the next page of a list


COPY_SECONDS = 300
Place = TypeVar("Place", bound=Struct)


class Signer(Struct, frozen=True):
    """Signs what leaves the server and must come back unchanged."""

    secret: bytes

    def sign(self, *parts: str) -> str:
        """Return the signature of some words, 32 hexadecimal digits."""
        return blake2b("\0".join(parts).encode(), key=self.secret[:64], digest_size=16).hexdigest()

    def copy_key(self, crawl: str, visit: int) -> str:
        """Return a key that opens one archived copy for five minutes; a frame cannot send the token."""
        until = str(int(time.time()) + COPY_SECONDS)
        return f"{until}-{self.sign('copy', crawl, str(visit), until)}"

    def opens_copy(self, key: str, crawl: str, visit: int) -> bool:
        """Tell whether a key opens a copy now."""
        until, _, signature = key.partition("-")
        right = hmac.compare_digest(signature, self.sign("copy", crawl, str(visit), until))
        return right and until.isdecimal() and int(until) >= time.time()

    def feed_key(self, crawl: str) -> str:
        """Return the key of a crawl's feed, which reads changes and nothing else."""
        return self.sign("feed", crawl)

    def cursor(self, place: Struct) -> str:
        """Return where the next page of a list begins, for the client to hand back."""
        body = base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")
        return f"{body}.{self.sign('cursor', body)}"

    def place(self, cursor: str, kind: type[Place]) -> Place | None:
        """Return the place that a cursor stands for; one we did not make is refused."""
        if not cursor:
            return None
        body, _, signature = cursor.partition(".")
        if not hmac.compare_digest(signature, self.sign("cursor", body)):
            raise bad_request(
                "'after' is not a place that this server gave.", "Ask for the first page again."
            )
        try:
            return msgspec.json.decode(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)), type=kind)
        except (ValueError, msgspec.MsgspecError):
            raise bad_request("'after' belongs to another list.", "Ask for the first page again.") from None


def wrong_key() -> Problem:
    """Return the problem of a key that opens nothing."""
    return Problem(
        "no-key", "The key is wrong or too old", 401, "A copy is opened by a key, for five minutes.",
        "Nothing was read.", "Open the copy from its page again.",
    )  # fmt: skip


# How much the server does at once, and how long one question may take


BODY = 1 << 20  # bytes
STREAMS = 32
AT_WORK = 10  # requests
WAITING = 100  # requests behind them
QUERY_SECONDS = 5.0
STEPS = 20_000  # of SQLite between two checks of the clock


def bounded(connection: sqlite3.Connection, seconds: float = QUERY_SECONDS) -> sqlite3.Connection:
    """Let nothing that is asked of a connection from now on take longer than this in all."""
    end = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > end, STEPS)
    return connection


def took_too_long() -> Problem:
    """Return the problem of a question that was given up."""
    return Problem(
        "too-slow", "This takes too long", 503, f"The question was given up after {QUERY_SECONDS:g} s.",
        "Nothing was changed.", "Ask for less: another word, one host, a shorter time.",
    )  # fmt: skip


@dataclass
class Rate:
    """At most so many a second."""

    most: int
    _times: deque[float] = field(default_factory=deque)

    def admit(self) -> None:
        """Count one, or raise that there were too many."""
        now = time.monotonic()
        while self._times and self._times[0] < now - 1:
            self._times.popleft()
        if len(self._times) >= self.most:
            raise too_many(f"At most {self.most} of these a second are answered.", 1)
        self._times.append(now)


# Text from outside, made harmless to show


MARKS = 2  # combining marks a letter may carry

_HIDDEN = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def strip_control_characters(text: str, most: int = 300) -> str:
    """Truncate text; show control and bidi characters as U+XXXX; limit combining marks."""
    cut = text if len(text) <= most else f"{text[: most - 1]}…"
    return _HIDDEN.sub(_name, _lowered(cut))


def _name(found: re.Match[str]) -> str:
    return f"[U+{ord(found[0]):04X}]"


def _lowered(text: str) -> str:
    if text.isascii():
        return text
    out: list[str] = []
    marks = 0
    for letter in text:
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks <= MARKS:
            out.append(letter)
    return "".join(out)
