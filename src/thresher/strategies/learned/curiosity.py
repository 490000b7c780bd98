"""A bounded share of visits for what is hardly known, lest a judge that errs keeps a crawl on the wrong host.

What is not known decides, not what is promised: the host that was hardly asked and that most pages mention,
and of its links the one that looks most like its contents, because a contents page says where its topics are
and has few of their words itself. Where every host is known, the section of pages that was hardly followed.
"""

import numpy as np
from numpy.typing import NDArray

from thresher.strategies.learned.features import Evidence
from thresher.strategies.learned.table import HOST, Rows

TRIES = 3  # requests after which a host, or a section, is no longer unknown
LITTLE = 0.1  # the mean label below which little was found: then one looks around twice as often


def is_due(pages: int, every: int, usual: float) -> bool:
    """Tell whether this visit is one of those for what is hardly known."""
    often = max(2, every // 2 if usual < LITTLE else every)
    return every > 0 and pages % often == 0


def hardly_known(evidence: Evidence) -> Rows:
    """Return the one row to ask for what is not known, if there is one."""
    table = evidence.table
    strange = table.mentioned.greatest(table, evidence.tallies["host"].requests < TRIES)
    if len(strange):
        return _contents(evidence, strange)
    rows = table.waiting()
    sections = table.cells["sections"][rows][:, 0]
    new = (sections > 0) & (evidence.tallies["section"].requests[sections] < TRIES)
    return _best_told(evidence, _most_mentioned(evidence, rows[new], sections[new]))


def _contents(evidence: Evidence, rows: Rows) -> Rows:
    """Return the link of the most mentioned host that looks most like its contents: the shortest one."""
    table = evidence.table
    near = _most_mentioned(evidence, rows, table.cells["groups"][rows][:, HOST])
    return near[[int(np.argmin(table.cells["path"][near]))]]


def _best_told(evidence: Evidence, rows: Rows) -> Rows:
    if not len(rows):
        return rows
    return rows[[int(np.argmax(evidence.table.cells["told"][rows]))]]


def _most_mentioned(evidence: Evidence, rows: Rows, groups: NDArray[np.signedinteger]) -> Rows:
    """Return those rows of the group that is mentioned most."""
    if not len(rows):
        return rows
    mentions = np.bincount(groups, weights=np.log1p(evidence.table.cells["mentions"][rows]))
    chosen: Rows = rows[groups == int(np.argmax(mentions))]
    return chosen
