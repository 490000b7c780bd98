"""Which pages of a crawl leave it: the user's conditions, read page by page in bounded memory."""

import sys
from array import array
from collections.abc import Iterator
from itertools import islice
from math import isnan

import numpy as np
from msgspec import Struct
from xxhash import xxh3_64_intdigest

from thresher.core.records import Page, Visit
from thresher.filters.pages import SHORTEST_SIMHASH, SimHashes, has_bytes
from thresher.store.read import Reading


class Selection(Struct, frozen=True):
    """What the user asks of a page; nothing asked is everything wanted."""

    relevant: bool = False
    min_relevance: float = 0.0
    languages: tuple[str, ...] = ()
    labelled: bool = False  # of which the user said yes or no
    since: float = 0.0  # fetched at that moment or later
    top: int = 0  # only so many, the most relevant ones; 0: all
    unique: bool = False  # of pages that say nearly the same, only the most relevant one

    @property
    def ranks(self) -> bool:
        """Whether a page is wanted depends on the others."""
        return bool(self.top or self.unique)


EVERYTHING = Selection()


def chosen(store: Reading, selection: Selection) -> Iterator[Visit]:
    """Yield the visits that brought the chosen pages, page and all, oldest first.

    Where pages are ranked the crawl is read twice; what is kept of a page in between is a few numbers.
    """
    if not selection.ranks:
        yield from _wanted(store, selection)
        return
    places = _best(store, selection)
    for place, visit in enumerate(_wanted(store, selection)):
        if places[place]:
            yield visit


def _wanted(store: Reading, selection: Selection) -> Iterator[Visit]:
    """Yield the visits whose pages meet the conditions that each page meets by itself."""
    threshold = store.facts.threshold
    least = max(selection.min_relevance, threshold if selection.relevant else 0.0)
    if selection.relevant and isnan(threshold):
        return  # what is relevant is not known yet
    for visit in store.pages():
        if visit.relevance >= least and visit.at >= selection.since and _is_asked(store, visit, selection):
            yield visit


def _is_asked(store: Reading, visit: Visit, selection: Selection) -> bool:
    language = visit.page.language if visit.page else ""
    if selection.languages and language not in selection.languages:
        return False
    return not selection.labelled or store.label(visit.candidate.url) is not None


def _best(store: Reading, selection: Selection) -> bytearray:
    """Return for each wanted page, in their order, whether it is among the best or the first to say it."""
    scores, hashes = array("d"), array("Q")
    for visit in _wanted(store, selection):
        scores.append(visit.relevance)
        hashes.append(_saying(visit.page) if selection.unique and visit.page else 0)
    places = bytearray(len(scores))
    for place in islice(_ranked(scores, hashes, selection.unique), selection.top or None):
        places[place] = 1
    return places


def _ranked(scores: "array[float]", hashes: "array[int]", unique: bool) -> Iterator[int]:
    """Yield the places of the pages, the most relevant first, without those that repeat another."""
    seen = SimHashes(sys.maxsize)
    for place in np.argsort(-np.array(scores), kind="stable").tolist():
        if not unique:
            yield place
        elif not seen.has_near(hashes[place]):
            seen.add(hashes[place])
            yield place


def _saying(page: Page) -> int:
    """Return 64 bits that are near for texts that are; a short text is like itself alone."""
    if has_bytes(page.main, SHORTEST_SIMHASH):
        return page.fingerprint.simhash
    return xxh3_64_intdigest((page.main or page.url).encode("utf-8", "surrogatepass"))
