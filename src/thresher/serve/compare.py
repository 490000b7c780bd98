"""Crawls side by side: their curves, what all found, and what only one did."""

from collections import Counter

from thresher.search.reader import spelt
from thresher.serve.answers import Compared, HostShare, Missed, Side
from thresher.serve.asks import Comparison
from thresher.serve.desk import Desk, Found
from thresher.serve.ledger import ledger
from thresher.serve.overview import crawl_of
from thresher.serve.problems import bad_request

MOST = 6
HOSTS = 20
SHOWN = 30
PAGES = 200_000  # relevant pages of a crawl that are looked at


def compare(desk: Desk, ask: Comparison) -> Compared:
    """Return some crawls side by side."""
    found = [desk.crawl(id) for id in dict.fromkeys(filter(None, ask.ids.split(",")))]
    if not 1 <= len(found) <= MOST:
        raise bad_request(f"{len(found)} crawls cannot be compared.", f"Choose 2 to {MOST}.")
    rows = [_relevant(each) for each in found]
    counts = Counter(key for keys in rows for key in keys)
    sides = [_side(each, keys, counts) for each, keys in zip(found, rows, strict=True)]
    shared = sum(count == len(found) for count in counts.values())
    return Compared(sides, shared, len(counts), _hosts(found), _missed(found, rows, counts))


def _side(found: Found, keys: dict[int, tuple[str, str, float]], counts: Counter[int]) -> Side:
    with ledger(found.folder) as book:
        points = book.curve(book.sums().pages)
    return Side(crawl_of(found), points, sum(counts[key] == 1 for key in keys))


def _relevant(found: Found) -> dict[int, tuple[str, str, float]]:
    """Return the relevant pages of a crawl by key, the best first."""
    with ledger(found.folder) as book:
        rows = book.index.execute(
            "SELECT key, url, title, relevance FROM fact WHERE relevance >= (SELECT threshold FROM done)"
            " ORDER BY relevance DESC LIMIT ?",
            (PAGES,),
        )
        return {key: (url, title, relevance) for key, url, title, relevance in rows}


def _hosts(found: list[Found]) -> list[HostShare]:
    """Return the hosts that gave most over all crawls."""
    shares: dict[str, list[int]] = {}
    for place, each in enumerate(found):
        with ledger(each.folder) as book:
            query = "SELECT name, relevant FROM host WHERE relevant > 0 ORDER BY relevant DESC LIMIT 200"
            for name, relevant in book.index.execute(query):
                shares.setdefault(name, [0] * len(found))[place] = relevant
    ranked = sorted(shares.items(), key=lambda share: (-sum(share[1]), share[0]))
    return [HostShare(name, counts) for name, counts in ranked[:HOSTS]]


def _missed(
    found: list[Found], rows: list[dict[int, tuple[str, str, float]]], counts: Counter[int]
) -> list[Missed]:
    """Return the best pages that only one crawl found."""
    alone = [
        Missed(each.id, spelt(key), *page)
        for each, keys in zip(found, rows, strict=True)
        for key, page in keys.items()
        if counts[key] == 1 and len(found) > 1
    ]
    return sorted(alone, key=lambda page: -page.relevance)[:SHOWN]
