"""The report: one page that needs nothing else, trusts nothing it shows, and says what relevant means."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from thresher.core.enums import Detail, Outcome, Request
from thresher.core.records import Candidate, Page, Url, Visit
from thresher.report.charts import LABEL_GAP, Chart, ChartLine, document, draw
from thresher.report.crawl_report import charts_of, lede_of, names_of, page_of, picture_of
from thresher.report.figures import UNFINISHED, Figures, figures_of, tally
from thresher.report.shapes import BOTTOM, HEIGHT, round_step
from thresher.store.folder import CrawlFolder

HOSTILE = '<script>alert("mine")</script>'


def visit(number: int, relevance: float = 0.0, outcome: Outcome = Outcome.FETCHED, reason: str = "") -> Visit:
    candidate = Candidate(Url(f"http://{'ab'[number % 2]}.org/{number}"))
    page = Page(candidate.url, title=f"Page {number}") if outcome is Outcome.FETCHED else None
    return Visit(candidate, outcome, 1000.0 + number, page, relevance, status=200, size=100, reason=reason)


@pytest.fixture
def run(tmp_path) -> Figures:
    folder = CrawlFolder(tmp_path / "small")
    store = folder.create()
    facts = store.facts
    facts.threshold, facts.strategy, facts.judge, facts.refused = 0.5, "best_first", "cosine", {"nofollow": 3}
    for number in range(1, 11):
        store.add(visit(number, relevance=number / 10))
    store.add(visit(11, outcome=Outcome.GONE, reason="status 404"))
    store.add(replace(visit(12, outcome=Outcome.MOVED), moved_to=Url("http://a.org/1")))
    for number in (13, 14):  # told to people in different words
        lost = visit(number, outcome=Outcome.FAILED, reason=f"No address found for {number}.org")
        store.add(replace(lost, detail=Detail.UNRESOLVED))
    store.close()
    return figures_of(folder)


def test_the_figures_come_from_the_visits(run):
    assert (run.pages, run.relevant, run.requests, run.harvest_rate) == (10, 6, 14, 0.6)
    assert run.outcomes == {"fetched": 10, "failed": 2, "gone": 1, "moved": 1}
    assert run.reasons == {"name not resolved": 2, "moved to a page": 1, "status 404": 1}
    assert run.refused == {"nofollow": 3}
    assert run.bytes == 1400
    assert [(host.host, host.visits, host.pages, host.relevant) for host in run.hosts] == [
        ("http://a.org", 7, 5, 3),
        ("http://b.org", 7, 5, 3),
    ]
    assert run.top[0].title == "Page 10"


def test_a_crawl_that_was_cut_off_has_a_report_too(run):
    assert run.finish_reason == UNFINISHED
    assert UNFINISHED in page_of([run])


def test_a_back_link_question_is_a_request_and_no_page():
    question = replace(visit(1), candidate=Candidate(Url("http://a.org/1"), kind=Request.BACKLINKS))
    total = tally([question, visit(2, 0.9)], 0.5)
    assert (total.pages, total.outcomes.total(), len(total.hits)) == (1, 2, 1)


def test_the_curve_is_exact_where_it_is_drawn_however_long_the_crawl():
    total = tally((visit(number, relevance=number % 3 == 0) for number in range(1, 10_001)), 0.5)
    curve = total.curve()
    assert len(curve) <= 241
    assert (curve[0].pages, curve[-1].pages, curve[-1].relevant) == (0, 10_000, 3333)
    assert all(point.relevant == point.pages // 3 for point in curve)


class Loads(HTMLParser):
    """Collects what a browser would fetch or run to show a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "link", "img", "iframe", "object", "embed", "video", "audio", "form"):
            self.found.append(tag)
        self.found += [
            name for name, _ in attrs if name in ("src", "srcset", "background") or name[:2] == "on"
        ]


def test_the_page_loads_nothing_and_runs_nothing(run):
    page = page_of([run])
    reader = Loads()
    reader.feed(page)
    assert reader.found == []
    assert "url(" not in page
    assert "@import" not in page


def test_what_pages_call_themselves_stays_text(run):
    top = (replace(run.top[0], title=HOSTILE), *run.top[1:])
    page = page_of([replace(run, top=top, topic=HOSTILE, reasons={HOSTILE: 1}, settings=HOSTILE)])
    assert HOSTILE not in page
    assert page.count("&lt;script&gt;") >= 4


