"""Labelled webs as judges see them: pages and labels, and the evidence of every page for every topic."""

import heapq
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.core.interfaces import Judge
from thresher.core.records import Page, Topic, Url
from thresher.judges import make_judge
from thresher.judges.question.features import COLUMNS, Effort, EvidenceSet, LogisticModel, WeightSet
from thresher.judges.question.feedback import Feedback
from thresher.judges.question.page import Fields, Vector, Weighed
from thresher.judges.question.scale import HIGHEST, LOWEST, Batch, Contrast, FeedbackExample, batch_of
from thresher.knowledge.index import shipped_knowledge
from thresher.text.page_record import SIZE
from thresher.text.tokenize import plain_words
from thresher.text.vectors import Floats, shipped_vectors
from thresher.topic.build import make_topic
from thresher.topic.question import question_of
from thresher_lab.corpus import DEFAULT_SEEDS, CorpusTopic
from thresher_lab.efforts import asked, example_pages, typed_name
from thresher_lab.setup import ReplayStage

# A labelled web, ready to be judged: its pages, their labels, and the orders in which pages are met.


Labels = NDArray[np.bool_]
Scores = NDArray[np.float64]

UNJUDGED = {"dev-webkb": "/misc"}
"""Labels of pages that were not judged by the topics, by the web: they would be false errors."""

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


def judged_web(place: ReplayStage) -> JudgedWeb:
    """Return the web of a stage, parsed once."""
    pages = list(_pages(place))
    at = {page.url: number for number, page in enumerate(pages)}
    links = [_links(page, number, at, place) for number, page in enumerate(pages)]
    topics = [_topic(entry, place, pages, at) for entry in place.corpus.topics.values()]
    kept = [topic for topic in topics if topic.relevant.sum() >= FEWEST]
    return JudgedWeb(place.corpus.name, pages, links, kept)


def _pages(place: ReplayStage) -> Iterator[Page]:
    """Yield the pages that were judged by people."""
    unjudged = _unjudged(place)
    for url in place.web.index:
        if url in place.graph.edges.links and url not in unjudged and (fetched := place.web.peek(url)):
            yield place.parse(fetched)


def _unjudged(place: ReplayStage) -> set[str]:
    ending, file = UNJUDGED.get(place.corpus.name), place.corpus.path / "labels.tsv"
    if ending is None or not file.exists():
        return set()
    rows = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
    return {row[0] for row in rows if len(row) > 1 and row[1].endswith(ending)}


def _links(page: Page, own: int, at: dict[Url, int], place: ReplayStage) -> dict[int, str]:
    """Return where the links of a page lead, with all that their anchors say."""
    found: dict[int, str] = {}
    for link in page.links:
        target = at.get(place.graph.page_of(link.target), own)
        if target != own and link.anchor not in (said := found.get(target, "")):
            found[target] = f"{said} {link.anchor}".strip()
        elif target != own:
            found.setdefault(target, "")
    return found


def _topic(entry: CorpusTopic, place: ReplayStage, pages: Sequence[Page], at: dict[Url, int]) -> JudgedTopic:
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
            if target in order or best.get(target, -1.0) >= float(worth[page]) + ANCHOR_TELLS:
                continue  # nothing that the anchor says would change its price
            told = bool(anchor) and not asked.isdisjoint(plain_words(anchor[:200]))
            priority = float(worth[page]) + ANCHOR_TELLS * told
            if priority > best.get(target, -1.0):
                best[target] = priority
                heapq.heappush(waiting, (-priority, len(best) + len(order), target))
    return list(order)


# What every page of a labelled web shows of every topic: the default judge's evidence, others' scores.


Table = NDArray[np.float32]
Key = tuple[str, Effort]
"""The id of a topic, and what was given of it."""

Name = tuple[str, Effort, str]
"""The same, and a judge."""

MEANING = COLUMNS[Effort.NAME].index("meaning")


@dataclass
class EvidenceSheet:
    """The evidence of every page for one topic and effort; `meaning` still holds the cosine as it is."""

    rows: Table
    answers: NDArray[np.bool_]  # pages with any word of the question
    direction: Floats  # in which the question points
    language: str

    def against(self, mean: Floats) -> NDArray[np.float64]:
        """Return the rows with the meaning of a mean page taken off."""
        rows = self.rows.astype(np.float64)
        rows[:, MEANING] -= float(mean @ self.direction)
        return rows


