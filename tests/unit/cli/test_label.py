"""The verb `label`, on a crawl of the practice web."""

import json
from io import StringIO
from shutil import copytree
from typing import Any

import pytest

from tests.command_line import thresher
from thresher.core.records import Url
from thresher.judges.list_check import near
from thresher.store.folder import CrawlFolder


@pytest.fixture(scope="module")
def crawl(tmp_path_factory) -> CrawlFolder:
    folder = tmp_path_factory.mktemp("label") / "bees"
    asked = ["--strategy", "thresher", "--pages", "40", "--delay", "0", "-o", str(folder)]
    assert thresher("crawl", "beekeeping", *asked).code == 0
    return CrawlFolder(folder)


def fetched(crawl: CrawlFolder) -> list[str]:
    store = crawl.open()
    urls: list[str] = [visit.candidate.url for visit in store.visits() if visit.outcome.value == "fetched"]
    store.close()
    return urls


def test_a_label_is_written_beside_the_crawl_and_learned_when_it_goes_on(crawl):
    url = fetched(crawl)[5]
    ran = thresher("label", str(crawl.path), url, "yes")
    assert ran.code == 0
    assert ran.out.startswith("1 page labelled.")
    assert "as soon as one is labelled no, too" in ran.out
    assert thresher("resume", str(crawl.path), "--pages", "60").code == 0
    store = crawl.open()
    assert f'"{url}":true' in store.facts.state.head
    store.close()


def test_many_labels_come_from_a_table_and_a_page_that_was_not_fetched_is_named(crawl, tmp_path):
    table = tmp_path / "mine.csv"
    one, other = fetched(crawl)[7:9]
    table.write_text(f"{one},no\n{other},yes\nhttp://nowhere.test/,yes\n")
    ran = thresher("label", str(crawl.path), "--csv", str(table))
    assert ran.out.startswith("2 pages labelled. It counts as you said")
    assert "http://nowhere.test/ was not fetched" in ran.err


def test_whoever_labels_only_what_was_not_fetched_is_told_where_to_find_pages(tmp_path):
    folder = str(tmp_path / "bees")
    assert thresher("crawl", "beekeeping", "--pages", "3", "--delay", "0", "-o", folder).code == 0
    ran = thresher("label", folder, "http://nowhere.test/", "no")
    assert ran.code == 1
    assert "0 pages labelled. Name pages that were fetched" in ran.out


def test_whoever_labels_a_crawl_that_does_not_learn_is_told_so(tmp_path):
    plain = CrawlFolder(tmp_path / "plain")
    asked = ["--strategy", "best_first", "--pages", "3", "--delay", "0", "-o", str(plain.path)]
    assert thresher("crawl", "beekeeping", *asked).code == 0
    ran = thresher("label", str(plain.path), fetched(plain)[0], "yes")
    assert ran.code == 0
    assert "best_first learns nothing from it" in ran.out


def test_an_answer_that_is_none_is_asked_for(crawl):
    ran = thresher("label", str(crawl.path), fetched(crawl)[3], "perhaps")
    assert ran.code == 2
    assert "yes or no" in ran.err


def test_a_few_labels_are_said_to_move_their_pages_and_hardly_the_list(crawl):
    said = thresher("label", str(crawl.path), fetched(crawl)[9], "yes").out
    assert "labels move these pages, hardly the list of " in said
    assert f"'thresher label {crawl.path} --sample 20' tells how right that is." in said


def test_labels_that_contradict_each_other_are_told_and_the_last_one_counts(crawl, tmp_path):
    table, url = tmp_path / "both.csv", fetched(crawl)[11]
    table.write_text(f"{url},yes\n{url},no\n")
    ran = thresher("label", str(crawl.path), "--csv", str(table))
    assert ran.err == f"{url} was labelled yes and no; the last one counts.\n"
    again = thresher("label", str(crawl.path), url, "yes")
    assert again.err == ran.err
    store = crawl.open()
    assert store.label(Url(url)) is True
    store.close()


