"""Crawls side by side: their curves, what all found, and what only one did."""

from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import islice

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
PAGES = 300_000  # relevant pages of a crawl that are looked at


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


def _side(found: Found, keys: Sequence[int], counts: Counter[int]) -> Side:
    with ledger(found.folder) as book:
        points = book.curve(book.sums().pages)
    return Side(crawl_of(found), points, sum(counts[key] == 1 for key in keys))


def _relevant(found: Found) -> Sequence[int]:
    """Return the keys of the relevant pages of a crawl, the best first; the index alone is read."""
    with ledger(found.folder) as book:
        rows = book.index.execute(
            "SELECT key FROM fact WHERE relevance >= (SELECT threshold FROM done)"
            " ORDER BY relevance DESC LIMIT ?",
            (PAGES,),
        )
        return array("q", (key for (key,) in rows))


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


def _missed(found: list[Found], rows: list[Sequence[int]], counts: Counter[int]) -> list[Missed]:
    """Return the best pages that only one crawl found."""
    if len(found) < 2:
        return []
    alone: list[Missed] = []
    for each, keys in zip(found, rows, strict=True):
        wanted = str(list(islice((key for key in keys if counts[key] == 1), SHOWN)))
        with ledger(each.folder) as book:
            query = (
                "SELECT key, url, title, relevance FROM fact WHERE key IN (SELECT value FROM json_each(?))"
            )
            alone += [
                Missed(each.id, spelt(key), *page) for key, *page in book.index.execute(query, (wanted,))
            ]
    return sorted(alone, key=lambda page: -page.relevance)[:SHOWN]
