"""The statistics against scipy, and the bootstrap against worlds whose truth is known."""

import numpy as np
import pytest
from scipy import stats

from thresher_lab.statistics import cluster_bootstrap, holm, mean_band, wilcoxon


def sample(seed, size, *, ties):
    values = np.random.default_rng(seed).normal(0.1, 1.0, size)
    return np.round(values, 1) if ties else values


@pytest.mark.parametrize("seed", range(30))
def test_signed_ranks_without_ties_are_counted_out_as_scipy_counts_them(seed):
    values = sample(seed, 5 + seed, ties=False)
    expected = stats.wilcoxon(values, method="exact").pvalue
    assert wilcoxon(list(values)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_signed_ranks_with_ties_and_zeros_follow_the_normal_distribution(seed):
    values = sample(seed, 12 + 3 * seed, ties=True)
    expected = stats.wilcoxon(values, method="asymptotic", correction=False, zero_method="wilcox").pvalue
    assert wilcoxon(list(values)) == pytest.approx(expected, rel=1e-9)


def test_no_difference_at_all_is_no_evidence():
    assert wilcoxon([0.0, 0.0]) == wilcoxon([]) == 1.0


@pytest.mark.parametrize("seed", range(20))
def test_holm_is_what_scipy_would_do_step_by_step(seed):
    values = list(np.random.default_rng(seed).uniform(0, 0.2, 2 + seed % 7))
    ordered = np.sort(values)
    steps = np.minimum(1.0, np.maximum.accumulate(ordered * np.arange(len(values), 0, -1)))
    assert holm(values) == pytest.approx(list(steps[np.argsort(np.argsort(values))]))


def test_holm_of_a_textbook_family():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@pytest.mark.parametrize("seed", range(20))
def test_with_clusters_of_one_the_bootstrap_is_scipy_s(seed):
    values = np.random.default_rng(seed).exponential(1.0, 25)
    found = cluster_bootstrap([[value] for value in values], samples=20_000)
    other = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(seed)
    ).confidence_interval
    assert found.mean == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.03)


def test_the_interval_holds_the_truth_in_90_to_98_of_100_worlds():
    """24 topics, each with its own effect and two runs that share it; the truth is zero."""
    random, worlds, held = np.random.default_rng(7), 600, 0
    for _ in range(worlds):
        topics = random.normal(0.0, 0.04, 24)
        clusters = [list(topic + random.normal(0.0, 0.02, 2)) for topic in topics]
        found = cluster_bootstrap(clusters, samples=600)
        held += found.low <= 0.0 <= found.high
    assert 0.90 <= held / worlds <= 0.98


def test_runs_of_one_topic_are_not_taken_for_topics():
    """Ten runs of the same topic say no more than one: the interval must not shrink."""
    topics = np.random.default_rng(3).normal(0.0, 1.0, 12)
    once = cluster_bootstrap([[value] for value in topics])
    often = cluster_bootstrap([[value] * 10 for value in topics])
    assert (once.low, once.high) == pytest.approx((often.low, often.high))


def test_nothing_measured_gives_nothing():
    found = cluster_bootstrap([])
    assert (found.mean, found.low, found.high) == (0.0, 0.0, 0.0)


def test_a_band_lies_round_its_mean():
    middle, low, high = mean_band(np.random.default_rng(1).uniform(size=(12, 5)))
    assert (low <= middle).all() and (middle <= high).all()
