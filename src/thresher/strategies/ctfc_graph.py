"""The graph of relevant pages that CT-FC keeps, and the tables that show it."""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from thresher.core.enums import Origin, Outcome, Request
from thresher.core.interfaces import CrawlView
from thresher.core.records import Candidate, Link, StrategyTable, Url, Visit
from thresher.core.url import host_of, key_of

# Who links to whom among relevant pages, counted as they come: authorities, hubs and relevant hosts.


class BacklinkAnswer(Struct, frozen=True):
    """The links that are said to lead to a relevant page, kept for the day it becomes an authority."""

    url: Url
    links: tuple[Link, ...]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(int | tuple[str, bool] | BacklinkAnswer).decode

# One small number for each URL: relevant pages that link to it, whether it is one, those it links to.
_CITED, _RELEVANT, _CITES = 1, 4, 8
_TWO = 3  # counts stop at three


class Neighbours:
    """What is known of each URL, in a number, the answers about it, and which hosts were looked through."""

    def __init__(self, authority: int = 2) -> None:
        """Take how many relevant pages have to link to an authority."""
        self.authority = authority
        self._known: dict[int, int] = {}
        self._hosts: dict[str, bool] = {}
        self._answers: dict[Url, tuple[Link, ...]] = {}
        self._changed: dict[int, None] = {}
        self._changed_hosts: dict[str, None] = {}
        self._changed_answers: dict[Url, None] = {}

    def relevant(self, url: Url, links: Iterable[Link]) -> list[Link]:
        """Note a relevant page, and return its links to what becomes an authority by it."""
        self._add(key_of(url), _RELEVANT, 1)
        if host_of(url) not in self._hosts:
            self._hosts[host_of(url)] = False
            self._changed_hosts[host_of(url)] = None
        targets = {link.target: link for link in links}
        return [link for link in targets.values() if self._add(key_of(link.target), _CITED) == self.authority]

    def is_relevant(self, url: Url) -> bool:
        """Tell whether a page was relevant."""
        return bool(self._known.get(key_of(url), 0) & _RELEVANT)

    def is_authority(self, url: Url) -> bool:
        """Tell whether enough relevant pages link to a page."""
        return self._known.get(key_of(url), 0) // _CITED % _RELEVANT >= self.authority

    def keep_answer(self, url: Url, links: Iterable[Link]) -> None:
        """Remember what is said to link to a page: it is not asked twice."""
        self._answers[url] = tuple(links)
        self._changed_answers[url] = None

    def take_answer(self, url: Url) -> tuple[Link, ...]:
        """Return what is said to link to a page, once; nothing if it was not asked yet."""
        if url in self._answers:
            self._changed_answers[url] = None
        return self._answers.pop(url, ())

    def is_hub(self, url: Url) -> bool:
        """Tell whether a page links to two relevant ones."""
        return self._known.get(key_of(url), 0) // _CITES >= 2

    def becomes_hub(self, url: Url) -> bool:
        """Count a relevant page that a page links to, and tell whether that makes it a hub."""
        return self._add(key_of(url), _CITES) == 2

    def shows(self, url: Url, relevant: int) -> bool:
        """Take how many relevant pages a page links to, whatever was said of it, and tell if it is a hub."""
        key = key_of(url)
        self._known[key] = self._known.get(key, 0) % _CITES + min(relevant, _TWO) * _CITES
        self._changed[key] = None
        return relevant >= 2

    def new_hosts(self) -> list[str]:
        """Return the hosts with relevant pages that were not looked through; from now on they are."""
        found = [host for host, seen in self._hosts.items() if not seen]
        self._hosts |= dict.fromkeys(found, True)
        self._changed_hosts |= dict.fromkeys(found)
        return found

    def changes(self) -> Sequence[tuple[int, bytes]]:
        """Return what changed since this was last asked."""
        told = [(key, _encode(self._known[key])) for key in self._changed]
        hosts = [(key_of(Url(f"host {name}")), (name, self._hosts[name])) for name in self._changed_hosts]
        answers = [BacklinkAnswer(url, self._answers.get(url, ())) for url in self._changed_answers]
        self._changed, self._changed_hosts, self._changed_answers = {}, {}, {}
        told += [(key, _encode(host)) for key, host in hosts]
        return told + [(key_of(Url(f"answer {each.url}")), _encode(each)) for each in answers]

    def restore(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Take up what was known before."""
        for key, value in entries:
            found = _decode(value)
            if isinstance(found, int):
                self._known[key] = found
            elif isinstance(found, BacklinkAnswer):
                self._answers.update({found.url: found.links} if found.links else {})
            else:
                self._hosts[found[0]] = found[1]

    def _add(self, key: int, what: int, most: int = _TWO) -> int:
        """Count one more up to a few, and return how many there are now; 0 if there was no room."""
        known = self._known.get(key, 0)
        count = known // what & (1 if what == _RELEVANT else _TWO)
        if count >= most:
            return 0
        self._known[key] = known + what
        self._changed[key] = None
        return count + 1


class Yield(Struct):
    """How often something led to a relevant page."""

    hits: int = 0
    tries: int = 0

    def add(self, hit: bool) -> None:
        """Count one more try."""
        self.hits += hit
        self.tries += 1

    @property
    def rate(self) -> float:
        """The share of hits, at first taken for one of one."""
        return (self.hits + 1) / (self.tries + 1)


# Tables of a crawl with CT-FC: what each quadrant brought, and the hubs and authorities it went by.


ANSWERS = (Origin.BACKLINK, Origin.FOLDER)
STARTS = (Origin.SITEMAP, Origin.ROBOTS_TXT, Origin.SEARCH)

START, QUESTION = "seeds, sitemaps and searches", "questions who links to a page"
QUADRANTS = (
    START,
    "I, links of relevant pages",
    "II, through irrelevant pages",
    "III, spouses by authorities",
    "IV, hubs and siblings",
    QUESTION,
)


def tables_of(crawl: CrawlView, known: Neighbours, tunnel: int) -> Sequence[StrategyTable]:
    """Return the three tables, from what was visited and what waits."""
    visits = list(crawl.visits())
    brought = [_quadrant(visit.candidate, known, tunnel) for visit in visits]
    hits = [known.is_relevant(visit.candidate.url) and not _asks(visit) for visit in visits]
    rows = [(brought.count(name), sum(_of(name, brought, hits)), name) for name in QUADRANTS]
    return (
        StrategyTable(
            "Quadrants", ("requests", "relevant", "quadrant"), tuple((str(a), str(b), c) for a, b, c in rows)
        ),
        StrategyTable("Hubs", ("relevant links", "URL"), _hubs(visits, crawl, known)),
        StrategyTable("Authorities", ("relevance", "URL"), _authorities(visits, crawl, known)),
    )


def _of(name: str, brought: Sequence[str], hits: Sequence[bool]) -> list[bool]:
    return [hit for quadrant, hit in zip(brought, hits, strict=True) if quadrant == name]


def _quadrant(candidate: Candidate, known: Neighbours, tunnel: int) -> str:
    """Return what a request was made for."""
    via = candidate.via
    start, first, second, third, fourth, question = QUADRANTS
    if candidate.kind is Request.BACKLINKS:
        return question
    if via is None or via.origin in STARTS:
        return start
    if via.origin in ANSWERS:
        return third if known.is_authority(via.source) or not known.is_relevant(via.source) else fourth
    if candidate.hops_left < tunnel:
        return second
    return first if known.is_relevant(via.source) else fourth


def _asks(visit: Visit) -> bool:
    return visit.candidate.kind is Request.BACKLINKS


def _hubs(visits: Sequence[Visit], crawl: CrawlView, known: Neighbours) -> tuple[tuple[str, str], ...]:
    """Return the pages that link to two relevant ones, those with most first."""
    fetched = [v.candidate.url for v in visits if v.outcome is Outcome.FETCHED and not _asks(v)]
    hubs = [url for url in dict.fromkeys(fetched) if known.is_hub(url)]
    counted = [(_relevant(url, crawl, known), url) for url in hubs]
    return tuple((str(count), url) for count, url in sorted(counted, key=lambda pair: -pair[0]))


def _relevant(url: Url, crawl: CrawlView, known: Neighbours) -> int:
    """Return to how many relevant pages a page links."""
    return sum(map(known.is_relevant, {link.target for link in crawl.outlinks(url)}))


def _authorities(visits: Sequence[Visit], crawl: CrawlView, known: Neighbours) -> tuple[tuple[str, str], ...]:
    """Return the URLs that two relevant pages link to, with what the judge says of those fetched."""
    urls = dict.fromkeys([*(v.candidate.url for v in visits), *(each.url for each in crawl.queue())])
    found = [(crawl.relevance(url), url) for url in urls if known.is_authority(url)]
    return tuple(("waits" if score is None else f"{score:.3f}", url) for score, url in found)
