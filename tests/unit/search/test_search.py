"""Search: what the language of queries means, what is found in English and Chinese, and how it is marked."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import thresher
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Link, Page, Url, Visit
from thresher.report.figures import figures_of
from thresher.search.find import search
from thresher.search.index import behind, catch_up, connect, index_file, opened
from thresher.search.query import parse
from thresher.search.reader import Between, Reader, ResultCursor
from thresher.store.folder import CrawlFolder

NOW = 1_800_000_000.0


def page(name: str, title: str, text: str, language: str = "en", links: int = 0) -> Page:
    url = Url(f"http://a.example/{name}")
    linked = tuple(Link(url, Url(f"http://a.example/{name}/{n}"), text[:200]) for n in range(links))
    return Page(url, title, text, text, language, links=linked)


PAGES = [
    (page("hive", "Hives", "The bees of a strong hive gather honey all summer long."), 0.9),
    (page("queen", "The queen", "A queen excluder keeps the queen below; bees pass it."), 0.8),
    (page("cake", "Honey cake", "Take honey, flour and eggs. No bee was asked."), 0.2),
    (page("wang", "蜂王", "蜂王是蜂群中唯一能產卵的雌蜂。養蜂人每年檢查蜂王。", "zh"), 0.95),
    (page("tea", "茶", "喝茶的人很多，篮球也好看。", "zh"), 0.1),
]


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    return crawl_of(tmp_path / "bees", PAGES)


def crawl_of(path: Path, pages: list[tuple[Page, float]]) -> CrawlFolder:
    folder = CrawlFolder(path)
    store = folder.create()
    store.facts.threshold = 0.5
    for number, (each, relevance) in enumerate(pages):
        at = NOW - 86400 * number
        store.add(Visit(Candidate(each.url), Outcome.FETCHED, at, each, relevance, 200, 100))
    store.add(
        Visit(Candidate(Url("http://b.example/gone")), Outcome.GONE, NOW, status=404, reason="status 404")
    )
    store.close()
    catch_up(folder)
    return folder


def names(folder: CrawlFolder, query: str) -> list[str]:
    found, _ = search([folder], query)
    return [hit.url.rpartition("/")[2] for hit in found.items]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("honey", {"cake", "hive"}),
        ("honeys", {"cake", "hive"}),
        ('"queen excluder"', {"queen"}),
        ('"excluder queen"', set()),
        ("honey -flour", {"hive"}),
        ("exclu*", {"queen"}),
        ("蜂王", {"wang"}),
        ("蜂", {"wang"}),
        ("产卵", {"wang"}),  # simplified finds traditional
        ("養蜂", {"wang"}),
        ("honey relevant:yes", {"hive"}),
        ("honey relevant:<.5", {"cake"}),
        ("relevant:>.85", {"hive", "wang"}),
        ("lang:zh", {"wang", "tea"}),
        ("bees host:a.example", {"hive", "queen", "cake"}),
        ("bees host:b.example", set()),
        ("bees host:example", {"hive", "queen", "cake"}),
        ("bees host:xample", set()),
    ],
)
def test_a_query_finds(folder, query, found):
    assert set(names(folder, query)) == found


def test_the_users_word_goes_before_the_judges(folder):
    folder.labels.write_text("http://a.example/cake,yes\nhttp://a.example/hive,no\n")
    assert names(folder, "honey relevant:yes") == ["cake"]
    assert names(folder, "honey relevant:no") == ["hive"]
    assert names(folder, "honey label:yes") == ["cake"]
    assert names(folder, "honey label:none") == []
    found, _ = search([folder], "honey")
    assert [(hit.label, hit.is_relevant) for hit in found.items] == [(True, True), (False, False)]


def test_the_title_counts_more_than_the_text(folder):
    assert names(folder, "honey")[0] == "cake"


def test_pages_with_some_of_the_words_come_behind_and_say_so(folder):
    found, _ = search([folder], "bees excluder")
    assert [hit.all_words for hit in found.items] == [True, False, False]
    assert (found.total, found.all_words) == (3, 1)


def test_a_long_run_of_chinese_stands_for_one_thing_first_and_for_its_words_then(tmp_path):
    pages = [
        (page("apart", "一", "算法有很多，排序是其中之一。", "zh"), 0.5),
        (page("joined", "二", "常见的排序算法有很多种，写法也有很多种。", "zh"), 0.5),
        (page("half", "三", "排序。", "zh"), 0.5),
    ]
    found, _ = search([crawl_of(tmp_path / "zh", pages)], "排序算法")
    assert [(hit.url[-4:], hit.all_words) for hit in found.items] == [
        ("ined", True), ("part", True), ("half", False)
    ]  # fmt: skip


def test_a_word_that_is_rare_in_one_crawl_only_is_not_overrated_there(folder, tmp_path):
    """Honey stands in every page of one crawl and in one of the other, as often and beside as much."""
    bees = [(page(f"b{n}", "Bees", f"honey and wax number {n}"), 0.5) for n in range(20)]
    other = [(page(f"o{n}", "Other", f"stone and wood number {n}"), 0.5) for n in range(20)]
    other.append((page("stray", "Other", "honey and sand number 99"), 0.5))
    crawls = [crawl_of(tmp_path / "all", bees), crawl_of(tmp_path / "few", other)]
    found, _ = search(crawls, "honey", 40)
    assert [hit.crawl.endswith("few") for hit in found.items].index(True) > 0


@pytest.mark.parametrize(
    "text", ['"', '-"', "NEAR(", "a AND", "* ^ + :", 'x" OR "y', "-", "host:", "\x00 bee"]
)
def test_no_query_breaks_the_index(folder, text):
    search([folder], text)


def test_a_list_of_links_comes_after_an_article_with_the_same_words(tmp_path):
    text = "honey and bees " * 20
    pages = [(page("list", "Honey", text, links=3), 0.5), (page("article", "Honey", text), 0.5)]
    assert names(crawl_of(tmp_path / "two", pages), "honey") == ["article", "list"]


def test_paging_by_place_gives_every_answer_once(folder):
    after: ResultCursor | None = None
    seen: list[int] = []
    for _ in range(10):
        found, after = search([folder], "bees honey queen", 1, after)
        seen += [hit.visit for hit in found.items]
        if after is None:
            break
    assert sorted(seen) == sorted(set(seen))
    assert len(seen) == 3


def test_unsure_pages_come_from_both_sides_of_the_threshold_each_once(folder):
    reader, shown, seen = Reader(0, folder), Between(), []
    for _ in range(4):
        facts, shown = reader.unsure(parse("", NOW), 2, shown)
        seen += [round(fact.relevance, 2) for fact in facts]
    reader.close()
    assert seen == [0.2, 0.8, 0.9, 0.1, 0.95]


def test_pages_without_words_come_by_relevance_over_all_crawls_each_once(folder, tmp_path):
    other = crawl_of(tmp_path / "more", [(page("a", "A", "a"), 0.9), (page("b", "B", "b"), 0.1)])
    after: ResultCursor | None = None
    seen: list[tuple[float, int]] = []
    for _ in range(10):
        found, after = search([folder, other], "", 2, after)
        seen += [(hit.relevance, hit.visit) for hit in found.items]
        if after is None:
            break
    assert [relevance for relevance, _ in seen] == [0.95, 0.9, 0.9, 0.8, 0.2, 0.1, 0.1]


def test_many_crawls_are_searched_at_once(folder, tmp_path):
    other = crawl_of(tmp_path / "more", [(page("more", "Honey", "honey, more of it"), 0.6)])
    found, _ = search([folder, other], "honey")
    assert {Path(hit.crawl).name for hit in found.items} == {"bees", "more"}


def test_figures_and_lists_are_there_before_the_words(folder):
    index_file(folder).unlink()
    lag = catch_up(folder, with_words=False)
    with opened(folder) as index:
        pages, listed = (
            index.execute(f"SELECT {what}").fetchone()[0]
            for what in ("pages FROM done", "count(*) FROM fact")
        )
    assert (lag.visits, lag.words, pages, listed) == (0, pages, pages, pages)
    assert not search([folder], "honey", 5)[0].total
    assert catch_up(folder).words == 0
    assert search([folder], "honey", 5)[0].total


def test_a_newer_version_of_a_page_takes_the_place_of_the_older(folder):
    store = folder.resume()
    store.add(
        Visit(Candidate(PAGES[0][0].url), Outcome.FETCHED, NOW, page("hive", "Hives", "Only wax."), 0.3)
    )
    store.close()
    assert behind(folder).visits == 1
    catch_up(folder)
    assert names(folder, "summer") == []
    assert names(folder, "wax") == ["hive"]


def test_the_figures_of_the_index_are_those_of_the_report(folder):
    with closing(connect(folder)) as index:
        row = index.execute("SELECT pages, relevant, requests, bytes FROM done").fetchone()
        hosts = index.execute("SELECT name, visits, pages, relevant FROM host ORDER BY name").fetchall()
        outcomes = dict(index.execute("SELECT name, count FROM tally WHERE kind = 'outcome'").fetchall())
    figures = figures_of(folder)
    assert row == (figures.pages, figures.relevant, figures.requests, figures.bytes)
    assert hosts == sorted((host.host, host.visits, host.pages, host.relevant) for host in figures.hosts)
    assert outcomes == figures.outcomes


@pytest.mark.parametrize("damage", ["deleted", "cut", "foreign", "of another crawl"])
def test_an_index_that_is_damaged_is_made_anew(folder, damage, tmp_path):
    file = index_file(folder)
    if damage == "of another crawl":
        other = crawl_of(tmp_path / "other", [(page("x", "X", "nothing"), 0.1)])
        shutil.copy(index_file(other), file)
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:5000])
    else:
        file.unlink() if damage == "deleted" else file.write_text("no database")
    for rest in ("-wal", "-shm"):
        file.with_name(f"{file.name}{rest}").unlink(missing_ok=True)
    catch_up(folder)
    assert set(names(folder, "honey")) == {"hive", "cake"}


def postings(folder: CrawlFolder) -> list[object]:
    """Return everything an index holds."""
    with closing(sqlite3.connect(index_file(folder))) as index:
        index.execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, words, instance)")
        tables = ("done", "fact", "host", "bucket", "score", "tally")
        rows = [index.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables]
        return [*rows, index.execute("SELECT * FROM temp.v ORDER BY 1, 2, 3, 4").fetchall()]


CATCH_UP = (
    "import sys; from pathlib import Path; from thresher.search import index; index.GROUP = 5;"
    "from thresher.store.folder import CrawlFolder; index.catch_up(CrawlFolder(Path(sys.argv[1])))"
)


@pytest.mark.slow
@pytest.mark.posix
def test_an_index_whose_maker_was_killed_is_merely_behind(tmp_path):
    """Kill -9 again and again, then go on: equal to an index made at once, in every posting."""
    words = "honey bee queen hive wax comb nectar pollen drone swarm".split()
    pages = [
        (page(f"p{n}", words[n % 10], " ".join(words[(n * k) % 10] for k in range(1, 200))), n % 10 / 10)
        for n in range(300)
    ]
    folder = crawl_of(tmp_path / "killed", pages)
    whole = postings(folder)
    index_file(folder).unlink()
    seen = set()
    for attempt in range(5):
        child = subprocess.Popen([sys.executable, "-c", CATCH_UP, str(folder.path)])
        deadline = time.monotonic() + 20
        while child.poll() is None and behind(folder).indexed <= attempt * 20 and time.monotonic() < deadline:
            time.sleep(0.002)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        seen.add(behind(folder).indexed)
    assert len(seen) > 1, "no kill came in the middle"
    catch_up(folder)
    assert postings(folder) == whole


def test_leading_folders_are_searched_and_the_rest_are_words(folder, tmp_path, monkeypatch):
    other = crawl_of(tmp_path / "more", [(page("more", "Honey", "honey, more of it"), 0.6)])
    monkeypatch.chdir(tmp_path)
    ran = thresher("search", "bees", "more", "honey", "--json")
    assert [type(item) for item in json.loads(ran.out)] == [dict] * 3
    assert {Path(item["crawl"]).name for item in json.loads(ran.out)} == {"bees", other.path.name}
    assert thresher("search", "bees", "honey", "-flour").out.count("http://") == 1


def test_an_index_made_while_a_crawl_went_on_tells_what_the_crawl_says_at_its_end(tmp_path):
    folder = CrawlFolder(tmp_path / "bees")
    assert thresher("crawl", "beekeeping", "--pages", "60", "--delay", "0", "-o", str(folder.path)).code == 0
    catch_up(folder)
    with opened(folder) as index:
        words = index.execute("SELECT count(*) FROM words_docsize").fetchone()
    assert thresher("resume", str(folder.path), "--pages", "120").code == 0
    assert behind(folder).indexed, "the figures of before stay until the new ones are there"
    catch_up(folder)
    assert_says_what_the_crawl_says(folder)
    assert thresher("label", "--apply", str(folder.path), "--set", "judge.name=cosine").code == 0
    lag = behind(folder)
    assert lag.visits and lag.indexed
    assert not catch_up(folder, most=0).visits, "counted anew without a word indexed again"
    assert_says_what_the_crawl_says(folder)
    with opened(folder) as index:
        assert index.execute("SELECT count(*) FROM words_docsize").fetchone() == (2 * words[0],)


def assert_says_what_the_crawl_says(folder):
    store = folder.open()
    with opened(folder) as index:
        told = dict(index.execute("SELECT url, relevance FROM fact").fetchall())
        (relevant,) = index.execute("SELECT relevant FROM done").fetchone()
        (scored,) = index.execute("SELECT sum(pages) FROM score").fetchone()
        (by_host,) = index.execute("SELECT sum(relevant) FROM host").fetchone()
    assert len(told) == scored == 120
    assert {url: store.judged(url) for url in told} == told
    assert relevant == by_host == store.tally(store.facts.threshold).relevant
    store.close()


def test_the_command_marks_words_and_counts_pages(folder):
    ran = thresher("search", str(folder.path), "honey")
    assert "[Honey] cake" in ran.out
    assert ran.out.splitlines()[-1].startswith("2 pages found in ")
    assert thresher("search", str(folder.path), "nowhere").code == 1


def test_a_search_without_words_or_crawl_says_what_to_do(folder, tmp_path, monkeypatch):
    assert "Write words after the folder" in thresher("search", str(folder.path)).err
    monkeypatch.chdir(tmp_path / "bees")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert "No crawl here" in thresher("search", "honey").err


def test_an_index_is_made_in_one_transaction(folder, monkeypatch):
    """Who asks while it is made, or after it was cut off there, sees an empty index and no half of one."""
    told: list[int] = []
    for file in folder.path.glob("search.db*"):
        file.unlink()

    class Watched(sqlite3.Connection):
        def execute(self, *asked):
            behind(folder)
            with closing(connect(folder)) as index:
                told.append(len(index.execute("SELECT visit FROM done").fetchall()))
            return super().execute(*asked)

    made: Any = sqlite3.connect

    def watched(place, **more):
        return made(place, **more, **({"factory": Watched} if place == index_file(folder) else {}))

    monkeypatch.setattr(sqlite3, "connect", watched)
    catch_up(folder)
    assert len(told) > 5
    assert set(told) == {1}


def test_an_index_without_its_figures_is_empty_to_readers_and_made_anew(folder):
    catch_up(folder)
    with closing(sqlite3.connect(index_file(folder))) as index, index:
        index.execute("DELETE FROM done")
    assert behind(folder).indexed == 0
    assert catch_up(folder).visits == 0
    assert search([folder], "queen", 5)[0].total == 1
