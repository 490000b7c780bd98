"""Labels of pages from other sources, kept for a crawl: what was known of them, and what comes of it."""

from collections.abc import Iterable

from msgspec import Struct

from thresher.build.plugins import strategy_has_own
from thresher.core.enums import Outcome
from thresher.core.records import Url
from thresher.core.strategy import Strategy
from thresher.core.url import key_of
from thresher.export.wording import number
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels
from thresher.store.read import CrawlReader

FEW = 20  # labels: so many pages drawn at random tell how right a list is


class LabelResult(Struct, frozen=True):
    """What came of labels that were given."""

    labelled: tuple[Url, ...]
    unknown: tuple[Url, ...]  # never fetched in this crawl, and so left out
    effect: str
    contradicted: tuple[Url, ...] = ()  # labelled otherwise before; the last label counts
    turned: int = 0  # pages that count as relevant now and did not, or the other way round


def add_labels(crawl: CrawlFolder, labels: Iterable[tuple[Url, bool]]) -> LabelResult:
    """Keep the labels of pages that were fetched, and say what comes of them."""
    labels = list(labels)
    told = Labels(crawl.labels)
    contradicted = _contradicted([*told.all().items(), *labels])
    with crawl.open() as store:
        last = {url: wanted for url, wanted in labels if _is_fetched(store, url)}
        strategy, threshold = crawl.asked().strategy.name, store.facts.threshold
        turned = [
            url for url, wanted in last.items() if ((store.relevance(url) or 0.0) >= threshold) != wanted
        ]
        told.add(last)
        listed = store.tally(threshold).relevant
    effect = _what_comes_of_it(strategy, {*told.all().values()})
    if 0 < len(told.all()) < FEW:
        effect = f"{effect} {_reach(len(told.all()), listed, crawl)}"
    unknown = {url for url, _ in labels} - last.keys()
    return LabelResult(tuple(last), tuple(sorted(unknown)), effect, contradicted, len(turned))


def _is_fetched(store: CrawlReader, url: Url) -> bool:
    return any(visit.outcome is Outcome.FETCHED for visit in store.history(url))


def _contradicted(labels: Iterable[tuple[Url, bool]]) -> tuple[Url, ...]:
    """Return the pages of which two labels in a row say different things."""
    said: dict[int, bool] = {}
    found: dict[int, Url] = {}
    for url, wanted in labels:
        if said.setdefault(key := key_of(url), wanted) is not wanted:
            found[key] = url
        said[key] = wanted
    return tuple(found.values())


def _reach(labels: int, listed: int, crawl: CrawlFolder) -> str:
    pages = "it moves this page" if labels == 1 else f"{number(labels)} labels move these pages"
    return (
        f"{pages.capitalize()}, hardly the list of {number(listed)}: "
        f"'thresher label {crawl.path} --sample {FEW}' tells how right that is."
    )


def _what_comes_of_it(strategy: str, kinds: set[bool]) -> str:
    if not kinds:
        return "Name pages that were fetched: 'thresher report' lists those whose label would help most."
    if not strategy_has_own(strategy, Strategy.on_labels):
        return f"It counts as you said, but {strategy} learns nothing from it; --strategy thresher would."
    if len(kinds) < 2:
        other = "no" if True in kinds else "yes"
        return f"It counts as you said; the crawl learns from it as soon as one is labelled {other}, too."
    return "It counts as you said; a running crawl learns from it with its next visit, another when resumed."
