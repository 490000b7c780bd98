"""One topic of a labelled web as the default judge sees it: by the question alone, and after pages were met.

The same sums as the product's, for all pages at once; a test compares the two.
"""

import numpy as np
from numpy.typing import NDArray

from thresher.judges.question.features import Effort, Line, WeightSet
from thresher.judges.question.feedback import Feedback, Lesson
from thresher.lab.efforts import typed_name
from thresher.lab.evidence_table import EvidenceTable
from thresher.lab.judged_web import JudgedTopic, breadth_first, focused

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


def applied(line: Line, rows: Array) -> Array:
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


def learned_rows(
    table: EvidenceTable,
    topic: JudgedTopic,
    effort: Effort,
    answer: Array,
    met: list[int],
    some: NDArray[np.int64] | None = None,
) -> Array:
    """Return the evidence after pages were met, of all or some: log odds of the question, likeness, bayes."""
    wanted = np.where(table.sheets[topic.entry.id, effort].answers, answer, 0.0)
    if effort is Effort.EXAMPLES:
        wanted[list(topic.examples)] = SHOWN
    flags = np.zeros(len(answer))
    flags[met] = 1.0
    feedback = Feedback()
    feedback.meet_all(
        table.batch(np.array(met, int), wanted, flags),
        [Lesson(table.vectors[page], float(wanted[page])) for page in met],
    )
    rows = np.arange(len(answer)) if some is None else some
    kept = np.clip(answer[rows], CLOSEST, 1 - CLOSEST)
    return np.column_stack([np.log(kept / (1 - kept)), *feedback.added(table.batch(rows, wanted, flags))])


def learned(
    table: EvidenceTable, topic: JudgedTopic, effort: Effort, weights: WeightSet, met: list[int]
) -> Array:
    """Return the probability of every page after a crawl has met some."""
    answer = probabilities(table, topic, effort, weights)
    return applied(weights.efforts[effort.value].feedback, learned_rows(table, topic, effort, answer, met))