@dataclass
class EvidenceTable:
    """All that is needed to judge a web again and again."""

    web: JudgedWeb
    sheets: dict[Key, EvidenceSheet] = field(default_factory=dict)
    scores: dict[Name, Scores] = field(default_factory=dict)
    vectors: list[Vector] = field(default_factory=list)
    directions: list[Floats] = field(default_factory=list)

    def mean_page(self) -> Floats:
        """Return the mean direction of the web's pages."""
        return np.asarray(np.mean(self.directions, axis=0), "f4")

    def batch(self, rows: NDArray[np.int64], wanted: Scores, met: Scores) -> Batch:
        """Return some pages, with what those that were met have taught."""
        if not self._filled:
            self._filled.append(batch_of(self.vectors))
        every = self._filled[0]
        return Batch(every.places[rows], every.values[rows], wanted[rows], met[rows])

    _filled: list[Batch] = field(default_factory=list)


def evidence_of(web: JudgedWeb, efforts: Sequence[Effort], judges: Iterable[str]) -> EvidenceTable:
    """Look at every page of a web once, for every topic, effort and judge."""
    table = EvidenceTable(web)
    topics = _topics(web, efforts)
    views = {key: _view(topic, key[1]) for key, topic in topics.items()}
    for topic in web.topics:  # the name alone is part of every effort
        views.setdefault(
            (topic.entry.id, Effort.NAME), _view(_topic_of(web, topic, Effort.NAME), Effort.NAME)
        )
    others = {(*key, name): make_judge(topic, name) for key, topic in topics.items() for name in judges}
    for key, view in views.items():
        table.sheets[key] = _empty_sheet(view, len(web.pages))
    for name in others:
        table.scores[name] = np.zeros(len(web.pages))
    for place in range(len(web.pages)):
        _look(place, table, views, others)
    return table


def _look(place: int, table: EvidenceTable, views: dict[Key, EvidenceSet], others: dict[Name, Judge]) -> None:
    """Fill in what one page shows."""
    page = table.web.pages[place]
    fields = Fields(page)
    weighed = Weighed(fields.words)
    direction = weighed.direction()
    table.vectors.append(weighed.vector())
    table.directions.append(direction)
    for key, view in views.items():
        table.sheets[key].rows[place] = view.row(fields, weighed, direction)
        table.sheets[key].answers[place] = view.has_any(fields)
    for name, judge in others.items():
        table.scores[name][place] = judge.score(page)


def _topics(web: JudgedWeb, efforts: Sequence[Effort]) -> dict[Key, Topic]:
    return {
        (topic.entry.id, effort): _topic_of(web, topic, effort) for topic in web.topics for effort in efforts
    }


def _topic_of(web: JudgedWeb, topic: JudgedTopic, effort: Effort) -> Topic:
    with shipped_knowledge() as lexicon:
        return make_topic(asked(topic.entry, effort, [web.pages[n] for n in topic.examples]), lexicon)


def _view(topic: Topic, effort: Effort) -> EvidenceSet:
    question = question_of(topic)
    nothing = np.zeros(shipped_vectors().width, "f4")
    return EvidenceSet(
        effort, question.facets[0], nothing, question.description, question.centroid, question.language
    )


def _empty_sheet(view: EvidenceSet, pages: int) -> EvidenceSheet:
    rows = np.zeros((pages, len(view.columns)), "f4")
    return EvidenceSheet(rows, np.zeros(pages, bool), view.direction, view.language)


# One topic of a labelled web as the default judge sees it: by the question alone, and after pages were met.
#
# The same sums as the product's, for all pages at once; a test compares the two.


Array = NDArray[np.float64]

CLOSEST = 1e-6
SHOWN = 0.99  # how surely an example page is wanted


def probabilities(table: EvidenceTable, topic: JudgedTopic, effort: Effort, weights: WeightSet) -> Array:
    """Return what the question alone makes of every page; with keywords never less than by the name."""
    views = (Effort.NAME, effort) if effort is Effort.KEYWORDS else (effort,)
    return np.asarray(np.max([_answer(table, topic, each, weights) for each in views], axis=0))


