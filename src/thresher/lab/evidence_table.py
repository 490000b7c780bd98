"""What every page of a labelled web shows of every topic: the default judge's evidence, others' scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thresher.core.interfaces import Judge
from thresher.core.records import Topic
from thresher.judges import make_judge
from thresher.judges.question.features import COLUMNS, Effort, View
from thresher.judges.question.feedback import Batch, batch_of
from thresher.judges.question.page import Fields, Vector, Weighed
from thresher.knowledge.index import shipped_knowledge
from thresher.lab.efforts import asked
from thresher.lab.judged_web import JudgedTopic, JudgedWeb
from thresher.text.vectors import Floats, shipped_vectors
from thresher.topic.build import make_topic
from thresher.topic.question import question_of

Table = NDArray[np.float32]
Scores = NDArray[np.float64]
Key = tuple[str, Effort]
"""The id of a topic, and what was given of it."""

Name = tuple[str, Effort, str]
"""The same, and a judge."""

MEANING = COLUMNS[Effort.NAME].index("meaning")


@dataclass
class Sheet:
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
    sheets: dict[Key, Sheet] = field(default_factory=dict)
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


def _look(place: int, table: EvidenceTable, views: dict[Key, View], others: dict[Name, Judge]) -> None:
    """Fill in what one page shows."""
    page = table.web.pages[place]
    fields = Fields(page)
    weighed = Weighed(fields.counts)
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


def _view(topic: Topic, effort: Effort) -> View:
    question = question_of(topic)
    nothing = np.zeros(shipped_vectors().width, "f4")
    return View(
        effort, question.facets[0], nothing, question.description, question.centroid, question.language
    )


def _empty_sheet(view: View, pages: int) -> Sheet:
    rows = np.zeros((pages, len(view.columns)), "f4")
    return Sheet(rows, np.zeros(pages, bool), view.direction, view.language)
