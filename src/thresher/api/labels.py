"""What somebody says of pages, kept for a crawl: what was known of them, and what comes of it."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from thresher.build.plugins import has_door
from thresher.core.enums import Outcome
from thresher.core.records import Url
from thresher.core.strategy import Teachable
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels


class LabelSource(Protocol):
    """Somebody who says of pages whether they are wanted: a sheet, a database, another program."""

    def labels(self) -> Mapping[str, bool]:
        """Return every label by the URL of its page."""


class Said(Struct, frozen=True):
    """What came of labels that were given."""

    labelled: tuple[Url, ...]
    unknown: tuple[Url, ...]  # never fetched in this crawl, and so left out
    effect: str


def say(crawl: CrawlFolder, labels: Mapping[Url, bool]) -> Said:
    """Keep the labels of pages that were fetched, and say what comes of them."""
    known, strategy = fetched_among(crawl, labels)
    told = Labels(crawl.labels)
    told.add({each: labels[each] for each in labels if each in known})
    effect = _what_comes_of_it(strategy, {*told.all().values()})
    labelled = tuple(each for each in labels if each in known)
    return Said(labelled, tuple(sorted(labels.keys() - known)), effect)


def fetched_among(crawl: CrawlFolder, labels: Mapping[Url, bool]) -> tuple[set[Url], str]:
    """Return which of the pages a crawl has fetched, and its strategy."""
    store = crawl.open()
    try:
        fetched = {
            url for url in labels if any(visit.outcome is Outcome.FETCHED for visit in store.history(url))
        }
        return fetched, crawl.asked().strategy.name
    finally:
        store.close()


def _what_comes_of_it(strategy: str, kinds: set[bool]) -> str:
    if not kinds:
        return "Name pages that were fetched: 'thresher report' lists those whose label would help most."
    if not has_door(strategy, Teachable):
        return f"It counts as you said, but {strategy} learns nothing from it; --strategy thresher would."
    if len(kinds) < 2:
        other = "no" if True in kinds else "yes"
        return f"It counts as you said; the crawl learns from it as soon as one is labelled {other}, too."
    return "It counts as you said; a running crawl learns from it with its next visit, another when resumed."