def _answer(table: EvidenceTable, topic: JudgedTopic, effort: Effort, weights: WeightSet) -> Array:
    sheet = table.sheets[topic.entry.id, effort]
    rows = sheet.against(weights.mean(sheet.language))
    return applied(weights.efforts[effort.value].question, rows)


def applied(line: LogisticModel, rows: Array) -> Array:
    """Return the probabilities that a regression makes of rows of evidence."""
    z = rows @ np.array(line.weights) + line.constant
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -30, 30))))


def ranked(topic: JudgedTopic, effort: Effort, pages: int) -> NDArray[np.bool_]:
    """Return which pages are ranked: all but those that were shown as examples."""
    kept = np.ones(pages, bool)
    if effort is Effort.EXAMPLES:
        kept[list(topic.examples)] = False
    return kept


def pages_met(
    table: EvidenceTable, topic: JudgedTopic, effort: Effort, answer: Array, order: str, most: int
) -> list[int]:
    """Return the pages that a crawl has met, in its order, after the examples it was given."""
    if order == "breadth_first":
        met = breadth_first(table.web, topic.seeds, most)
    else:
        met = focused(table.web, topic.seeds, most, answer, typed_name(topic.entry))
    shown = topic.examples if effort is Effort.EXAMPLES else ()
    return [*shown, *(page for page in met if page not in shown)]


class Rows(NamedTuple):
    """The evidence of pages after some were met, as the lines of relevance and of contrast take it."""

    relevance: Array
    contrast: Array


def learned_rows(
    table: EvidenceTable,
    topic: JudgedTopic,
    effort: Effort,
    answer: Array,
    met: list[int],
    some: NDArray[np.int64] | None = None,
) -> Rows:
    """Return the evidence after pages were met, of all or some."""
    wanted = np.where(table.sheets[topic.entry.id, effort].answers, answer, 0.0)
    if effort is Effort.EXAMPLES:
        wanted[list(topic.examples)] = SHOWN
    flags = np.zeros(len(answer))
    flags[met] = 1.0
    feedback = Feedback()
    lessons = [FeedbackExample(table.vectors[page], float(wanted[page])) for page in met]
    meet_all(feedback, table.batch(np.array(met, int), wanted, flags), lessons)
    rows = np.arange(len(answer)) if some is None else some
    kept = np.clip(answer[rows], CLOSEST, 1 - CLOSEST)
    asked, sure = np.log(kept / (1 - kept)), feedback.sure
    both = feedback.of_all(table.batch(rows, wanted, flags))
    above, (likeness, bayes) = feedback.scale.above(*both), contrasts(feedback.contrast, *both)
    return Rows(
        np.column_stack([asked, sure * above, np.full(len(rows), feedback.early)]),
        np.column_stack([asked, sure * likeness, sure * bayes]),
    )


def meet_all(feedback: Feedback, pages: Batch, lessons: Sequence[FeedbackExample]) -> None:
    """Learn from many pages at once: the rows that were met, in the order of the lessons."""
    at, (wanted, other) = pages.places.ravel(), pages.own
    squared = wanted * pages.wanted
    for sums, much in ((feedback.squared, squared), (feedback.wanted, wanted), (feedback.other, other)):
        sums += np.bincount(at, (much[:, None] * pages.values).ravel(), SIZE)
    mass = pages.values.sum(axis=1)
    feedback.totals += np.array([squared.sum(), wanted.sum(), other.sum()])
    feedback.masses += np.array([wanted @ mass, other @ mass])
    feedback.met += len(lessons)
    feedback.largest = max([feedback.largest, *(lesson.wanted for lesson in lessons)])
    for lesson in lessons:
        feedback.sample.add(lesson)
    feedback.rescale()


def contrasts(contrast: Contrast, likeness: Array, bayes: Array) -> tuple[Array, Array]:
    """Return how many spreads each page stands above the mean."""
    both = zip((likeness, bayes), contrast.means, contrast.spreads, strict=True)
    a, b = (np.clip((x - mean) / spread, LOWEST, HIGHEST) for x, mean, spread in both)
    return a, b


def learned(
    table: EvidenceTable, topic: JudgedTopic, effort: Effort, weights: WeightSet, met: list[int]
) -> Array:
    """Return the probability of every page after a crawl has met some."""
    answer = probabilities(table, topic, effort, weights)
    rows = learned_rows(table, topic, effort, answer, met)
    return applied(weights.efforts[effort.value].relevance, rows.relevance)
