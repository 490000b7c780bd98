"""How often pages change, from visits that say only whether they had changed."""

import numpy as np
import pytest

from thresher.revisit.rates import Evidence, believed_rates, irregular_rate, regular_rate


@pytest.mark.parametrize(("changed", "rate"), [(0, 0.0), (3, 0.336472), (10, 3.044522)])
def test_cho_and_garcia_molinas_estimate_stays_finite_when_every_visit_found_a_change(changed, rate):
    """Cho & Garcia-Molina 2003, section 5: -ln((n - X + 0.5) / (n + 0.5)), here for ten visits."""
    assert regular_rate(10, changed) == pytest.approx(rate, abs=1e-6)


def test_the_rate_is_by_day_whatever_the_interval():
    assert regular_rate(10, 3, interval=2.0) == pytest.approx(0.336472 / 2, abs=1e-6)


def test_visits_at_equal_intervals_give_the_plain_likelihood():
    """With one interval for all, the equation has the solution -ln(1 - X / n)."""
    assert irregular_rate([1.0] * 3, [1.0] * 7, pseudo=0.0) == pytest.approx(-np.log(0.7))


def test_the_likelihood_equation_holds_at_irregular_intervals():
    changed, unchanged = [0.5, 3.0, 8.0], [1.0, 0.25]
    rate = irregular_rate(changed, unchanged, pseudo=0.0)
    assert sum(tau / np.expm1(rate * tau) for tau in changed) == pytest.approx(sum(unchanged))


def test_a_pseudo_interval_keeps_extreme_histories_finite():
    assert 0 < irregular_rate([1.0] * 10, []) < 10
    assert irregular_rate([], [30.0]) < 0.1


def test_a_page_never_looked_at_is_believed_to_be_like_its_section():
    evidence = Evidence.none(40)
    lively = np.arange(19)
    for _ in range(8):
        evidence.add(lively, np.ones(19), np.ones(19, bool))
        evidence.add(lively + 20, np.ones(19), np.zeros(19, bool))
    hosts = np.zeros(40, np.int64)
    sections = np.repeat([0, 1], 20)
    rates = believed_rates(evidence, (hosts, sections))
    assert rates[19] > 10 * rates[39]


def test_the_belief_comes_near_the_truth_with_many_visits():
    dice = np.random.default_rng(1)
    truth = np.exp(dice.normal(-1.0, 1.0, 500))
    evidence, every = Evidence.none(500), np.arange(500)
    for _ in range(60):
        gaps = dice.uniform(0.2, 2.0, 500)
        evidence.add(every, gaps, dice.random(500) < -np.expm1(-truth * gaps))
    assert np.abs(np.log(believed_rates(evidence) / truth)).mean() < 0.3
