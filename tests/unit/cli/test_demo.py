"""`thresher demo`: two crawls over HTTP on this machine, and nothing of the user's is touched."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import Ran, thresher
from thresher import open_crawl
from thresher.core.enums import REVISITS
from thresher.store.folder import CrawlFolder
from thresher_practice import demo


@pytest.fixture(scope="module")
def demo_ran(tmp_path_factory) -> Iterator[Ran]:
    """The demo of practice web 2 with 200 pages; the tests that look at it stand in its folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("demo"))
        patch.setattr(demo, "PAGES", 200)
        yield thresher("demo", "--seed", "2")


def test_the_demo_compares_two_harvests_and_ends_with_a_report(demo_ran):
    ran = demo_ran
    assert ran.code == 0, ran.err
    first, *_ = ran.out.splitlines()
    assert first.startswith("thresher found ")
    assert float(first.split()[2]) >= 1.5
    assert "Links lead to 202 of the 232 pages about the topic" in " ".join(ran.out.split())
    assert "no evidence of how well it does on the real web" in " ".join(ran.out.split())
    report = Path("demo/report.html")
    assert f"Report: {report}" in ran.out
    assert (
        report.read_text(encoding="utf-8").count('class="name text-') == 4 + 3
    )  # two harvests twice; fresh, looks, news
    assert "why http://" in ran.out
    links = set(re.findall('href="([^"]+)"', report.read_text(encoding="utf-8")))
    assert links and all(Path("demo", link).is_file() for link in links), "that web ended with the demo"
    assert not any("<script" in Path("demo", link).read_text(encoding="utf-8") for link in links)


def test_every_two_columns_of_the_table_divide(demo_ran):
    """Found by pages is the harvest, found by all that exist is the recall: a newcomer tries it."""
    lines = demo_ran.out.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("practice web 2: "))
    exist = int(lines[head].split()[3])
    shares = []
    for line in lines[head + 1 : head + 3]:
        _, pages, found, harvest, _, recall, _ = line.split()
        assert float(harvest) == pytest.approx(100 * int(found) / int(pages), abs=0.051)
        assert float(recall) == pytest.approx(100 * int(found) / exist, abs=0.051)
        shares.append(int(found))
    assert f"found {shares[1] / shares[0]:.1f} times" in lines[0]


def test_table_progress_report_and_dashboard_count_the_same_pages(demo_ran):
    counted = [int(found) for found in re.findall(r"^\w+ +200 +(\d+) ", demo_ran.out, re.M)]
    results = [open_crawl(Path("demo") / name).result.relevant for name in demo.STRATEGIES]
    assert (counted, "was given one word" in " ".join(demo_ran.out.split())) == (results, True)
    *_, last = re.findall(r"with thresher: (\d+) of (\d+) pages relevant", demo_ran.err) or [("0", "0")]
    assert int(last[0]) <= counted[1]


def test_a_day_later_the_demo_shows_what_changed(demo_ran):
    out = demo_ran.out
    told = out[out.index("A day later ") :]
    substantive, revisits = int(told.split()[3]), int(told.split()[5])
    assert 0 < substantive < revisits == 150
    shown = told[: told.index("Report: ")].strip().splitlines()
    assert len(shown) == 3 and shown[1].startswith("  http://") and len(shown[2]) <= 92, "one changed line"
    assert "Kept fresh" in Path("demo/report.html").read_text(encoding="utf-8")


def test_the_demo_crawls_over_http_and_obeys_robots(demo_ran):
    store = CrawlFolder(Path("demo/thresher")).open()
    visits = [visit for visit in store.visits() if visit.candidate.kind not in REVISITS]
    store.close()
    assert all(".localhost:" in visit.candidate.url for visit in visits)
    assert sum(visit.outcome.value == "fetched" for visit in visits) == 200
    assert not [visit for visit in visits if "/private/" in visit.candidate.url and visit.status]


def test_the_demo_overwrites_itself_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "PAGES", 20)
    Path("demo").mkdir()
    Path("demo/thesis.txt").write_text("mine", encoding="utf-8")
    ran = thresher("demo")
    assert (ran.code, ran.err) == (
        2,
        "demo holds something that is no demo. Choose another folder with -o.\n",
    )
    assert Path("demo/thesis.txt").read_text(encoding="utf-8") == "mine"
    Path("demo/thesis.txt").unlink()
    assert thresher("demo").code == 0
    assert thresher("demo").code == 0
