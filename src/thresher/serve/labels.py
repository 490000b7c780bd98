"""The user's word on pages: kept in labels.csv, which a running crawl reads, with what it changed at once."""

import csv
import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from thresher.build.plugins import has_door
from thresher.core.files import refuse_link, whole_file
from thresher.core.platform import lock, open_file
from thresher.core.records import Url
from thresher.core.strategy import Teachable
from thresher.core.url import key_of, parse
from thresher.report.learned import learned_of
from thresher.search.query import Query
from thresher.search.reader import Between, Reader, spelt
from thresher.serve.asks import Label, OfCrawl
from thresher.serve.desk import Desk
from thresher.serve.ledger import ledger
from thresher.serve.limits import bounded
from thresher.serve.page_answers import Effect, LessonItem, Wishes, WishItem
from thresher.serve.problems import not_found
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels, read_labels

WISHES = 8
LARGE = 50_000  # pages, from which on what a strategy knows is not loaded to ask it


def label(desk: Desk, ask: Label) -> Effect:
    """Keep what the user says of a page, or take it back, and return what it changed."""
    folder, url = desk.crawl(ask.id).folder, parse(ask.url)
    store = folder.open()
    try:
        judged, strategy, threshold = store.judged(url), store.facts.strategy, store.facts.threshold
        before = store.label(url)
    finally:
        store.close()
    if judged is None:
        raise not_found("This page was not fetched in this crawl.", "Label pages that were fetched.")
    said = None if ask.label is None else ask.label == "yes"
    labels = _kept(folder, url, said)
    was, is_ = (judged >= threshold if each is None else each for each in (before, said))
    return _effect(strategy, labels, was, is_)


def _effect(strategy: str, labels: Mapping[Url, bool], was: bool, is_: bool) -> Effect:
    said = list(labels.values())
    needs = _needs(strategy, said)
    return Effect(
        kept=True,
        learns=not needs,
        needs=needs,
        judged_anew=1,
        turned_in=int(is_ and not was),
        turned_out=int(was and not is_),
        is_relevant=is_,
        said_yes=said.count(True),
        said_no=said.count(False),
    )


def _needs(strategy: str, said: list[bool]) -> str:
    """Return what is missing before the crawl learns from labels."""
    if not has_door(strategy, Teachable):
        return f"{strategy} learns nothing from labels; a crawl with the strategy thresher would."
    if len(set(said)) < 2:
        other = "yes" if False in said else "no"
        return f"The crawl learns what tells pages apart as soon as one is labelled {other}, too."
    return ""


def _kept(folder: CrawlFolder, url: Url, said: bool | None) -> Mapping[Url, bool]:
    """Write a label behind the others, or the file without it; nobody else writes meanwhile."""
    with _alone(folder):
        if said is not None:
            Labels(folder.labels).add({url: said})
        elif folder.labels.exists():
            left = {
                each: label
                for each, label in read_labels(folder.labels).items()
                if key_of(each) != key_of(url)
            }
            with whole_file(folder.labels) as file:
                file.write(_table(left).encode())
        return read_labels(folder.labels) if folder.labels.exists() else {}


@contextmanager
def _alone(folder: CrawlFolder) -> Iterator[None]:
    path = folder.path / "labels.lock"
    refuse_link(path)
    with os.fdopen(open_file(path, os.O_RDWR | os.O_CREAT), "rb") as file:
        lock(file.fileno(), wait=True)
        yield


def _table(labels: Mapping[Url, bool]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out).writerows((url, "yes" if wanted else "no") for url, wanted in labels.items())
    return out.getvalue()


def wishes(desk: Desk, ask: OfCrawl) -> Wishes:
    """Return the pages whose label would help most, and what words and hosts have brought."""
    folder = desk.crawl(ask.id).folder
    store = folder.open()
    try:
        with ledger(folder) as book:
            large = book.sums().pages > LARGE
        learned = None if large else learned_of(folder, store)
        learns = has_door(store.facts.strategy, Teachable)
    finally:
        store.close()
    if learned is None:
        return Wishes(_unsure(folder), [], [], learns)
    asked = [
        WishItem(wish.url, spelt(key_of(wish.url)), wish.title, wish.score, wish.alike)
        for wish in learned.wishes[:WISHES]
    ]
    words, nowhere = (
        [LessonItem(each.name, each.visits, each.brought) for each in lessons]
        for lessons in (learned.words, learned.traps)
    )
    return Wishes(asked or _unsure(folder), words, nowhere, learns)


def _unsure(folder: CrawlFolder) -> list[WishItem]:
    """Return the pages nearest the threshold that nobody has labelled."""
    reader = Reader(0, folder, bounded)
    try:
        facts, _ = reader.unsure(Query(label="none"), WISHES, Between())
    finally:
        reader.close()
    return [WishItem(fact.url, spelt(fact.key), fact.title, fact.relevance, 0) for fact in facts]
