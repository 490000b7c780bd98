"""Crawls side by side: their curves, what all found, and what only one did."""

from collections import Counter
from collections.abc import Collection

from thresher.report.charts import draw, harvest_of
from thresher.report.shapes import LEAST
from thresher.search.reader import spelt
from thresher.serve.overview import crawl_of
from thresher.serve.requests import CompareRequest, bad_request
from thresher.serve.responses import Compared, HostShare, Missed, Side
from thresher.serve.state import CrawlRegistry, RegisteredCrawl, ledger

MOST = 6
HOSTS = 20
SHOWN = 30
BEST = 1_000  # relevant pages of a crawl among which one is looked for that no other has
COUNTED = 30_000  # relevant pages of the largest crawl that are set beside the others'; of more, a part


def compare(desk: CrawlRegistry, ask: CompareRequest) -> Compared:
    """Return some crawls side by side.

    What they share is counted, or told from a part of all addresses where there are too many: keys of
    addresses are spread evenly, so that those below a bound are as good as drawn by lot.
    """
    found = [desk.crawl(id) for id in dict.fromkeys(filter(None, ask.ids.split(",")))]
    if not 1 <= len(found) <= MOST:
        raise bad_request(f"{len(found)} crawls cannot be compared.", f"Choose 2 to {MOST}.")
    share = min(1.0, COUNTED / max(1, *map(_size, found)))
    rows = [_relevant(each, share) for each in found]
    counts = Counter(key for keys in rows for key in keys)
    sides = [_side(each, keys, counts, share) for each, keys in zip(found, rows, strict=True)]
    shared = sum(count == len(found) for count in counts.values())
    union, shared = (round(count / share) for count in (len(counts), shared))
    picture = _picture(sides, max(LEAST, ask.width)) if ask.width else ""
    return Compared(sides, shared, union, _hosts(found), _missed(found), share < 1.0, picture)


def _picture(sides: list[Side], width: int) -> str:
    """Draw the curves together, the best one first."""
    best = sorted(sides, key=lambda side: -side.crawl.relevant)
    return draw(harvest_of([(side.crawl.id, side.points) for side in best], room=width))


def _size(found: RegisteredCrawl) -> int:
    """Return how many relevant pages a crawl has."""
    with ledger(found.folder) as book:
        return book.sums().relevant


def _side(found: RegisteredCrawl, keys: Collection[int], counts: Counter[int], share: float) -> Side:
    with ledger(found.folder) as book:
        points = book.curve(book.sums().pages)
    return Side(crawl_of(found), points, round(sum(counts[key] == 1 for key in keys) / share))


def _relevant(found: RegisteredCrawl, share: float) -> list[int]:
    """Return the keys of the relevant pages of a crawl, or of a share of them; the index alone is read."""
    with ledger(found.folder) as book:
        return book.relevant_keys(share)


def _hosts(found: list[RegisteredCrawl]) -> list[HostShare]:
    """Return the hosts that gave most over all crawls."""
    shares: dict[str, list[int]] = {}
    for place, each in enumerate(found):
        with ledger(each.folder) as book:
            for name, relevant in book.best_hosts(200):
                shares.setdefault(name, [0] * len(found))[place] = relevant
    ranked = sorted(shares.items(), key=lambda share: (-sum(share[1]), share[0]))
    return [HostShare(name, counts) for name, counts in ranked[:HOSTS]]


def _missed(found: list[RegisteredCrawl]) -> list[Missed]:
    """Return the best pages that only one crawl found."""
    if len(found) < 2:
        return []
    best = [_best(each) for each in found]
    alone: list[Missed] = []
    for place, pages in enumerate(best):
        others = [each for number, each in enumerate(found) if number != place]
        known = {key for other in others for key in _known(other, pages)}
        left = [page for key, page in pages.items() if key not in known]
        alone += left[:SHOWN]
    return sorted(alone, key=lambda page: -page.relevance)[:SHOWN]


def _best(found: RegisteredCrawl) -> dict[int, Missed]:
    """Return the most relevant pages of a crawl by their keys."""
    with ledger(found.folder) as book:
        return {page.key: Missed(found.id, spelt(page.key), *page[1:]) for page in book.best(BEST)}


def _known(found: RegisteredCrawl, pages: Collection[int]) -> list[int]:
    """Return which of some pages a crawl has, and calls relevant."""
    with ledger(found.folder) as book:
        return book.relevant_among(pages)
