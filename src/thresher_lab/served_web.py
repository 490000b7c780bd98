"""A recorded web as any program sees it over HTTP: everything as recorded, under http, and nothing else.

A page that was recorded under https answers under http; a redirect that only changed the scheme is gone with
it, and what it led to answers in its place. What is not recorded, or hidden, answers 404.
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from typing_extensions import override

from thresher.core.caches import LruDict
from thresher.core.errors import InvalidUrl, NotAnArchive, ThresherError, UsageError
from thresher.core.records import Fetched, Url
from thresher.core.url import parse
from thresher.engine.workers import MOVED
from thresher.fetch.robots import Rules, parse_robots
from thresher_lab.archive_web import ArchiveWeb
from thresher_lab.corpus import Corpus, default_cache
from thresher_lab.setup import is_archive

# Links of recorded pages as they are served: plain http, under names or at loopback addresses.
#
# names      https://a.example/x  ->  http://a.example/x          for clients that take us for their proxy
# addresses  https://a.example/x  ->  http://127.0.1.7:8080/x     all hosts not recorded: at ELSEWHERE, absent
#
# Only references are touched: the value of an attribute that is a URL, the target of a meta refresh, and in
# feeds and sitemaps the text of an element that is one. Nothing that a reader sees changes.


PROXY = "127.0.0.1"
ELSEWHERE = "127.0.0.2"
A_ROW = 250  # hosts that share the first three numbers of their addresses

_BEFORE = rb"""\s[\w:.-]+\s*=\s*["']?\s*(?:[\d.]*\s*[;,]\s*url\s*=\s*["']?)?"""
_AUTHORITY = rb"""[^/"'\s<>?#\\]+"""
_TAG = re.compile(rb"<[a-zA-Z][^<>]*//[^<>]*>")
_HTTPS = re.compile(rb"(" + _BEFORE + rb")https://", re.IGNORECASE)
_ANYWHERE = re.compile(rb"(" + _BEFORE + rb")(?:https?:)?//(" + _AUTHORITY + rb")", re.IGNORECASE)
_HTTPS_TEXT = re.compile(rb"(>\s*)https://", re.IGNORECASE)
_ANY_TEXT = re.compile(rb"(>\s*)https?://(" + _AUTHORITY + rb")", re.IGNORECASE)
_HTTPS_VALUE = re.compile(rb"(^|<|url\s*=\s*[\"']?)https://", re.IGNORECASE)
_ANY_VALUE = re.compile(rb"(^|<|url\s*=\s*[\"']?)(?:https?:)?//(" + _AUTHORITY + rb")", re.IGNORECASE)


class HostNames:
    """Hosts keep their names; https becomes http."""

    def page(self, body: bytes) -> bytes:
        """Return a page with its references rewritten."""
        if b"https:" not in body and b"HTTPS:" not in body:
            return body
        return _TAG.sub(lambda tag: _HTTPS.sub(rb"\1http://", tag[0]), body)

    def feed(self, body: bytes) -> bytes:
        """Return a feed or sitemap with its references rewritten."""
        return _HTTPS_TEXT.sub(rb"\1http://", self.page(body))

    def value(self, value: str) -> str:
        """Return a header that holds references, rewritten."""
        return _HTTPS_VALUE.sub(rb"\1http://", value.encode("utf-8")).decode("utf-8")


@dataclass(frozen=True)
class Addresses(HostNames):
    """Every recorded host has a loopback address of its own, all on one port."""

    port: int
    hosts: dict[str, str]  # name with its port, if it is not the usual one, to address
    names: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        """Note whose each address is."""
        object.__setattr__(self, "names", {address: name for name, address in self.hosts.items()})

    @override
    def page(self, body: bytes) -> bytes:
        return _TAG.sub(lambda tag: _ANYWHERE.sub(self._moved, tag[0]), body)

    @override
    def feed(self, body: bytes) -> bytes:
        return _ANY_TEXT.sub(self._moved, self.page(body))

    @override
    def value(self, value: str) -> str:
        return _ANY_VALUE.sub(self._moved, value.encode("utf-8")).decode("utf-8")

    def meant(self, address: str, target: str) -> str:
        """Return host and path of what is asked for at an address of ours."""
        return target.lstrip("/") if address == ELSEWHERE else f"{self.names[address]}{target}"

    def _moved(self, found: re.Match[bytes]) -> bytes:
        name = found[2].decode("latin-1").rpartition("@")[2].lower()
        address = self.hosts.get(name.removesuffix(":443").removesuffix(":80"))
        place = f"http://{address}:{self.port}" if address else f"http://{ELSEWHERE}:{self.port}/{name}"
        return found[1] + place.encode("latin-1")


View = HostNames | Addresses


def addresses_of(hosts: Iterable[str]) -> dict[str, str]:
    """Return a loopback address for each host, in the order of their names: 127.0.1.1, 127.0.1.2, ..."""
    rows = enumerate(sorted(hosts))
    return {host: f"127.{n // A_ROW**2}.{n // A_ROW % A_ROW + 1}.{n % A_ROW + 1}" for n, host in rows}


MOST_CACHED = 64 << 20  # bytes of answers ready to be sent
LONGEST_CACHED = 2_000  # letters of a URL that is remembered
MOST_RULES = 2_000  # hosts and user agents whose rules are remembered
KEPT = ("content-language", "content-type", "last-modified", "refresh", "retry-after", "x-robots-tag")
REFERRING = ("link", "location", "refresh")
PHRASES = {
    200: "OK", 301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect",
    308: "Permanent Redirect", 400: "Bad Request", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 410: "Gone", 414: "URI Too Long", 431: "Request Header Fields Too Large",
    500: "Internal Server Error", 503: "Service Unavailable",
}  # fmt: skip


class RequestKind(Enum):
    """What a request was for; everything that can be asked is one of these."""

    PAGE = "page"
    MOVED = "moved"
    OTHER = "other"  # recorded with another status than 200 and the redirects
    ABSENT = "absent"
    HIDDEN = "hidden"
    ROBOTS = "robots"  # a robots.txt, recorded or not
    DAMAGED = "damaged"  # recorded, but the archive cannot be read there
    CONNECT = "connect"  # a tunnel, which is not to be had
    ODD = "odd"  # no request that we can make sense of


class PreparedResponse(Struct, frozen=True, gc=False):
    """An answer ready to be sent; the first `head` bytes of it are its head."""

    kind: RequestKind
    status: int
    raw_body: bytes
    head: int

    @property
    def size(self) -> int:
        """Bytes of its body."""
        return len(self.raw_body) - self.head


@dataclass
class ServedWeb:
    """The pages of several corpora by what they are called without their scheme."""

    webs: Sequence[ArchiveWeb]
    crawl_delay: float = 0.0  # seconds between two requests that every host asks for, if it does not itself
    hidden: frozenset[str] = frozenset()
    folded: int = 0  # redirects that only changed the scheme
    faults: Counter[str] = field(default_factory=Counter)
    _places: dict[str, tuple[int, Url]] = field(default_factory=dict)
    _rules: LruDict[tuple[str, str], Rules] = field(default_factory=lambda: LruDict(MOST_RULES))
    _ready: "OrderedDict[tuple[int, str], PreparedResponse]" = field(default_factory=OrderedDict)
    _held: int = 0

    def __post_init__(self) -> None:
        """Give every recorded URL its one place; pages go before redirects, the first corpus first."""
        for number, web in enumerate(self.webs):
            self.faults.update(web.index.faults)
            for url in web.index:
                self._settle(number, web, url)
        self.hosts = frozenset(map(host_of, self._places))

    def __len__(self) -> int:
        """Return how many URLs have an answer of their own."""
        return len(self._places)

    @property
    def pages(self) -> int:
        """How many of them are pages that are not hidden."""
        places = (self.webs[n].index.latest(url) for n, url in self._places.values())
        shown = zip(self._places, places, strict=True)
        return sum(1 for name, found in shown if found and found.status == 200 and name not in self.hidden)

    def name_of(self, text: str) -> str:
        """Return what a URL is called here: its normal form without its scheme."""
        return _name_of(text) if len(text) < LONGEST_CACHED else _name_of.__wrapped__(text)

    def spelling(self, name: str) -> str:
        """Return the URL that the archive has for a name, or the name as an http URL."""
        place = self._places.get(name)
        return place[1] if place else f"http://{name}"

    def rules(self, name: str, token: str) -> Rules | None:
        """Return what the robots.txt of a recorded host says to a user agent."""
        host = host_of(name)
        if host not in self.hosts:
            return None
        known = self._rules.get((host, token))
        if known is None:
            known = parse_robots(self._robots(host), token)
            self._rules.put((host, token), known)
        return known

    def answer(self, name: str, view: View) -> PreparedResponse:
        """Return the answer to a name, as it is seen in a view."""
        key = (id(view), name)
        known = self._ready.get(key)
        if known is not None:
            self._ready.move_to_end(key)
            return known
        made = self._made(name, view)
        if name in self._places:
            self._keep(key, made)
        return made

    def _settle(self, number: int, web: ArchiveWeb, url: Url) -> None:
        name, capture = bare(url), web.index.latest(url)
        if capture is None:
            return
        if name in self._places:
            other, before = self._places[name]
            self.folded += 1
            first = self.webs[other].index.latest(before)
            if first is None or first.status not in MOVED or capture.status in MOVED:
                return
        self._places[name] = (number, url)

    def _keep(self, key: tuple[int, str], answer: PreparedResponse) -> None:
        self._ready[key] = answer
        self._held += len(answer.raw_body)
        while self._held > MOST_CACHED:
            self._held -= len(self._ready.popitem(last=False)[1].raw_body)

    def _made(self, name: str, view: View) -> PreparedResponse:
        if name.endswith("/robots.txt") and name.count("/") == 1:
            return self._robots_answer(name, view)
        if name in self.hidden:
            return absent(RequestKind.HIDDEN)
        fetched = self._recorded(name)
        if fetched is None:
            return absent(RequestKind.DAMAGED if name in self._places else RequestKind.ABSENT)
        return _rewritten(fetched, view)

    def _robots_answer(self, name: str, view: View) -> PreparedResponse:
        host = host_of(name)
        body = self._robots(host) if host in self.hosts else b""
        if not body:
            return absent(RequestKind.ROBOTS)
        return in_raw(RequestKind.ROBOTS, 200, [("content-type", "text/plain")], view.feed(body))

    def _robots(self, host: str) -> bytes:
        """Return the robots.txt of a host as recorded, with the delay that is asked for here."""
        fetched = self._recorded(f"{host}/robots.txt")
        body = fetched.body if fetched and fetched.status == 200 else b""
        return with_delay(body, self.crawl_delay) if self.crawl_delay else body

    def _recorded(self, name: str) -> Fetched | None:
        """Return what was recorded under a name; what cannot be read is counted, and missing."""
        place = self._places.get(name)
        if place is None:
            return None
        try:
            return self.webs[place[0]].peek(place[1])
        except (ThresherError, OSError, ValueError) as error:
            self.faults[f"{type(error).__name__} while a page was read"] += 1
            return None


@contextmanager
def served(
    corpora: Iterable[Corpus],
    hidden: Callable[[Corpus], frozenset[Url]] = lambda corpus: frozenset(),
    crawl_delay: float = 0.0,
    cache: Path | None = None,
) -> Iterator[ServedWeb]:
    """Open the archives of corpora as one web, and put them away afterwards."""
    scans, hides = (cache or default_cache()) / "scans", set[str]()
    with ExitStack() as stack:
        webs = []
        for corpus in corpora:
            archives = sorted(path for path in corpus.path.iterdir() if is_archive(path))
            if not archives:
                raise NotAnArchive(f"{corpus.path} holds no WARC file: see docs/trust/lab.md.")
            webs.append(stack.enter_context(ArchiveWeb(archives, cache=scans)))
            hides |= set(map(bare, hidden(corpus)))
        web = ServedWeb(webs, crawl_delay, frozenset(hides))
        if not web.pages:
            raise UsageError("Not one page can be read from these archives: see 'thresher lab check'.")
        yield web


def host_of(name: str) -> str:
    """Return the host of a name, with its port if it is not the usual one."""
    return name.partition("/")[0]


def absent(kind: RequestKind) -> PreparedResponse:
    """Return the answer of what is not there."""
    return in_raw(kind, 404, [("content-type", "text/html")], b"<title>404</title><p>Not recorded.")


def in_raw(
    kind: RequestKind, status: int, headers: Iterable[tuple[str, str]], body: bytes = b""
) -> PreparedResponse:
    """Return an answer as it is sent."""
    lines = [f"HTTP/1.1 {status} {PHRASES.get(status, 'As Recorded')}"]
    lines += [f"{name}: {value}" for name, value in headers]
    head = "\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode("utf-8", "replace")
    return PreparedResponse(kind, status, head + body, len(head))


def with_delay(body: bytes, seconds: float) -> bytes:
    """Return a robots.txt in which every group asks for a delay; one that asks for its own keeps it."""
    delay, lines, heads = f"Crawl-delay: {seconds:g}".encode(), body.splitlines(), False
    if b"user-agent" not in body.lower():
        return b"\n".join([*lines, b"User-agent: *", delay, b""])
    found: list[bytes] = []
    for line in lines:
        is_head = line.lower().lstrip().startswith(b"user-agent")
        if heads and not is_head:
            found.append(delay)
        heads = is_head
        found.append(line)
    return b"\n".join([*found, delay, b""] if heads else [*found, b""])


def _rewritten(fetched: Fetched, view: View) -> PreparedResponse:
    """Return a recorded response as it is served: kept headers, rewritten references, no coding."""
    headers = [(name, value) for name, value in fetched.headers if name in KEPT and name not in REFERRING]
    headers += [(name, view.value(value)) for name, value in fetched.headers if name in REFERRING]
    clean = [(name, " ".join(value.split())) for name, value in headers]
    mime = fetched.header("content-type").lower()
    if not mime or "html" in mime:
        body = view.page(fetched.body)
    else:
        body = view.feed(fetched.body) if "xml" in mime else fetched.body
    kind = (
        RequestKind.PAGE
        if 200 <= fetched.status < 300
        else RequestKind.MOVED
        if fetched.status in MOVED
        else RequestKind.OTHER
    )
    return in_raw(kind, fetched.status, clean, body)


def bare(url: str) -> str:
    """Return a URL without its scheme."""
    return url.partition("://")[2]


@lru_cache(maxsize=65_536)
def _name_of(text: str) -> str:
    try:
        return bare(parse(text))
    except InvalidUrl:
        return ""