@pytest.fixture
def fresh(crawl, tmp_path) -> str:
    copytree(crawl.path, tmp_path / "fresh")
    (tmp_path / "fresh" / "labels.csv").unlink(missing_ok=True)
    return str(tmp_path / "fresh")


def sampled(folder: str, *arguments: str, stdin: str = "") -> dict[str, Any]:
    told: dict[str, Any] = json.loads(thresher("label", folder, "--json", *arguments, stdin=stdin).out)
    return told


def test_a_sample_drawn_twice_is_the_same_and_a_larger_one_begins_with_it(fresh):
    first = [page["url"] for page in sampled(fresh, "--sample", "8", "--dry-run")["sample"]["pages"]]
    again = [page["url"] for page in sampled(fresh, "--sample", "8", "--dry-run")["sample"]["pages"]]
    larger = [page["url"] for page in sampled(fresh, "--sample", "16", "--dry-run")["sample"]["pages"]]
    assert len(first) == 8
    assert first == again
    assert set(first) < set(larger)


def test_answers_from_a_pipe_tell_the_precision_of_the_list_with_its_interval(fresh):
    drawn = sampled(fresh, "--sample", "8", "--dry-run")["sample"]["pages"]
    answers = "".join("y\n" if page["on_list"] else "n\n" for page in drawn)
    ran = thresher("label", fresh, "--sample", "8", stdin=answers)
    right = sum(page["on_list"] for page in drawn)
    assert ran.out.startswith(
        "8 pages labelled; 0 pages of them count otherwise now.\nPrecision 100% (95 % between"
    )
    assert f"{right} of {right} drawn from the list" in ran.out
    assert "The threshold stays" in ran.out or "By the labels the threshold is" in ran.out
    assert sampled(fresh, "--sample", "8")["sample"]["precision"]["asked"] == right


def test_answers_may_come_as_a_table_and_what_has_none_is_asked_next_time(fresh, tmp_path):
    drawn = sampled(fresh, "--sample", "8", "--dry-run")["sample"]["pages"]
    table = tmp_path / "answers.csv"
    table.write_text("".join(f"{page['url']},yes\n" for page in drawn[:5]))
    assert (
        "3 pages drawn without an answer."
        in thresher("label", fresh, "--sample", "8", "--csv", str(table)).out
    )
    ran = thresher("label", fresh, "--sample", "8", stdin="n\ns\nq\n")
    assert "\n1 of 3  " in ran.err
    assert ran.out.startswith("1 page labelled")


def test_an_answer_from_a_pipe_that_is_none_is_refused_with_its_page(fresh):
    ran = thresher("label", fresh, "--sample", "4", stdin="perhaps\n")
    assert ran.code == 2
    assert "'perhaps' is not an answer to http" in ran.err


def test_labels_against_the_list_move_the_threshold_when_the_crawl_is_judged_again(fresh):
    before = sampled(fresh, "--sample", "40", "--dry-run")["sample"]
    low, high = near(before["threshold"])
    pages = [page for page in before["pages"] if low <= page["relevance"] <= high]
    assert pages
    for page in pages:
        assert thresher("label", fresh, page["url"], "no").code == 0
    told = sampled(fresh, "--sample", "40", "--dry-run")["sample"]
    assert told["threshold_by_labels"] > before["threshold"]
    assert thresher("label", "--apply", fresh).code == 0
    after = sampled(fresh, "--sample", "40", "--dry-run")["sample"]
    assert after["threshold"] > before["threshold"]


class Terminal(StringIO):
    """A standard input that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_at_a_terminal_one_key_is_an_answer_and_any_other_is_asked_for_again(fresh, monkeypatch):
    keys = iter("yxnq")
    monkeypatch.setattr("tests.command_line.StringIO", Terminal)
    monkeypatch.setattr("click.getchar", lambda: next(keys))
    answered = [page["label"] for page in sampled(fresh, "--sample", "6")["sample"]["pages"]]
    assert answered == [True, False, None, None, None, None]
