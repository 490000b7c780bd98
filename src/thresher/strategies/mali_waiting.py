"""Mali and Meshram's list of URLs, sorted by the P-values of now.

Pvalue = FwdLK - BkLK. FwdLK is the mean of a host, so one page more changes it for all URLs of the host, and
for all hosts of which no page is known. The order within a host is that of BkLK, first come, first served
among equals. So the frontier is told of the best URL of each host and of all unknown hosts together, at what
it is worth now; the others wait behind them (decision 13).
"""

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import msgspec
from msgspec import Struct

from thresher.core.enums import REVISITS
from thresher.core.records import Url, Visit
from thresher.core.url import host_of, key_of
from thresher.strategies.base import links_of

# Forward and backward links, counted as pages come in: what Mali and Meshram's P-value is made of.


class LinkCounts:
    """How many pages link to each URL, and how many links the pages of each host have on average."""

    def __init__(self) -> None:
        self._backward: dict[int, int] = {}
        self._hosts: dict[str, tuple[int, int]] = {}  # links, pages
        self._all = (0, 0)
        self._changed: dict[int, None] = {}
        self._changed_hosts: dict[str, None] = {}

    def add(self, visit: Visit) -> None:
        """Count the links of a visit; one that brought no page has none, and a revisit adds nothing."""
        if visit.candidate.kind in REVISITS:
            return
        targets = {key_of(link.target): None for link in links_of(visit)}
        for key in targets:
            self._backward[key] = self._backward.get(key, 0) + 1
        self._changed |= targets
        self._count(host_of(visit.candidate.url), len(targets), 1)

    def forward(self, url: Url) -> float:
        """Return the mean number of links of the pages of a URL's host, of all pages if none is known."""
        links, pages = self._hosts.get(host_of(url), self._all)
        return links / pages if pages else 0.0

    def backward(self, url: Url) -> int:
        """Return how many pages link to a URL."""
        return self._backward.get(key_of(url), 0)

    def _count(self, host: str, links: int, pages: int) -> None:
        before = self._hosts.get(host, (0, 0))
        self._hosts[host] = before[0] + links, before[1] + pages
        self._all = self._all[0] + links, self._all[1] + pages
        self._changed_hosts[host] = None


IMAGES = frozenset("jpg jpeg png gif webp bmp ico svg tif tiff avif".split())
FILES = IMAGES | frozenset(
    "mp3 ogg wav flac mp4 avi mov mkv webm mpg mpeg wmv zip gz bz2 xz 7z rar tar tgz exe dmg iso apk deb rpm"
    " css js json woff woff2 ttf ps eps doc docx xls xlsx ppt pptx pdf".split()
)


def is_image(url: Url) -> bool:
    """Tell whether a URL ends as pictures do."""
    return ending(url) in IMAGES


def is_page(url: Url) -> bool:
    """Tell whether a URL ends as no file but a page does."""
    return ending(url) not in FILES


def ending(url: Url) -> str:
    """Return what stands after the last full stop of a path's last part, in lower case, if anything."""
    name = url.partition("?")[0].rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


BEHIND = 1e7  # what all but the best of a host stand back
DIGITS = 9  # P-values that differ by less are equal
UNKNOWN = ""  # stands for all hosts of which no page is known
PATIENCE = 64  # URLs of unknown hosts that are preferred to the best of them before it is left alone


class Waiting(Struct, frozen=True):
    """A URL that waits, as the store keeps it."""

    url: Url
    depth: int
    cited: int
    arrival: int


class MaliPriority(NamedTuple):
    """What a URL is worth now: its two counts, and how far it stands behind the best of its host."""

    url: Url
    depth: int
    forward: float
    backward: int
    behind: float

    @property
    def worth(self) -> float:
        """The P-value."""
        return round(self.forward - self.backward, DIGITS)

    @property
    def value(self) -> float:
        """The P-value as the frontier is told."""
        return round(self.forward - self.backward - self.behind, DIGITS)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(int | tuple[str, int, int] | Waiting).decode


