"""`thresher why` on one screen: one number for one thing, and the rest behind --full."""

import json
import re
from pathlib import Path
from shutil import copytree

import pytest

from tests.command_line import thresher
from thresher.core.enums import Request
from thresher.core.records import Candidate, Url
from thresher.frontier.frontier import Workbench
from thresher.store.folder import CrawlFolder

NUMBER = re.compile(r"\d\.\d{3}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("why") / "bees"
    assert thresher("crawl", "beekeeping", "--pages", "150", "-o", str(place)).code == 0
    return place


@pytest.fixture(scope="module")
def page(folder) -> str:
    """The last relevant page that came by a link."""
    lines = thresher("export", str(folder), "--relevant").out.splitlines()
    return next(item["url"] for item in map(json.loads, reversed(lines)) if item["parent"])


@pytest.fixture(scope="module")
def waiting(folder) -> str:
    store = CrawlFolder(folder).open()
    try:
        links = [link for visit in store.visits() for link in store.outlinks(visit.candidate.url)]
        return next(str(link.target) for link in links if store.waiting(link.target))
    finally:
        store.close()


def above_the_way(told: str) -> list[str]:
    return NUMBER.findall(told.partition("The path from the seed")[0])


def test_why_has_one_number_for_the_relevance_one_for_the_contrast_and_one_for_the_price(folder, page):
    told = json.loads(thresher("why", page, str(folder), "--json").out)
    priority, judged = told["visits"][-1]["candidate"]["priority"], told["judged"]
    figures = [judged, told["asked"]["contrast"], priority]
    assert above_the_way(thresher("why", page, str(folder)).out) == [f"{each:.3f}" for each in figures]


def test_why_shows_the_relevance_of_its_first_line_on_the_way_from_the_seed_too(folder, page):
    lines = thresher("why", page, str(folder)).out.splitlines()
    judged = next(line for line in lines if line.startswith("  relevance")).split()[1].rstrip(":")
    assert next(line for line in lines if line.split()[2:3] == [page]).split()[1] == judged


def test_why_is_one_screen_and_says_in_words_what_changed_the_price(folder, page):
    lines = thresher("why", page, str(folder)).out.splitlines()
    above = lines[: next(n for n, line in enumerate(lines) if line.startswith("The path from the seed"))]
    assert len(above) <= 14
    assert any(line.startswith("  raised   by ") for line in above)
    assert lines[-1].startswith("--full shows ")


def test_after_a_revisit_why_tells_the_request_that_fetched_the_page(folder, tmp_path):
    """A look at a page that is known has no priority and no link of its own."""
    copy = CrawlFolder(tmp_path / "bees")
    copytree(folder, copy.path)
    assert thresher("revisit", str(copy.path), "--once", "--budget", "40").code == 0
    store = copy.open()
    revisits = [visit.candidate.url for visit in store.visits() if visit.candidate.kind is Request.REVISIT]
    store.close()
    for url in revisits[:5]:
        before, after = (
            json.loads(thresher("why", url, str(each), "--json").out)["asked"] for each in (folder, copy.path)
        )
        assert before == after
        lines = thresher("why", url, str(copy.path)).out.splitlines()
        first, again = (n for n, line in enumerate(lines) if " at 20" in line)
        assert lines[first].startswith("  fetched at ")
        assert lines[again].startswith("  looked at again: ")
        assert first < again


def test_what_waits_has_one_price(folder, waiting):
    told = thresher("why", waiting, str(folder)).out
    assert len(NUMBER.findall(told.replace(waiting, ""))) == 1
    assert "it waits at priority" in told


def test_where_a_request_was_redirected_says_whose_price_it_has(folder, tmp_path):
    copy, moved = CrawlFolder(tmp_path / "bees"), Url("http://moved.example/")
    copytree(folder, copy.path)
    store = copy.resume()
    onward = Candidate(moved, 0.7, redirects=1, kind=Request.REDIRECT)
    Workbench(shelf=store.shelf).offer([onward])
    store.close()
    told = thresher("why", moved, str(copy.path)).out
    assert "it waits at priority 0.700, at least that of the request that was redirected to it." in told


def test_full_has_every_term_of_the_price_and_what_was_learned(folder, page):
    told = thresher("why", page, str(folder), "--full").out
    assert "What thresher makes of it by all that it has learned until now\n" in told
    assert " learned = " in told
    assert "What the question judge saw\n" in told
    assert re.search(r"What \d+ pages have taught it: ", told)
    assert re.search(r"  hops left 0; \d+ links from a seed by the shortest path known", told)
