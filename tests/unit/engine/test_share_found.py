"""What share was found: the estimate, its band, and a crawl that ends when it is enough."""

import numpy as np
import pytest

from tests.command_line import thresher
from thresher import crawl
from thresher.core.progress import FinishKind, Forecast, ShareFound
from thresher.engine.share_found import band_of, capped, share_found, to_come
from thresher.export.wording import estimates, outlook
from thresher_practice import PracticeWeb


def test_ninety_found_and_ten_to_come_are_ninety_per_cent():
    found = share_found(90, 10.0, 1e6)
    assert found and found.share == pytest.approx(0.9)


def test_the_band_of_a_sure_mean_is_that_of_a_poisson_count():
    """P(X <= 5) = 0.067 and P(X <= 6) = 0.130, P(X <= 13) = 0.864 and P(X <= 14) = 0.917 for a mean of 10."""
    assert band_of(10.0, 1e9) == (6, 14)


def test_the_band_holds_the_truth_of_simulated_crawls_four_times_in_five():
    """Crawls whose true number still to come is drawn as the model says, at different stages."""
    dice, held = np.random.default_rng(1), []
    for pages, promised in ((200, 100.0), (1000, 30.0), (3000, 200.0)):
        mean, precision = to_come(100, promised, pages)
        claimed = share_found(100, mean, precision)
        assert claimed
        rests = dice.poisson(dice.gamma(precision, mean / precision, 2000))
        held += [claimed.low <= 100 / (100 + rest) <= claimed.high for rest in rests]
    assert 0.8 <= np.mean(held) <= 0.87


def test_the_more_waits_the_more_is_to_come_and_the_longer_it_was_sought_the_less():
    assert to_come(50, 100.0, 500)[0] > to_come(50, 10.0, 500)[0] > to_come(50, 10.0, 5000)[0]


def test_fewer_than_five_relevant_pages_claim_nothing():
    assert share_found(4, 0.1, 1.0) is None


def test_where_nothing_waits_all_was_found():
    assert share_found(5, 0.0, 1.0) == ShareFound(1, 1, 1)


def test_a_forecast_is_cut_to_what_can_still_come():
    cut = capped(Forecast(1000, 1000, 50.0, 20, 90), 100, 10.0, 1e9)
    assert (cut.relevant, cut.low, cut.high) == (10.0, 10, 14)


def test_it_is_told_with_its_band_and_without_a_band_where_all_was_found():
    some = Forecast(1000, 1000, 20.0, 5, 40, ShareFound(0.944, 0.88, 0.979))
    assert outlook(some) == [
        "Found about 94 % of the relevant pages (80 %: 88 to 98).",
        "If it went on: 5 to 40 of the next 1,000 pages relevant (80 %).",
    ]
    assert estimates(Forecast(1000, 1000, 0.0, 0, 0, ShareFound(1, 1, 1))) == [
        "found all relevant pages within reach"
    ]


def test_a_crawl_ends_when_enough_was_found_and_says_how_much(tmp_path):
    """Asked for 75 %; 202 of the practice web's pages about bees can be reached at all."""
    ended = crawl("beekeeping", folder=tmp_path / "bees", pages=0, found=0.75, web={"delay": 0})
    assert ended.result.finish is FinishKind.SHARE_FOUND
    assert ended.result.pages < 2000
    forecast = ended.result.forecast
    assert forecast and (claimed := forecast.found)
    true = len(PracticeWeb(1).labels("beekeeping") & {page.url for page in ended.pages()}) / 202
    assert claimed.low <= true <= claimed.high


def test_a_crawl_that_finds_little_more_ends_by_its_forecast(tmp_path):
    """Run dry it fetches more than 4,400 pages, and finds 202 about bees."""
    ended = crawl("beekeeping", folder=tmp_path / "bees", pages=0, below=0.02, web={"delay": 0})
    assert ended.result.finish is FinishKind.FORECAST
    assert ended.result.pages < 1500
    assert len(PracticeWeb(1).labels("beekeeping") & {page.url for page in ended.pages()}) > 140


def test_where_nothing_is_left_nothing_is_told_of_going_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = thresher("crawl", "beekeeping", "--delay", "0", "--pages", "0", "--depth", "2")
    assert "Stopped: nothing left to visit." in ran.out
    assert "Found all relevant pages within reach." in ran.out
    assert "If it went on" not in ran.out


@pytest.mark.parametrize("text", ["2", "-1%", "lots"])
def test_what_is_no_share_is_refused_in_one_sentence(text):
    ran = thresher("crawl", "beekeeping", f"--stop-found={text}")
    assert (ran.code, ran.err) == (4, f"{text!r} is not a share; write it as 2% or as 0.02.\n")
