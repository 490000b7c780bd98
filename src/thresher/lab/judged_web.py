"""A labelled web, ready to be judged: its pages, their labels, and the orders in which pages are met."""

import heapq
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from thresher.core.records import Page, Url
from thresher.lab.corpus import DEFAULT_SEEDS, CorpusTopic
from thresher.lab.efforts import example_pages
from thresher.lab.setup import Stage
from thresher.text.tokenize import plain_words

Labels = NDArray[np.bool_]
Scores = NDArray[np.float64]

UNJUDGED = {"dev-webkb": "/misc"}
"""Labels of pages that nobody judged by the topics, by the web: they would be false errors."""

FEWEST = 5  # relevant pages of a topic that is judged
ANCHOR_TELLS = 0.5  # what a word of the name in an anchor adds to the probability of the page it stands on


@dataclass(frozen=True)
class JudgedTopic:
    """A topic of the web with its labels."""

    entry: CorpusTopic
    relevant: Labels
    seeds: tuple[int, ...]
    examples: tuple[int, ...]  # shown to the judge, so left out of the ranking where they are


@dataclass(frozen=True)
class JudgedWeb:
    """Every page of a labelled web."""

    name: str
    pages: Sequence[Page]
    links: Sequence[dict[int, str]]  # of each page: where they lead, and what the anchors say
    topics: Sequence[JudgedTopic]

    @cached_property
    def languages(self) -> frozenset[str]:
        """The languages of the topics."""
        return frozenset(language for topic in self.topics for language in topic.entry.languages)


def judged_web(place: Stage) -> JudgedWeb:
    """Return the web of a stage, parsed once."""
    pages = list(_pages(place))
    at = {page.url: number for number, page in enumerate(pages)}
    links = [_links(page, number, at, place) for number, page in enumerate(pages)]
    topics = [_topic(entry, place, pages, at) for entry in place.corpus.topics.values()]
    kept = [topic for topic in topics if topic.relevant.sum() >= FEWEST]
    return JudgedWeb(place.corpus.name, pages, links, kept)


def _pages(place: Stage) -> Iterator[Page]:
    """Yield the pages that somebody judged."""
    unjudged = _unjudged(place)
    for url in place.web.index:
        if url in place.graph.edges.links and url not in unjudged and (fetched := place.web.peek(url)):
            yield place.parse(fetched)


def _unjudged(place: Stage) -> set[str]:
    ending, file = UNJUDGED.get(place.corpus.name), place.corpus.path / "labels.tsv"
    if ending is None or not file.exists():
        return set()
    rows = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
    return {row[0] for row in rows if len(row) > 1 and row[1].endswith(ending)}


def _links(page: Page, own: int, at: dict[Url, int], place: Stage) -> dict[int, str]:
    """Return where the links of a page lead, with all that their anchors say."""
    found: dict[int, str] = {}
    for link in page.links:
        target = at.get(place.graph.page_of(link.target), own)
        if target != own and link.anchor not in (said := found.get(target, "")):
            found[target] = f"{said} {link.anchor}".strip()
        elif target != own:
            found.setdefault(target, "")
    return found


def _topic(entry: CorpusTopic, place: Stage, pages: Sequence[Page], at: dict[Url, int]) -> JudgedTopic:
    relevant = np.zeros(len(pages), bool)
    for url in place.corpus.relevant(entry.id):
        if url in at:
            relevant[at[url]] = True
    shown = example_pages(entry, [pages[number] for number in np.flatnonzero(relevant).tolist()])
    seeds = [entry.seeds.get(name) for name in DEFAULT_SEEDS]
    known = tuple(at[Url(seed)] for seed in seeds if isinstance(seed, str) and Url(seed) in at)
    return JudgedTopic(entry, relevant, known, tuple(at[page.url] for page in shown))


def breadth_first(web: JudgedWeb, seeds: Sequence[int], most: int) -> list[int]:
    """Return the first pages that are met in the order of their links."""
    waiting, seen = deque(seeds), set(seeds)
    order: list[int] = []
    while waiting and len(order) < most:
        page = waiting.popleft()
        order.append(page)
        fresh = [target for target in web.links[page] if target not in seen]
        seen.update(fresh)
        waiting.extend(fresh)
    return order


def focused(
    web: JudgedWeb, seeds: Sequence[int], most: int, worth: Mapping[int, float] | Scores, name: str
) -> list[int]:
    """Return the first pages met, best first by what the linking page is worth and its anchor says."""
    asked = set(plain_words(name))
    waiting = [(-2.0, place, seed) for place, seed in enumerate(seeds)]
    best: dict[int, float] = {}
    order: dict[int, None] = {}
    while waiting and len(order) < most:
        page = heapq.heappop(waiting)[2]
        if page in order:
            continue
        order[page] = None
        for target, anchor in web.links[page].items():
            told = bool(anchor) and not asked.isdisjoint(plain_words(anchor[:200]))
            price = float(worth[page]) + ANCHOR_TELLS * told
            if target not in order and price > best.get(target, -1.0):
                best[target] = price
                heapq.heappush(waiting, (-price, len(best) + len(order), target))
    return list(order)
