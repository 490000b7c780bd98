"""Stored pages judged again: what turned is told, what the crawl saw then is kept, and nothing is fetched."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.command_line import thresher
from tests.unit.practice_crawl import web_of
from thresher.build.reading import make_judge
from thresher.build.rejudge import judge_again, rejudge
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Page, Topic, Url, Visit
from thresher.engine.read import as_sync
from thresher.judges.baselines import Cosine
from thresher.judges.question.judge import THRESHOLD, best_threshold
from thresher.report.figures import figures_of
from thresher.settings.load import read
from thresher.settings.model import Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder


@pytest.fixture(scope="module")
def begun(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("rejudge") / "bees"
    assert thresher("crawl", "beekeeping", "--pages", "120", "--delay", "0", "-o", str(folder)).code == 0
    return folder


@pytest.fixture
def folder(begun, tmp_path) -> Path:
    return Path(shutil.copytree(begun, tmp_path / "bees"))


def visits(folder: Path) -> list[tuple[Url, float]]:
    store = CrawlFolder(folder).open()
    found = [(visit.candidate.url, visit.relevance) for visit in store.visits()]
    store.close()
    return found


def test_nothing_turns_where_nothing_was_edited(folder):
    before = visits(folder)
    ran = thresher("label", "--apply", str(folder), "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert (told["turned_relevant"], told["no_longer"]) == ([], [])
    assert told["relevant"] == told["relevant_before"]
    assert visits(folder) == before


def test_nothing_turns_either_where_the_judge_was_not_to_learn(tmp_path):
    folder, flags = str(tmp_path / "bees"), ["--pages", "120", "--delay", "0", "--set", "judge.learns=false"]
    assert thresher("crawl", "beekeeping", *flags, "-o", folder).code == 0
    told = json.loads(thresher("label", "--apply", folder, "--json").out)
    assert told["threshold"] != THRESHOLD
    assert (told["turned_relevant"], told["no_longer"]) == ([], [])


def test_readers_of_a_folder_judged_by_a_former_version_offer_rejudge_until_it_was_run(folder):
    store = CrawlFolder(folder).resume()
    store.facts.judge_version = 0
    store.commit()
    store.close()
    offer = (
        "The pages here were judged by a former version, which calls too many relevant; "
        f"'thresher label --apply {folder}' judges them again."
    )
    ran = thresher("export", str(folder), "--relevant")
    assert (ran.code, ran.err.strip()) == (0, offer)
    assert thresher("label", "--apply", str(folder)).code == 0
    assert thresher("export", str(folder), "--relevant").err == ""


def test_an_edited_topic_turns_pages_and_every_reader_follows(folder):
    before = figures_of(CrawlFolder(folder))
    ran = thresher("label", "--apply", str(folder), "--set", "topic.name=cider", "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    after = figures_of(CrawlFolder(folder))
    assert (
        told["relevant"]
        == after.relevant
        == before.relevant + len(told["turned_relevant"]) - len(told["no_longer"])
    )
    assert told["no_longer"]
    assert after.topic == "cider"
    assert len(thresher("export", str(folder), "--relevant").out.splitlines()) == after.relevant


def test_a_search_finds_pages_by_what_is_judged_now(folder):
    searched = ["search", str(folder), "bees relevant:yes", "--json"]
    before = json.loads(thresher(*searched).out)
    thresher("label", "--apply", str(folder), "--set", "topic.name=cider")
    assert json.loads(thresher(*searched).out) != before


def test_a_topic_edited_in_the_folder_is_the_topic(folder):
    file = folder / "crawl.toml"
    file.write_text(file.read_text().replace('name = "beekeeping"', 'name = "cider"'))
    assert json.loads(thresher("label", "--apply", str(folder), "--json").out)["no_longer"]


def test_what_was_fetched_stays_as_it_was(folder):
    before = [url for url, _ in visits(folder)]
    thresher("label", "--apply", str(folder), "--set", "topic.name=cider")
    assert [url for url, _ in visits(folder)] == before


def test_every_page_has_the_score_that_the_judge_gives_it_now(folder):
    thresher("label", "--apply", str(folder), "--set", "judge.name=cosine")
    crawl = CrawlFolder(folder)
    store, settings = crawl.open(), read(crawl.settings)
    judge = as_sync(make_judge(settings, store.facts.topic))
    assert settings.judge.threshold == judge.threshold == Cosine(Topic("x")).threshold
    for visit in store.pages():
        assert visit.page is not None
        assert visit.page.noindex or visit.relevance == pytest.approx(judge.score(visit.page), abs=1e-8)
    store.close()


def test_why_tells_what_the_judge_said_then_and_says_now(folder):
    told = json.loads(thresher("label", "--apply", str(folder), "--set", "topic.name=cider", "--json").out)
    page = told["no_longer"][0]
    said = thresher("why", page["url"], str(folder), "--full").out
    assert f"relevance {page['relevance']:.3f}: not relevant" in said
    assert re.search(r"it was 0\.\d+ when the page was fetched; the judge has learned since", said)
    assert f"{page['relevance']:.3f} with the words of this page" in said


def test_a_label_holds_whoever_judges(folder):
    store = CrawlFolder(folder).open()
    best = store.best_pages(1)[0][0]
    store.close()
    thresher("label", str(folder), best, "yes")
    told = json.loads(thresher("label", "--apply", str(folder), "--set", "topic.name=cider", "--json").out)
    assert best not in [page["url"] for page in told["no_longer"]]
    assert best in thresher("export", str(folder), "--relevant").out


def test_a_resumed_crawl_with_an_edited_topic_judges_again_by_itself(folder):
    """A judge who learns would say something else of every page after one page more."""
    alike, alone = Path(shutil.copytree(folder, folder.with_name("alike"))), ("--set", "judge.learns=false")
    ran = thresher("resume", str(folder), "--set", "topic.name=cider", *alone, "--pages", "121")
    assert ran.code == 0, ran.err
    assert "were judged again" in ran.err
    thresher("label", "--apply", str(alike), "--set", "topic.name=cider", *alone)
    assert visits(folder)[: len(visits(alike))] == visits(alike)
    again = thresher("resume", str(folder), "--pages", "122")
    assert "judged again" not in again.err


def test_an_edited_crawl_looks_for_what_it_is_asked_for_now(folder):
    """The strategy learns its visits again, so what waits is ranked for the new topic."""
    same = Path(shutil.copytree(folder, folder.with_name("same")))
    ran = thresher("resume", str(folder), "--set", "topic.name=cider", "--pages", "240", "--json")
    assert ran.code == 0, ran.err
    thresher("resume", str(same), "--pages", "240")
    about = web_of(1).labels("cider")
    edited, stayed = (len(about.intersection(url for url, _ in visits(each))) for each in (folder, same))
    assert edited > 10 * stayed


def test_example_pages_are_read_off_the_crawl_and_never_asked_for(tmp_path, caplog):
    crawl = CrawlFolder(tmp_path / "small")
    store = crawl.create('topic = "bees"\nseeds = ["http://a.test/1"]\n\n[web]\nkind = "live"\n')
    for number, text in enumerate(("bees in a hive make honey and wax", "trains run on rails")):
        url = Url(f"http://a.test/{number}")
        store.add(Visit(Candidate(url), Outcome.FETCHED, 1.0, Page(url, text=text), 0.2, status=200))
    store.facts.threshold = 0.5
    store.close()
    examples = ("http://a.test/0", "http://nowhere.test/")
    told = rejudge(crawl, read(crawl.settings, [("topic.examples", examples)]))
    assert told.pages == 2
    assert "http://nowhere.test/ is none of the stored pages" in caplog.text


def test_the_words_of_a_noindex_page_are_not_kept_so_its_score_stays():
    store = Database()
    url = Url("http://a.test/1")
    store.add(Visit(Candidate(url), Outcome.FETCHED, 1.0, Page(url, noindex=True), 0.9, status=200))
    told = judge_again(store, Cosine(Topic("bees", {"bee": 1.0})), Topic("bees"), Settings())
    assert (told.no_longer, store.judged(url)) == ((), 0.9)


def test_a_crawl_that_is_running_is_left_alone(folder):
    store = CrawlFolder(folder).resume()
    ran = thresher("label", "--apply", str(folder))
    store.close()
    assert ran.code != 0
    assert len(ran.err.splitlines()) == 1


def test_a_crawl_ends_with_the_threshold_of_its_pages_unless_the_user_set_one(folder):
    store = CrawlFolder(folder).open()
    scores = [store.judged(url) or 0.0 for url in dict(visits(folder))]
    assert store.facts.threshold == pytest.approx(best_threshold(scores, THRESHOLD), abs=0.01)
    store.close()
    told = json.loads(thresher("label", "--apply", str(folder), "--set", "judge.threshold=0.5", "--json").out)
    assert told["threshold"] == 0.5
    assert json.loads(thresher("label", "--apply", str(folder), "--json").out)["threshold"] == 0.5
