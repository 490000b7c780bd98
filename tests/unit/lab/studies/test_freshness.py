"""The simulated web and the policies that keep it."""

import numpy as np
import pytest

from thresher_lab.studies.freshness import CLAIRVOYANT, keep, make_web, picture, table, try_out


def test_the_same_seed_makes_the_same_web_and_another_one_another():
    one, same, other = make_web(1, 200), make_web(1, 200), make_web(2, 200)
    assert np.array_equal(one.moments, same.moments)
    assert not np.array_equal(one.rates, other.rates)


@pytest.mark.parametrize("process", ["poisson", "bursty"])
def test_pages_change_as_often_as_their_rates_say(process):
    web = make_web(3, 2000, process=process)
    assert len(web.moments) / web.days == pytest.approx(web.rates.sum(), rel=0.15)


def test_bursty_pages_change_in_bursts():
    """Pauses between changes vary more than those of a Poisson process, whose deviation is its mean."""

    def spread(process):
        web = make_web(3, 500, process=process)
        busiest = int(np.argmax(web.rates))
        pauses = np.diff(web.moments[web.begins[busiest] : web.begins[busiest + 1]])
        return pauses.std() / pauses.mean()

    assert spread("poisson") < 1.2 < spread("bursty")


def test_ours_comes_near_the_optimum_and_the_others_do_not():
    web = make_web(5, 1500)
    best = keep(web, CLAIRVOYANT, 0.5).staleness
    found = {
        name: keep(web, name, 0.5).staleness for name in ("harmonic", "fixed", "proportional", "adaptive")
    }
    assert found["harmonic"] < 1.1 * best
    assert min(found["fixed"], found["proportional"], found["adaptive"]) > 1.2 * best


def test_only_the_clairvoyant_is_moved_by_the_true_rates():
    """The same changes under other rates: no policy may notice."""
    web = make_web(5, 300)
    lied = type(web)(
        web.hosts, web.sections, web.weights, web.rates[::-1].copy(), web.moments, web.begins, web.days
    )
    for name in ("harmonic", "binary", "regular", "adaptive", "proportional", "fixed"):
        assert keep(web, name, 0.5) == keep(lied, name, 0.5)
    assert keep(web, CLAIRVOYANT, 0.5) != keep(lied, CLAIRVOYANT, 0.5)


def test_the_table_has_a_row_and_the_picture_a_curve_for_every_policy():
    trial = try_out(1, "poisson", 150, 45.0, (0.5, 1.0))
    assert len(table(trial).rows) == 14
    drawn = picture(trial)
    assert drawn.count("<polyline") == 12 and "proportional" in drawn
