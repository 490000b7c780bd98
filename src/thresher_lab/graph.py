"""The link graph of a recorded web: which page a URL leads to, who links to it, what can be reached."""

import hashlib
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from msgspec import Struct

from thresher.core.errors import InvalidUrl
from thresher.core.files import atomic_write
from thresher.core.records import Fetched, Page, Url
from thresher.core.url import join
from thresher.engine.workers import MOVED
from thresher_lab.archive_web import ArchiveWeb
from thresher_lab.versions import parser_version

MAX_REDIRECTS = 10


class Edges(Struct, frozen=True):
    """Every page with the targets of its links in order, and every redirect with its target."""

    links: dict[Url, tuple[Url, ...]]
    redirects: dict[Url, Url]


@dataclass(frozen=True)
class Graph:
    """The edges, and answers from them."""

    edges: Edges
    _sources: dict[Url, list[Url]] = field(default_factory=dict)

    def page_of(self, url: Url) -> Url:
        """Return the page a URL leads to, past its redirects."""
        for _ in range(MAX_REDIRECTS):
            target = self.edges.redirects.get(url)
            if target is None:
                break
            url = target
        return url

    def reachable(self, seeds: Iterable[Url], hidden: Collection[Url]) -> set[Url]:
        """Return every page that links lead to from the seeds, hidden pages left out."""
        waiting = deque(map(self.page_of, seeds))
        found: set[Url] = set()
        while waiting:
            page = waiting.popleft()
            if page not in found and page not in hidden and page in self.edges.links:
                found.add(page)
                waiting.extend(map(self.page_of, self.edges.links[page]))
        return found

    def sources(self, url: Url) -> list[Url]:
        """Return the pages that link to a page, in the order of the archive."""
        if not self._sources:
            for source, targets in self.edges.links.items():
                for target in dict.fromkeys(map(self.page_of, targets)):
                    self._sources.setdefault(target, []).append(source)
        return self._sources.get(self.page_of(url), [])


def graph_of(web: ArchiveWeb, parse: Callable[[Fetched], Page], cache: Path) -> Graph:
    """Return the graph of an archive, from the cache if it was worked out before."""
    path = cache / f"graph-{_identity(web)}.msgpack"
    if path.exists():
        return Graph(msgspec.msgpack.decode(path.read_bytes(), type=Edges))
    edges = _read(web, parse)
    cache.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(msgspec.msgpack.encode(edges))
    return Graph(edges)


def _identity(web: ArchiveWeb) -> str:
    """Return a name for what the archive holds and for how its pages are read."""
    hasher = hashlib.blake2b(parser_version().encode(), digest_size=8)
    for url in web.index:
        if capture := web.index.latest(url):
            hasher.update(f"{url} {capture.offset} {capture.status} {capture.at}\n".encode())
    return hasher.hexdigest()


def _read(web: ArchiveWeb, parse: Callable[[Fetched], Page]) -> Edges:
    edges = Edges({}, {})
    for url in web.index:
        fetched = web.peek(url)
        if fetched and 200 <= fetched.status < 300:
            edges.links[url] = tuple(dict.fromkeys(link.target for link in parse(fetched).links))
        elif fetched and fetched.status in MOVED:
            edges.redirects[url] = _target(url, fetched.header("location"))
    return edges


def _target(url: Url, location: str) -> Url:
    try:
        return join(url, location)
    except InvalidUrl:
        return url