class PriorityQueue(LinkCounts):
    """The URLs that wait, by host. Invariant: the best of each host is told, at its priority of now."""

    def __init__(self) -> None:
        """Start with an empty list."""
        super().__init__()
        self._waiting: dict[int, tuple[Url, int, int]] = {}  # URL, depth and arrival
        self._asked: set[int] = set()
        self._heaps: dict[str, list[tuple[int, int, int]]] = {UNKNOWN: []}
        self._told: dict[str, tuple[int, float]] = {}
        self._arrivals = 0
        self._passed = 0

    def mention(self, urls: Iterable[Url], depth: int) -> set[Url]:
        """Put URLs on the list, and return those that are new to it."""
        new = [url for url in dict.fromkeys(urls) if self._is_new(key_of(url))]
        for url in new:
            self._arrivals += 1
            self._waiting[key_of(url)] = (url, depth, self._arrivals)
            self._changed[key_of(url)] = None
        return {*new}

    def leave(self, url: Url) -> None:
        """Take a URL from the list: it was asked for. What it was preferred to was refused, and goes too."""
        key, host = key_of(url), self._group(host_of(url))
        told = self._told.pop(host, None)
        if told and told[0] != key and key in self._waiting:
            self._passed = self._passed + 1 if host == UNKNOWN else PATIENCE
            if self._passed < PATIENCE:
                self._told[host] = told
            else:
                self._drop(told[0])
                self._passed = 0
        self._drop(key)

    def again(self, urls: Iterable[Url]) -> list[MaliPriority]:
        """Return what has another priority since something changed on the hosts of these URLs."""
        touched = list(dict.fromkeys(urls))
        for url in touched:
            self._push(key_of(url))
        hosts = dict.fromkeys([UNKNOWN, *(self._group(host_of(url)) for url in touched)])
        return [priority for host in hosts for priority in self._tell(host)]

    def priority(self, url: Url) -> MaliPriority:
        """Return what a URL is worth now."""
        key = key_of(url)
        told = self._told.get(self._group(host_of(url)), (0, 0.0))[0] == key
        depth = self._waiting[key][1] if key in self._waiting else 0
        return MaliPriority(url, depth, self.forward(url), self.backward(url), 0.0 if told else BEHIND)

    def listed(self) -> list[MaliPriority]:
        """Return what every URL on the list is worth, in the order of arrival."""
        return [self.priority(url) for url, *_ in self._waiting.values()]

    def changes(self) -> Sequence[tuple[int, bytes]]:
        """Return the counts that changed, those of URLs that wait with their place in the list."""
        told = [(key, _encode(self._entry(key))) for key in self._changed]
        told += [(_host_key(host), _encode((host, *self._hosts[host]))) for host in self._changed_hosts]
        self._changed, self._changed_hosts = {}, {}
        return told

    def restore(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Take up what was counted before, and the list."""
        waiting = []
        for key, value in entries:
            entry = _decode(value)
            if isinstance(entry, Waiting):
                waiting.append((entry.arrival, key, entry))
            elif isinstance(entry, int):
                self._backward[key] = entry if entry >= 0 else -entry - 1
                self._asked.update({key} if entry < 0 else ())
            else:
                self._count(*entry)
        for arrival, key, entry in sorted(waiting):
            self._backward[key], self._waiting[key] = entry.cited, (entry.url, entry.depth, arrival)
            self._arrivals = arrival
            self._push(key)
        self._changed_hosts = {}
        for host in {self._group(host): None for host in self._heaps}:
            self._tell(host)

    def _is_new(self, key: int) -> bool:
        return key not in self._waiting and key not in self._asked

    def _group(self, host: str) -> str:
        return host if host in self._hosts else UNKNOWN

    def _push(self, key: int) -> None:
        """Place a waiting URL by what it is now; where it stood before is passed over later."""
        if key in self._waiting:
            url, _, arrival = self._waiting[key]
            for host in {host_of(url), self._group(host_of(url))}:
                heappush(self._heaps.setdefault(host, []), (self._backward.get(key, 0), arrival, key))

    def _tell(self, host: str) -> list[MaliPriority]:
        """Return the best of a host if it or its priority has changed, and the best before."""
        before, best = self._told.get(host), self._best(host)
        after = None if best is None else (best, self._worth(best))
        if before == after:
            return []
        if after:
            self._told[host] = after
        else:
            self._told.pop(host, None)
        keys = [each[0] for each in (before, after) if each and each[0] in self._waiting]
        return [self.priority(self._waiting[key][0]) for key in dict.fromkeys(keys)]

    def _worth(self, key: int) -> float:
        url = self._waiting[key][0]
        return round(self.forward(url) - self.backward(url), DIGITS)

    def _best(self, host: str) -> int | None:
        """Return the least cited of a host, first come, first served; a known host is no longer unknown."""
        heap = self._heaps.get(host, [])
        while heap:
            cited, _, key = heap[0]
            waits = key in self._waiting and self._backward.get(key, 0) == cited
            if waits and self._group(host_of(self._waiting[key][0])) == host:
                return key
            heappop(heap)
        return None

    def _drop(self, key: int) -> None:
        self._waiting.pop(key, None)
        self._asked.add(key)
        self._changed[key] = None

    def _entry(self, key: int) -> int | Waiting:
        cited = self._backward.get(key, 0)
        if key in self._waiting:
            url, depth, arrival = self._waiting[key]
            return Waiting(url, depth, cited, arrival)
        return -cited - 1 if key in self._asked else cited


def _host_key(host: str) -> int:
    """Return a key that no URL has."""
    return key_of(Url(f"host {host}"))
