"""The measures, worked by hand."""

import pytest
from msgspec.structs import replace

from thresher.core.records import Url
from thresher_lab.corpus import CorpusTopic
from thresher_lab.measures import (
    area,
    curve,
    harvest,
    mean_cumulative_harvest,
    measure,
    segments,
    token_ratios,
)
from thresher_lab.replay import ReplayStep

TOPIC = CorpusTopic("ball", "Sports/Basketball", "体育/篮球", languages=("en", "zh"))


def step(n, *, relevant=False, outcome="fetched", cost=1, host="a", information=0.5):
    url = f"http://{host}.test/{n}"
    return ReplayStep(n, url, outcome, cost, 0.1, 0.2, "", relevant, 500_000, information if cost else 0.0)


def test_the_area_is_the_mean_recall_over_the_budget():
    """Hits at pages 1 and 3 of 4, both of the 2 wanted: recall 1/2, 1/2, 1, 1."""
    assert area([1, 3], wanted=2, budget=4) == pytest.approx((0.5 + 0.5 + 1 + 1) / 4)


def test_a_crawl_that_ends_early_keeps_its_last_recall():
    assert area([1], wanted=2, budget=10) == pytest.approx(0.5)


def test_hits_past_the_budget_do_not_count():
    assert area([5], wanted=1, budget=4) == 0.0


def test_the_recall_is_told_after_a_tenth_half_and_all_of_the_budget():
    assert curve((1, 5, 10), wanted=4, budget=10).recall_at == (0.25, 0.5, 0.75)


def test_jamali_s_average_is_that_of_the_cumulative_rates():
    """Table I: 19,904 of 25,000 is 79.6 % but AHR is 85.5 %: the mean of equal segments cannot."""
    hits = [1, 2, 3, 4, 6]
    assert segments(hits, 8, length=4) == (1.0, 0.25)
    assert mean_cumulative_harvest(hits, 8, length=4) == pytest.approx((1.0 + 5 / 8) / 2)
    assert sum(segments(hits, 8, length=4)) / 2 == pytest.approx(5 / 8)


def test_a_last_segment_may_be_short():
    assert segments([1, 5], 5, length=4) == (0.25, 1.0)


def test_r_precision_is_the_harvest_of_the_first_r_pages():
    assert harvest([1, 2, 9], pages=10, wanted=4).r_precision == 0.5


def test_requests_that_bring_no_page_cost_only_in_the_curve_by_requests():
    steps = [step(1), step(2, outcome="gone", cost=0), step(3, relevant=True)]
    found = measure(steps, TOPIC, frozenset({Url("http://a.test/3"), Url("http://a.test/9")}), set(), 4)
    assert (found.pages, found.requests, found.by_pages.hits, found.by_requests.hits) == (2, 3, (2,), (3,))
    assert found.outcomes == {"fetched": 2, "gone": 1}
    assert (found.recall, found.recall_of_reachable) == (0.5, 0.0)


def test_a_back_link_question_costs_as_much_as_a_page():
    steps = [step(1, outcome="unchanged", cost=1), step(2, relevant=True)]
    found = measure(steps, TOPIC, frozenset({Url("http://a.test/2")}), {Url("http://a.test/2")}, 4)
    assert (found.questions, found.pages, found.by_pages.hits) == (1, 1, (2,))


def test_acquisition_is_told_per_request_and_per_megabyte():
    steps = [step(1, relevant=True), step(2), step(3, relevant=True, host="b"), step(4, host="b")]
    found = measure(steps, TOPIC, frozenset({Url("http://a.test/1"), Url("http://b.test/3")}), set(), 4)
    assert (found.per_request, found.per_megabyte) == (0.5, 1.0)
    assert (found.hosts, found.relevant_hosts, found.sum_of_information) == (2, 2, 2.0)


def test_urls_tell_the_topic_or_only_what_is_above_it():
    """Chen et al. 2009, Table 4: Ra is the sum of the two, so a URL that says both counts once."""
    urls = [
        "http://sports.example.com/basketball/1",
        "http://sports.example.com/news/2",
        "http://www.example.com/lanqiu/",
        "http://www.example.com/tennis",
    ]
    assert token_ratios(urls, TOPIC) == (0.5, 0.25)
    assert token_ratios([], TOPIC) == (0.0, 0.0)


def test_by_time_each_page_of_the_budget_is_given_two_seconds():
    """Two relevant pages in the second and the fourth second, of eight that four pages are given."""
    late = [
        replace(step(1, relevant=True), at=1.5),
        replace(step(2), at=2.0),
        replace(step(3, relevant=True), at=3.0),
    ]
    found = measure(late, TOPIC, frozenset({Url(each.url) for each in late if each.relevant}), set(), 4)
    assert found.by_time and found.by_time.hits == (2, 4)
    assert found.by_time.area == pytest.approx((7 + 5) / (2 * 8))
    assert found.seconds == 3.0


def test_what_took_no_time_has_no_curve_by_time():
    only = step(1, relevant=True)
    assert measure([only], TOPIC, frozenset({Url(only.url)}), set(), 1).by_time is None
