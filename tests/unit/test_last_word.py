"""The user has the last word: what was labelled no is gone from everything that a crawl shows."""

import json

import pytest

from tests.command_line import thresher
from thresher.core.enums import Outcome
from thresher.core.progress import Progress
from thresher.core.records import Candidate, Page, Url, Visit
from thresher.engine.observers import RelevantCounter
from thresher.report.figures import best_of, figures_of
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels


@pytest.fixture(scope="module")
def crawled(tmp_path_factory) -> CrawlFolder:
    folder = tmp_path_factory.mktemp("last-word") / "bees"
    assert thresher("crawl", "beekeeping", "--pages", "150", "--delay", "0", "-o", str(folder)).code == 0
    return CrawlFolder(folder)


@pytest.fixture(scope="module")
def refused(crawled) -> list[Url]:
    """Say no to the five best pages, and remember how it was before."""
    return [page.url for page in best_of(crawled, 5)]


@pytest.fixture(scope="module")
def before(crawled, refused):
    return figures_of(crawled), relevant_urls(crawled)


@pytest.fixture(scope="module")
def labelled(crawled, refused, before) -> CrawlFolder:
    for url in refused:
        assert thresher("label", str(crawled.path), url, "no").code == 0
    return crawled


def relevant_urls(crawl: CrawlFolder) -> list[str]:
    exported = thresher("export", str(crawl.path), "--relevant", "-f", "jsonl")
    assert exported.code == 0
    return [json.loads(line)["url"] for line in exported.out.splitlines()]


def test_they_are_gone_from_the_export(labelled, refused, before):
    assert set(before[1]) - set(relevant_urls(labelled)) == set(refused)


def test_they_are_gone_from_the_counts_of_the_report_and_of_their_hosts(labelled, before):
    now, then = figures_of(labelled), before[0]
    assert now.relevant == then.relevant - 5
    assert now.curve[-1].relevant == now.relevant
    assert sum(host.relevant for host in now.hosts) == now.relevant
    assert thresher("report", str(labelled.path)).out.startswith(f"{now.relevant} of 150 pages relevant")
    assert "You labelled 5 pages" in labelled.report.read_text()


def test_they_are_gone_from_the_best_pages(labelled, refused):
    listed = [page.url for page in best_of(labelled, 1_000)]
    assert listed
    assert set(refused).isdisjoint(listed)
    assert set(refused).isdisjoint(page.url for page in figures_of(labelled).top)


def test_the_forecast_is_lower_at_once(labelled, before):
    now, then = figures_of(labelled).forecast, before[0].forecast
    assert now is not None
    assert then is not None
    assert now.relevant < then.relevant


def test_why_says_who_said_so_and_what_the_judge_says(labelled, refused):
    told = thresher("why", refused[0], str(labelled.path)).out
    assert "you said no: not relevant" in told
    assert "judge says relevance" in told
    assert json.loads(thresher("why", refused[0], str(labelled.path), "--json").out)["label"] is False


def test_a_crawl_that_goes_on_counts_as_the_user_said(labelled, refused):
    """What was said teaches the judge, too, so other pages may turn; the five do not come back."""
    ran = thresher("resume", str(labelled.path), "--pages", "150", "--json")
    listed = relevant_urls(labelled)
    assert set(refused).isdisjoint(listed)
    assert json.loads(ran.out)["relevant"] == len(listed)


def test_a_page_of_which_the_user_said_yes_comes_first(tmp_path):
    folder = tmp_path / "bees"
    assert thresher("crawl", "beekeeping", "--pages", "30", "--delay", "0", "-o", str(folder)).code == 0
    crawl = CrawlFolder(folder)
    worst = best_of(crawl, 1_000)[-1].url
    count = figures_of(crawl).relevant
    assert thresher("label", str(folder), worst, "yes").code == 0
    assert best_of(crawl, 3)[0].url == worst
    assert figures_of(crawl).relevant == count + 1
    assert "you said yes: relevant" in thresher("why", worst, str(folder)).out


ONE, OTHER = Url("http://a.test/1"), Url("http://a.test/2")


def fetched(url: Url, relevance: float) -> Visit:
    return Visit(Candidate(url), Outcome.FETCHED, 1.0, Page(url, text="bee"), relevance, status=200)


def test_a_running_crawl_counts_anew_with_the_next_visit(tmp_path):
    labels = Labels(tmp_path / "labels.csv")
    store = Database(labels=labels)
    progress, visits = Progress(0.5, 0.0), [fetched(ONE, 0.9), fetched(OTHER, 0.9)]
    recount = RelevantCounter(store, Labels(labels.path))
    for visit in visits:
        store.add(visit)
        progress.add(visit)
    labels.add({ONE: False})
    recount(visits[-1], progress)
    assert progress.relevant == 1


def test_a_visit_that_brought_no_page_is_not_made_relevant_by_a_label(tmp_path):
    labels = Labels(tmp_path / "labels.csv")
    labels.add({ONE: True})
    store = Database(labels=labels)
    store.add(Visit(Candidate(ONE), Outcome.FAILED, 1.0))
    assert store.tally(0.5).relevant == 0
    assert store.relevance(ONE) is None
    assert [visit.relevance for visit in store.visits()] == [0.0]


def test_the_event_keeps_what_the_judge_said_when_the_page_was_fetched(tmp_path):
    labels = Labels(tmp_path / "labels.csv")
    labels.add({ONE: False})
    store = Database(labels=labels)
    store.add(fetched(ONE, 0.9))
    assert [visit.relevance for visit in store.history(ONE)] == [0.9]
    assert store.judged(ONE) == 0.9
    assert store.relevance(ONE) == 0.0


def test_a_line_that_cannot_be_read_is_an_error_to_readers_and_a_warning_to_a_running_crawl(tmp_path, caplog):
    path = tmp_path / "labels.csv"
    path.write_text(f"{ONE},yes\n")
    running = Labels(path, strict=False)
    assert running.new_labels() == {ONE: True}
    path.write_text(f"{ONE},yes\n{OTHER},perhaps\n")
    assert running.new_labels() == {ONE: True}  # the good line counts
    assert running.all() == {ONE: True}
    assert "line 2" in caplog.text
