"""What labels tell of a list: Wilson's interval, and the threshold within what their number allows."""

import pytest

from thresher.judges.list_check import HIGHEST, LOWEST, Share, moved_by, near, share_of


def test_interval_of_wilson_is_that_of_the_book():
    """Newcombe 1998, table I: 15 of 148 by the score method without correction."""
    found = share_of(15, 148, 10_000)
    assert (round(found.low, 4), round(found.high, 4)) == (0.0624, 0.1605)


def test_all_right_of_fifteen_is_no_proof_of_a_list_without_a_mistake():
    assert share_of(15, 15, 200).low == pytest.approx(0.796, abs=5e-4)
    assert share_of(0, 15, 200).high == pytest.approx(0.204, abs=5e-4)


def test_a_list_of_which_every_page_was_asked_about_is_known_exactly():
    assert share_of(3, 4, 4) == Share(3, 4, 0.75, 0.75)


def test_nothing_asked_says_nothing():
    assert share_of(0, 0, 40) == Share(0, 0, 0.0, 1.0)


@pytest.mark.parametrize(("labels", "no", "yes"), [(1, 0.31, 0.27), (5, 0.37, 0.19), (20, 0.51, 0.1)])
def test_threshold_moves_by_as_much_as_the_number_of_labels_allows(labels, no, yes):
    """Ten no at .3: right = (20 x .3 + 0) / 30 = .2, so the odds of the threshold grow by (3/7) / (1/4)."""
    assert moved_by([(0.3, False)] * labels, 0.3) == no
    assert moved_by([(0.3, True)] * labels, 0.3) == yes


def test_labels_that_say_what_the_judge_says_move_nothing():
    assert moved_by([(0.5, True), (0.5, False)] * 10, 0.4) == 0.4


def test_labels_of_pages_far_from_the_threshold_do_not_move_it():
    """The surest mistakes are what a user finds first: they say nothing of the pages at the threshold."""
    low, high = near(0.3)
    assert moved_by([(high + 0.01, False), (low - 0.01, True)] * 10, 0.3) == 0.3


def test_threshold_is_moved_no_further_than_a_bound():
    assert moved_by([(0.2, True)] * 1000, 0.2) == LOWEST
    assert moved_by([(0.8, False)] * 1000, 0.8) == HIGHEST
