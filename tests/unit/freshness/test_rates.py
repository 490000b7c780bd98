"""How often pages change, from visits that say only whether they had changed."""

import numpy as np
import pytest

from thresher.freshness.policies import ChangeHistory, believed_rates


def of_regular_visits(changed: int, visits: int, interval: float) -> float:
    """Return what is believed of a page that was visited regularly."""
    evidence, page = ChangeHistory.none(1), np.arange(1)
    for visit in range(visits):
        evidence.add(page, np.full(1, interval), np.array([visit < changed]))
    return float(believed_rates(evidence)[0])


@pytest.mark.parametrize(("changed", "interval"), [(60, 1.0), (120, 1.0), (60, 2.0)])
def test_many_regular_visits_come_to_cho_and_garcia_molinas_estimate(changed, interval):
    """Cho & Garcia-Molina 2003, section 5: -ln((n - X + 0.5) / (n + 0.5)) for each interval."""
    estimate = -np.log((200 - changed + 0.5) / (200 + 0.5)) / interval
    assert of_regular_visits(changed, 200, interval) == pytest.approx(estimate, rel=0.1)


def test_a_belief_stays_finite_when_every_visit_or_none_found_a_change():
    assert 0 < of_regular_visits(0, 30, 1.0) < 0.1
    assert 1 < of_regular_visits(10, 10, 1.0) < 10


def test_a_page_never_looked_at_is_believed_to_be_like_its_section():
    evidence = ChangeHistory.none(40)
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
    evidence, every = ChangeHistory.none(500), np.arange(500)
    for _ in range(60):
        gaps = dice.uniform(0.2, 2.0, 500)
        evidence.add(every, gaps, dice.random(500) < -np.expm1(-truth * gaps))
    assert np.abs(np.log(believed_rates(evidence) / truth)).mean() < 0.3
