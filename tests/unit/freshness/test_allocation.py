"""A budget of visits divided among pages: the printed optima, and what no policy may do."""

import numpy as np
import pytest

from thresher.freshness.policies import (
    POLICIES,
    ChangeHistory,
    PageHistories,
    binary,
    freshness,
    harmonic,
    regular,
    staleness,
)

RATES, WEIGHTS = np.array([0.1, 1.0, 10.0]), np.ones(3)


def test_binary_freshness_gives_up_the_page_that_changes_fastest():
    """Azar et al. 2018: max(0, sqrt(mu lambda / Lambda) - lambda)."""
    found = binary(RATES, WEIGHTS, 3.0)
    assert found.visits == pytest.approx([0.885038, 2.114962, 0.0], abs=1e-6)
    assert freshness(RATES, found.visits).sum() == pytest.approx(1.5774, abs=1e-4)


def test_regular_visits_are_shared_out_as_printed():
    """Cho and Garcia-Molina 2003: pages that change 1 to 5 times a day, five visits a day."""
    rates = np.arange(1.0, 6.0)
    visits = regular(rates, np.ones(5), 5.0).visits
    assert visits == pytest.approx([1.15, 1.36, 1.35, 1.14, 0.0], abs=0.005)
    assert binary(rates, np.ones(5), 5.0).visits == pytest.approx([1.39, 1.37, 1.13, 0.77, 0.34], abs=0.005)


def test_harmonic_staleness_gives_up_no_page():
    """Kolobov et al. 2019: (-lambda + sqrt(lambda^2 + 4 mu lambda / Lambda)) / 2."""
    found = harmonic(RATES, WEIGHTS, 3.0)
    assert found.visits == pytest.approx([0.389852, 0.969591, 1.640556], abs=1e-6)
    assert found.marginal == pytest.approx(0.523643, abs=1e-6)


def test_visits_in_proportion_to_changes_are_worse_than_visiting_all_alike():
    """The classic mistake: 0.638 of three pages fresh, against 1.5."""
    proportional, uniform = RATES * 3 / RATES.sum(), np.ones(3)
    assert freshness(RATES, proportional).sum() == pytest.approx(0.638, abs=1e-3)
    assert freshness(RATES, uniform).sum() == pytest.approx(1.5, abs=1e-3)


def test_no_small_shift_of_visits_betters_the_harmonic_allocation():
    best = harmonic(RATES, WEIGHTS, 3.0).visits
    for one in range(3):
        for other in range(3):
            shifted = best.copy()
            shifted[one] += 0.01
            shifted[other] -= 0.01
            assert staleness(RATES, shifted).sum() >= staleness(RATES, best).sum()


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_gives_a_number_of_visits_to_pages_it_knows_nothing_of(name):
    visits = POLICIES[name](PageHistories(ChangeHistory.none(5), np.ones(5)), 10.0)
    assert visits.shape == (5,)
    assert np.isfinite(visits).all() and (visits >= 0).all()


def test_the_adaptive_interval_shrinks_at_a_change_and_grows_without_one():
    evidence = ChangeHistory.none(2)
    evidence.add(np.arange(2), np.ones(2), np.array([True, False]))
    assert evidence.interval == pytest.approx([4.2, 9.8])
