"""The forecast: what the next downloads will bring, how sure that is, and a crawl that stops by it."""

import json

import numpy as np
import pytest

from tests.command_line import thresher
from thresher.core.enums import Outcome
from thresher.core.interfaces import Judge
from thresher.core.progress import FinishKind, Forecast, Progress, ShareFound
from thresher.core.records import Candidate, Link, Page, Url, Visit
from thresher.engine import forecast as rules
from thresher.engine.forecast import ForecastStopRule, Hints, _band, chances, forecast, next_forecast
from thresher.engine.share_found import to_come
from thresher.frontier.frontier import Workbench
from thresher.settings.load import share_of
from thresher.store.database import Database


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


FOUND = np.array([1.0, 1.0, 0.0, 0.0] * 50)  # every second visit, in pairs


def hints(*parents: float) -> Hints:
    return Hints(np.array(parents), np.zeros(len(parents)))


def ahead(parents: list[float], relevant=FOUND, pages: int = 1000, downloads: int = 1000) -> Forecast:
    followed = hints(*np.where(FOUND > 0, 0.8, 0.1).tolist())  # what relevant pages mention was relevant
    promised = chances(followed, relevant)(hints(*parents)).sum()
    return forecast(relevant, promised, pages, downloads)


def test_what_relevant_pages_mention_promises_more_than_what_others_do():
    assert ahead([0.8] * 100).relevant > 1.5 * ahead([0.1] * 100).relevant


def test_a_crawl_that_finds_nothing_any_more_promises_a_hundredth():
    dry = ahead([0.1] * 100, relevant=np.zeros(200), pages=10_000)
    assert dry.share == pytest.approx(0.01, abs=0.005)
    assert dry.low == 0


def test_the_forecast_stands_in_its_band_and_the_band_among_the_downloads():
    for parents in ([0.8] * 10, [0.1] * 10, []):
        for downloads in (1, 10, 1000):
            found = ahead(parents, downloads=downloads)
            assert 0 <= found.low <= found.high <= downloads
            assert found.low - 1 <= found.relevant <= found.high + 1


def test_the_farther_ahead_the_wider_the_band_and_the_more_is_known_the_closer():
    def spread(pages: int, downloads: int) -> float:
        found = ahead([0.8] * 100, pages=pages, downloads=downloads)
        return (found.high - found.low) / found.relevant

    assert spread(pages=100, downloads=1000) > spread(pages=1000, downloads=1000) > 0
    assert spread(pages=1000, downloads=1000) > spread(pages=10_000, downloads=1000)


def test_the_band_is_the_shortest_with_its_share_of_a_beta_binomial():
    """Of precision 2 and an even share, two downloads bring 0, 1 or 2 with a chance of 1/3 each."""
    assert rules._band(0.5, 2.0, 2) == (0, 2)
    assert rules._band(0.5, 1e9, 3) == (0, 2)  # a fair coin three times: 1/8, 3/8, 3/8, 1/8
    assert rules._band(0.1, 1e9, 1) == (0, 0)


def test_looks_come_at_fixed_numbers_of_pages():
    places = [100]
    while places[-1] < 20_000:
        places.append(next_forecast(places[-1]))
    assert places[:4] == [100, 125, 156, 195]
    assert places[-1] - places[-2] == 1000
    assert next_forecast(7) == 100


def test_the_store_knows_the_latest_visits_and_what_is_next():
    store = Database()
    bench = Workbench(shelf=store.shelf)
    bench.offer([Candidate(Url(f"http://a.test/{n}"), n / 10) for n in range(5)])
    for number in range(3):
        taken = bench.take(float(number))
        assert taken
        store.add(Visit(taken, Outcome.FETCHED, 1.0, Page(taken.url), relevance=number / 10))
        bench.done(taken, float(number))
    assert [visit.relevance for visit in store.latest(2)] == [0.2, 0.1]
    assert [candidate.url for candidate in store.next_up(9)] == ["http://a.test/1", "http://a.test/0"]


class Anchors(Judge):
    """A judge that likes one word."""

    threshold = 0.5

    def score(self, page):
        raise AssertionError("nothing is fetched to foresee")

    def similarity(self, text):
        return float("bee" in text)

    def explain(self, page):
        return []


class Kept:
    """A store of a crawl in which links that say bee led to relevant pages."""

    def __init__(self, *anchors: str, waiting: int = 100) -> None:
        self.anchors, self.waiting = anchors, waiting

    def latest(self, most):
        return [Visit(self._said("bee"), Outcome.FETCHED, 1.0, relevance=0.9)] * 50 + [
            Visit(self._said("mill"), Outcome.FETCHED, 1.0, relevance=0.1)
        ] * 50

    def next_up(self, most):
        return [self._said(anchor) for anchor in self.anchors] * self.waiting

    def relevance(self, url):
        return 0.4

    def _said(self, anchor: str) -> Candidate:
        return Candidate(
            Url("http://a.test/x"), via=Link(Url("http://a.test/"), Url("http://a.test/x"), anchor)
        )


def foresight(kept: Kept, **rules: float) -> ForecastStopRule:
    return ForecastStopRule(kept, Anchors(), **rules)  # type: ignore[arg-type]


