"""Ratna et al. 2012, eq. (1) to (4): TF-IDF, as printed and sound."""

from math import log

import pytest

from thresher.judges.tfidf import term_frequencies, tf_idf_scores

DOCUMENTS = [["crawler", "web", "web", "page"], ["web", "page"], ["crawler", "topic", "crawler"]]


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
    assert term_frequencies(DOCUMENTS[0]) == {"crawler": 0.5, "web": 1.0, "page": 0.5}
    assert term_frequencies([]) == {}
