"""Pages found by words: ranked by text and relevance, lists of links lowered, over one crawl or many.

    score = bm25(title 3, body 1) * (1 - .95 * links)^2 * (1 + .25 * relevance) * weight

A word that is rare in one crawl and common in another says as much in both: `weight` is the sum of the
inverse document frequencies over all crawls searched, by that of the one that has the page.

Words that 100,000 pages have tell these apart no longer: there the most relevant pages come first.

Pages that have everything as written come first; where they fill no screen, those follow that have all words,
then those that have any, which say so.
"""

import time
from collections.abc import Sequence
from heapq import merge
from itertools import islice
from math import log

from msgspec import Struct

from thresher.export.items import grouped
from thresher.search.query import Query, parse
from thresher.search.reader import Bound, Hit, Reader, ResultCursor, Row, SearchStage, as_given
from thresher.store.folder import CrawlFolder

SCREEN = 20  # answers; where fewer are found the next stage is asked


class SearchResult(Struct, frozen=True):
    """The answer to a query."""

    items: list[Hit]
    total: int
    all_words: int  # of the total, how many have all words
    milliseconds: float
    remarks: tuple[str, ...] = ()


def search(
    folders: Sequence[CrawlFolder],
    text: str,
    most: int = SCREEN,
    after: ResultCursor | None = None,
    bounded: Bound = as_given,
) -> tuple[SearchResult, ResultCursor | None]:
    """Return the pages that answer a query, best first, and where the next screen begins.

    `bounded` may set a limit to the time that the connections to the indexes take.
    """
    began = time.perf_counter()
    query = parse(text, time.time())
    readers = [Reader(number, folder, bounded) for number, folder in enumerate(folders)]
    try:
        found, place = _found(readers, query, most, after)
    finally:
        for reader in readers:
            reader.close()
    took = 1000 * (time.perf_counter() - began)
    return SearchResult(*found, took, query.remarks), place


def _found(
    readers: Sequence[Reader], query: Query, most: int, after: ResultCursor | None
) -> tuple[tuple[list[Hit], int, int], ResultCursor | None]:
    """Ask stage by stage until a screen is full."""
    stages = query.stages()
    whole = max(1, len(stages) - 1)  # the stages that ask for all words
    _weigh(readers, query)
    rows: list[Row] = []
    totals: list[int] = []
    for stage, expression in enumerate(stages):
        answers = [
            reader.rows(query, SearchStage(stage, expression, stages[:stage]), most + 1, after)
            for reader in readers
        ]
        rows += islice(merge(*(found for found, _ in answers), key=_place), most + 1)
        totals.append(sum(total for _, total in answers))
        if sum(totals) >= SCREEN:
            break
    screen = rows[:most]
    firsts = [(at, 0) for at in range(len(screen))]
    if len(readers) == 1 and not query.terms:  # a list by relevance: what has the words is shown whole
        firsts = grouped(readers[0].saying(fact) for _, fact in screen)
    items = [
        readers[place.crawl].hit(fact, query, place.stage < whole, alike)
        for (place, fact), alike in ((screen[at], alike) for at, alike in firsts)
    ]
    last = rows[most - 1][0] if len(rows) > most else None
    return (items, sum(totals), sum(totals[:whole])), last


def _place(row: Row) -> ResultCursor:
    return row[0]


def _weigh(readers: Sequence[Reader], query: Query) -> None:
    """Make the scores of several crawls comparable."""
    if len(readers) < 2 or not query.terms:
        return
    seen = [reader.frequencies(query) for reader in readers]
    pages, *counts = (sum(column) for column in zip(*seen, strict=True))
    everywhere = _evidence(pages, counts)
    for reader, (own_pages, *own) in zip(readers, seen, strict=True):
        reader.weight = everywhere / _evidence(own_pages, own)


def _evidence(pages: int, counts: Sequence[int]) -> float:
    """Return the sum of inverse document frequencies, as bm25 takes them."""
    return sum(max(1e-6, log((pages - count + 0.5) / (count + 0.5))) for count in counts)