def test_the_page_says_what_relevant_means_and_what_it_does_not(run):
    page = page_of([run])
    assert "The cosine judge scores every page from 0 to 1, and the threshold is 0.5." in page
    assert "which is the delta of Chen et al. 2009" in page
    assert "no measurement against labels" in page


def test_passwords_stay_out_of_the_report(tmp_path):
    folder = CrawlFolder(tmp_path / "secret")
    folder.create().close()
    folder.settings.write_text(
        'web = { proxy = "http://me:pass1@proxy.org:3128", credentials = { "http://a.org" = "me:pass2" } }\n'
    )
    page = page_of([figures_of(folder)])
    assert "pass1" not in page
    assert "pass2" not in page
    assert "proxy.org" not in page  # a folder's own word for it counts for nobody but who gave it


def test_a_crawl_without_a_page_has_a_report(run):
    empty = replace(run, pages=0, relevant=0, hosts=(), curve=(), top=(), outcomes={}, reasons={}, refused={})
    page = page_of([empty])
    assert "No page was fetched." in page
    assert "nan" not in page.lower().replace("finance", "")


def test_crawls_are_compared_only_where_that_is_fair(run):
    half = replace(run, strategy="breadth_first", relevant=3)
    assert lede_of([run, half]) == (
        "best_first found 2.0 times as many relevant pages as breadth_first in the same number of pages, 10: "
        "6 against 3."
    )
    assert "times as many" not in lede_of([run, replace(half, pages=20)])
    assert "times as many" not in lede_of([run, replace(half, relevant=0)])


def test_runs_of_one_strategy_are_told_apart_by_their_folders(run):
    assert names_of([run, replace(run, folder="crawls/other")]) == ["small", "other"]


@pytest.mark.parametrize("count", [1, 2, 7])
def test_every_picture_is_well_formed(run, count):
    runs = [replace(run, strategy=f"strategy <{number}> & co") for number in range(count)]
    for chart in charts_of(runs):
        ElementTree.fromstring(draw(chart))
    ElementTree.fromstring(picture_of(runs))


def test_names_at_the_ends_of_lines_do_not_overlap():
    lines = tuple(ChartLine(f"line {number}", ((0.0, 0.0), (10.0, 5.0))) for number in range(4))
    heights = [float(y) for y in re.findall(r'class="name[^>]* y="([\d.]+)"', draw(Chart("t", "x", lines)))]
    assert all(below - above >= 15 for above, below in pairwise(heights))


def test_names_of_lines_that_end_low_stay_above_the_numbers_at_the_foot():
    lines = tuple(ChartLine(f"line {rank}", ((0, 9.0), (9, 0.1 * rank))) for rank in range(6))
    picture = draw(Chart("many", "pages", lines))
    heights = [float(y) for y in re.findall(r'class="name[^>]* y="([\d.]+)"', picture)]
    assert max(heights) <= HEIGHT - BOTTOM + 5
    assert all(lower - upper >= LABEL_GAP for upper, lower in pairwise(heights))


@pytest.mark.parametrize(("end", "step"), [(1, 0.2), (7, 2), (50, 10), (99, 20), (600, 200), (10_000, 2000)])
def test_ticks_are_round_and_few(end, step):
    assert round_step(end) == pytest.approx(step)


def test_things_that_are_counted_have_whole_ticks():
    chart = draw(Chart("t", "x", (ChartLine("one", ((0.0, 0.0), (2.0, 1.0))),)))
    assert re.findall(r'text-anchor="end">([^<]*)<', chart) == ["0", "1"]


def test_a_picture_of_nothing_is_still_a_picture():
    ElementTree.fromstring(document([Chart("t", "x", (ChartLine("empty", ()),))]))


def test_a_band_runs_along_its_line_and_the_axis_reaches_over_it():
    line = ChartLine.spread("mean", [0.0, 0.2], [0.0, 0.1], [0.1, 0.4])
    picture = draw(Chart("t", "x", (line,), "share", least_step=0.1, feet=("0%", "100%")))
    band = ElementTree.fromstring(picture).find("{http://www.w3.org/2000/svg}polygon")
    assert band is not None and len(band.attrib["points"].split()) == 4
    assert re.findall(r'text-anchor="end">([^<]*)<', picture) == ["0", "0.1", "0.2", "0.3", "0.4"]
    assert ">100%</text>" in picture and ">share</text>" in picture


def test_the_report_of_a_folder_appears_whole(run, tmp_path):
    assert not list(Path(tmp_path / "small").glob(".report*"))
