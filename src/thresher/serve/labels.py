"""Labels of pages, and why each page was asked for and how it was judged."""

import csv
import io
import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager

from msgspec.structs import replace

from thresher.build.plugins import strategy_has_own
from thresher.core.files import atomic_write, refuse_link
from thresher.core.platform import lock, open_file
from thresher.core.records import Url
from thresher.core.strategy import Strategy
from thresher.core.url import host_of, key_of, parse
from thresher.report.learned import learned_of
from thresher.report.shapes import LEAST, climb
from thresher.report.why import Explanation, explain
from thresher.search.query import Query
from thresher.search.reader import Between, Reader, signed, spelt
from thresher.serve.pages import (
    Effect,
    EvidencePart,
    LabelSuggestionItem,
    LabelSuggestions,
    LessonItem,
    PageExplanation,
    PageLink,
    WayStep,
)
from thresher.serve.requests import Label, OfCrawl, WhyOf, not_found
from thresher.serve.security import bounded
from thresher.serve.state import CrawlRegistry, ledger
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels, read_labels
from thresher.text.tokenize import readable, typed_forms

# Labels


SUGGESTIONS = 8
LARGE = 50_000  # pages, from which on what a strategy knows is not loaded to ask it


def label(desk: CrawlRegistry, ask: Label) -> Effect:
    """Keep what the user says of a page, or take it back, and return what it changed."""
    folder, url = desk.crawl(ask.id).folder, parse(ask.url)
    with folder.open() as store:
        judged, strategy, threshold = store.judged(url), store.facts.strategy, store.facts.threshold
        before = store.label(url)
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
    if not strategy_has_own(strategy, Strategy.on_labels):
        return f"{strategy} learns nothing from labels; a crawl with the strategy thresher would."
    if len(set(said)) < 2:
        other = "yes" if False in said else "no"
        return f"The crawl learns what tells pages apart as soon as one is labelled {other}, too."
    return ""


def _kept(folder: CrawlFolder, url: Url, said: bool | None) -> Mapping[Url, bool]:
    """Append a label, or write the file without it, under a lock."""
    with _alone(folder):
        if said is not None:
            Labels(folder.labels).add({url: said})
        elif folder.labels.exists():
            left = {
                each: label
                for each, label in read_labels(folder.labels).items()
                if key_of(each) != key_of(url)
            }
            with atomic_write(folder.labels) as file:
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


def suggestions(desk: CrawlRegistry, ask: OfCrawl) -> LabelSuggestions:
    """Return the pages whose label would help most, and what words and hosts have brought."""
    folder = desk.crawl(ask.id).folder
    with folder.open() as store:
        with ledger(folder) as book:
            large = book.sums().pages > LARGE
        learned = None if large else learned_of(folder, store)
        learns = strategy_has_own(store.facts.strategy, Strategy.on_labels)
    if learned is None:
        return LabelSuggestions(_unsure(folder), [], [], learns)
    asked = [
        LabelSuggestionItem(
            suggestion.url,
            spelt(key_of(suggestion.url)),
            suggestion.title,
            suggestion.score,
            suggestion.alike,
        )
        for suggestion in learned.suggestions[:SUGGESTIONS]
    ]
    words, nowhere = (
        [LessonItem(each.name, each.visits, each.brought) for each in lessons]
        for lessons in (learned.words, learned.traps)
    )
    return LabelSuggestions(asked or _unsure(folder), words, nowhere, learns)


def _unsure(folder: CrawlFolder) -> list[LabelSuggestionItem]:
    """Return the unlabelled pages nearest the threshold."""
    with closing(Reader(0, folder, bounded)) as reader:
        facts, _ = reader.unsure(Query(label="none"), SUGGESTIONS, Between())
    return [LabelSuggestionItem(fact.url, spelt(fact.key), fact.title, fact.relevance, 0) for fact in facts]


# Why a page was asked for and how it was judged, as pictures need it: numbers, not sentences.


REASONS = 14


def why(desk: CrawlRegistry, ask: WhyOf) -> PageExplanation:
    """Return the way from the seed, what the priority was made of, and the evidence for the verdict."""
    found = desk.crawl(ask.id)
    with found.folder.open() as store:
        url, topic = store.url_of(signed(ask.key)), store.facts.topic
    if url is None:
        raise not_found("No page with this key was visited.", "Look for it in the list of pages.")
    typed = typed_forms([topic.name, *topic.keywords])
    told = _told(explain(url, found.folder), ask.key, typed)
    return replace(told, picture=_picture(told, ask.width)) if ask.width and told.way else told


def _picture(told: PageExplanation, width: int) -> str:
    way = [(_called(step.host), step.relevance) for step in told.way]
    return climb(way, told.threshold, max(LEAST, width))


def _told(told: Explanation, key: str, typed: Mapping[str, str]) -> PageExplanation:
    visit = told.asked or told.visits[-1]
    evidence = sorted(told.evidence, key=lambda reason: -abs(reason.weight))[:REASONS]
    return PageExplanation(
        url=told.url,
        key=key,
        title=told.title,
        way=[_step(step.url, step.anchor, step.outcome, step.relevance) for step in told.way],
        priority=visit.candidate.priority,
        usual=told.priority.base if told.priority else None,
        priority_terms=[EvidencePart(part.name, part.amount, part.sentence) for part in told.priority.parts]
        if told.priority
        else [],
        terms=list(told.terms),
        strategy=told.strategy,
        judge=told.judge,
        threshold=told.threshold,
        relevance=visit.relevance,
        judged=told.judged,
        label=told.label,
        evidence=[EvidencePart(readable(reason.term, typed), reason.weight) for reason in evidence],
        inlinks=[
            PageLink(link.source, link.anchor, "", None, spelt(key_of(link.source))) for link in told.links
        ],
    )


def _called(host: str) -> str:
    """Return a host by the name people call it; an address of numbers has none."""
    name = host.rpartition("//")[2].partition(":")[0].removeprefix("www.")
    return name if name.replace(".", "").isdecimal() else name.partition(".")[0]


def _step(url: str, anchor: str, outcome: str, relevance: float) -> WayStep:
    return WayStep(url, host_of(url), anchor, outcome, relevance, spelt(key_of(url)))  # type: ignore[arg-type]