def progress_of(pages: int, relevant: int = 50) -> Progress:
    progress = Progress(0.5, 0.0, relevant=relevant)
    progress.outcomes[Outcome.FETCHED] = pages
    return progress


def test_waiting_links_are_judged_by_their_anchors():
    promised = {anchor: foresight(Kept(anchor)).ahead(progress_of(100), 100) for anchor in ("bee", "mill")}
    assert promised["bee"].share > 0.5 > promised["mill"].share


def test_nothing_is_foreseen_and_all_was_found_where_nothing_waits():
    seen = foresight(Kept()).ahead(progress_of(100), 1000)
    assert (seen.relevant, seen.low, seen.high) == (0, 0, 0)
    assert seen.found == ShareFound(1, 1, 1)


def test_no_more_is_promised_than_can_still_come():
    """Of the latest hundred pages 50 were relevant: a thousand more would bring many, but one link waits."""
    one, many = (
        foresight(Kept("bee", waiting=waiting)).ahead(progress_of(2000), 1000) for waiting in (1, 100)
    )
    assert one.relevant == to_come(50, chance_of_bees(), 2000)[0]
    assert one.high < many.high


def chance_of_bees() -> float:
    """The chance of the one link that waits, by the links that were followed."""
    followed = Hints(np.full(100, 0.4), np.repeat([1.0, 0.0], 50))
    found = np.repeat([1.0, 0.0], 50)
    return float(chances(followed, found)(Hints(np.array([0.4]), np.array([1.0])))[0])


def test_a_crawl_that_found_next_to_nothing_claims_no_share():
    seen = foresight(Kept("mill")).ahead(progress_of(100, relevant=4), 1000)
    assert seen.found is None


def test_nothing_is_foreseen_before_a_hundred_pages():
    progress = progress_of(99)
    foresight(Kept("bee"), below=1.0).consider(progress)
    assert (progress.forecast, progress.stopping) == (None, None)


def test_a_crawl_that_promises_less_than_asked_is_told_to_stop():
    progress = progress_of(100)
    foresight(Kept("mill"), below=0.9).consider(progress)
    assert progress.stopping and progress.stopping.kind is FinishKind.FORECAST
    assert progress.stopping.sentence.startswith("the next 1,000 downloads promise about ")
    assert progress.stopping.sentence.endswith(" relevant pages, less than 90 %")


def test_a_crawl_that_has_found_enough_is_told_to_stop():
    progress = progress_of(100)
    foresight(Kept("mill"), enough=0.3).consider(progress)
    assert progress.stopping and progress.stopping.kind is FinishKind.SHARE_FOUND
    assert progress.stopping.sentence.startswith("about ")
    assert progress.stopping.sentence.endswith(" % of what is within reach was found")


def test_a_share_is_written_as_a_percentage_or_a_fraction():
    assert (share_of("2%"), share_of("0.02"), share_of(".5"), share_of("0")) == (0.02, 0.02, 0.5, 0.0)


@pytest.mark.parametrize("text", ["2", "lots", "-1%", "101%", ""])
def test_what_is_no_share_is_refused_in_one_sentence(text):
    ran = thresher("crawl", "beekeeping", f"--stop-below={text}")
    assert (ran.code, ran.err) == (
        4, f"{text!r} is not a share; write it as 2% or as 0.02.\n",
    )  # fmt: skip


def test_a_crawl_that_runs_dry_stops_says_why_and_goes_on_when_asked_for_less():
    """On the practice web breadth-first soon leaves the pages about bees behind."""
    asked = ("--strategy", "breadth_first", "--delay", "0", "--pages", "400")
    ran = thresher("crawl", "beekeeping", *asked, "--stop-below", "20%")
    assert ran.code == 0
    assert "Stopped: the next 1,000 downloads promise about " in ran.out
    assert "less than 20 %." in ran.out
    assert " of the next 1,000 pages relevant (80 %)." in ran.out
    [first] = json.loads(thresher("report", "--json").out)["crawls"]
    assert 100 <= first["pages"] < 400
    assert first["forecast"]["relevant"] / first["forecast"]["downloads"] < 0.2
    again = thresher("resume")
    assert "less than 20 %." in again.out
    [still] = json.loads(thresher("report", "--json").out)["crawls"]
    assert still["pages"] == first["pages"]
    assert "Stopped: page limit of 400 reached." in thresher("resume", "--stop-below", "0%").out


def test_a_crawl_in_two_runs_foresees_what_one_run_does():
    asked = ("--delay", "0", "--strategy", "breadth_first", "--set", "web.concurrency=1")
    thresher("crawl", "cider", "--pages", "160", *asked, "-o", "whole")
    thresher("crawl", "cider", "--pages", "110", *asked, "-o", "parts")
    thresher("resume", "parts", "--pages", "160")
    forecasts = [
        json.loads(thresher("report", folder, "--json").out)["crawls"][0]["forecast"]
        for folder in ("whole", "parts")
    ]
    assert forecasts[0] == forecasts[1]
    assert forecasts[0]["pages"] == 160


@pytest.mark.parametrize("share", [0.0005, 0.002, 0.006, 0.5, 0.997])
def test_a_forecast_lies_within_its_own_band(share):
    low, high = _band(share, 0.3, 1000)
    assert low <= round(1000 * share) <= high
