"""Ratna et al. 2012, eq. (1) to (4): TF-IDF, as printed and sound."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

import pytest

from thresher.judges.baselines import Collection, Idf

DOCUMENTS = [["crawler", "web", "web", "page"], ["web", "page"], ["crawler", "topic", "crawler"]]


def tf_idf_scores(
    query: Iterable[str], documents: Sequence[Sequence[str]], idf: Idf = "paper"
) -> list[float]:
    """Return the score of each document of a collection for a query, both given as words."""
    collection, counted = Collection(query, idf), [Counter(document) for document in documents]
    for counts in counted:
        collection.add(counts)
    return [collection.score(counts) for counts in counted]


def test_scores_of_the_worked_documents():
    """idf(crawler) = ln(3/3) = 0, idf(topic) = ln(3/2): only the third scores, 0.5 * 0.405465."""
    assert tf_idf_scores(["crawler", "topic"], DOCUMENTS) == pytest.approx([0, 0, 0.202733], abs=1e-6)


def test_a_word_in_every_document_counts_against_it_as_printed():
    """ln(3/4) = -0.2877: the paper's flaw, kept in its form."""
    everywhere = [["web"], ["web"], ["web"]]
    assert tf_idf_scores(["web"], everywhere)[0] == pytest.approx(log(3 / 4))


def test_the_sound_idf_never_counts_against_a_document():
    everywhere = [["web"], ["web"], ["web"]]
    assert tf_idf_scores(["web"], everywhere, idf="sound") == pytest.approx([1.0, 1.0, 1.0])


def test_frequencies_are_beside_the_most_frequent_word():
    """Eq. (1): crawler stands once where web stands twice, so it counts 0.5 times idf = ln(3/2)."""
    once = [["crawler", "web", "web"], ["page"], ["page"]]
    assert tf_idf_scores(["crawler"], once)[0] == pytest.approx(0.5 * log(3 / 2))
