"""Tables of a crawl with CT-FC: what each quadrant brought, and the hubs and authorities it went by."""

from collections.abc import Sequence

from thresher.core.enums import Origin, Outcome, Request
from thresher.core.interfaces import Ledger
from thresher.core.records import Candidate, Table, Url, Visit
from thresher.strategies.ctfc.graph import Neighbours

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


def tables_of(crawl: Ledger, known: Neighbours, tunnel: int) -> Sequence[Table]:
    """Return the three tables, from what was visited and what waits."""
    visits = list(crawl.visits())
    brought = [_quadrant(visit.candidate, known, tunnel) for visit in visits]
    hits = [known.is_relevant(visit.candidate.url) and not _asks(visit) for visit in visits]
    rows = [(brought.count(name), sum(_of(name, brought, hits)), name) for name in QUADRANTS]
    return (
        Table(
            "Quadrants", ("requests", "relevant", "quadrant"), tuple((str(a), str(b), c) for a, b, c in rows)
        ),
        Table("Hubs", ("relevant links", "URL"), _hubs(visits, crawl, known)),
        Table("Authorities", ("relevance", "URL"), _authorities(visits, crawl, known)),
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
    if candidate.life < tunnel:
        return second
    return first if known.is_relevant(via.source) else fourth


def _asks(visit: Visit) -> bool:
    return visit.candidate.kind is Request.BACKLINKS


def _hubs(visits: Sequence[Visit], crawl: Ledger, known: Neighbours) -> tuple[tuple[str, str], ...]:
    """Return the pages that link to two relevant ones, those with most first."""
    fetched = [v.candidate.url for v in visits if v.outcome is Outcome.FETCHED and not _asks(v)]
    hubs = [url for url in dict.fromkeys(fetched) if known.is_hub(url)]
    counted = [(_relevant(url, crawl, known), url) for url in hubs]
    return tuple((str(count), url) for count, url in sorted(counted, key=lambda pair: -pair[0]))


def _relevant(url: Url, crawl: Ledger, known: Neighbours) -> int:
    """Return to how many relevant pages a page links."""
    return sum(map(known.is_relevant, {link.target for link in crawl.outlinks(url)}))


def _authorities(visits: Sequence[Visit], crawl: Ledger, known: Neighbours) -> tuple[tuple[str, str], ...]:
    """Return the URLs that two relevant pages link to, with what the judge says of those fetched."""
    urls = dict.fromkeys([*(v.candidate.url for v in visits), *(each.url for each in crawl.queue())])
    found = [(crawl.relevance(url), url) for url in urls if known.is_authority(url)]
    return tuple(("waits" if score is None else f"{score:.3f}", url) for score, url in found)
