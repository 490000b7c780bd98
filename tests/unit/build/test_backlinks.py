"""Back-links in a whole crawl: whom the settings let it ask, how often, and what is refused beforehand."""

import asyncio
from dataclasses import replace
from unittest.mock import patch

import pytest

from thresher.build.crawl import run
from thresher.build.revisit import revisit
from thresher.build.webs import check_backlinks, make_backlinks, make_world
from thresher.core.enums import Origin, Outcome, Request
from thresher.core.errors import NoBacklinks, NotACrawl, SettingsError
from thresher.engine.revisit import RevisitTask
from thresher.settings.components import Secret
from thresher.settings.load import read
from thresher.settings.model import BacklinkSettings, Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher_practice import PracticeWeb


def crawled(folder, resume: bool = False, **backlinks):
    """Crawl the practice web with CT-FC, which asks at once, and return its questions."""
    asked = {"strategy": "ctfc", "strategy.eager": True, "strategy.weak_parent": True, "backlinks": backlinks}
    settings = read(None, [("topic", "beekeeping"), *asked.items(), ("pages", 60 if resume else 40)])
    crawl = CrawlFolder(folder)
    result = asyncio.run(run(settings, crawl, resume=resume))
    reading = crawl.open()
    try:
        questions = [visit for visit in reading.visits() if visit.candidate.kind is Request.BACKLINKS]
    finally:
        reading.close()
    assert result.outcomes["asked for back-links"] == len(questions)  # they are requests, and told as such
    return questions


def test_a_crawl_asks_as_often_as_it_may_and_is_refused_afterwards(tmp_path):
    questions = crawled(tmp_path / "crawl", questions=3)
    assert [visit.outcome for visit in questions[:3]] == [Outcome.FETCHED] * 3
    assert {visit.outcome for visit in questions[3:]} == {Outcome.REFUSED}
    assert "spent" in questions[3].reason


def test_questions_go_on_counting_when_the_crawl_is_resumed(tmp_path):
    before = crawled(tmp_path / "crawl", questions=3)
    after = crawled(tmp_path / "crawl", resume=True, questions=3)
    assert len(after) > len(before)
    assert sum(visit.outcome is Outcome.FETCHED for visit in after) == 3


def test_without_a_source_every_question_is_refused_and_the_crawl_goes_on(tmp_path):
    with patch.object(PracticeWeb, "citing", side_effect=NoBacklinks("no source of back-links is set")):
        questions = crawled(tmp_path / "crawl", folders=False)
    assert {visit.outcome for visit in questions} == {Outcome.REFUSED}
    assert "no source of back-links" in questions[0].reason


def test_another_crawl_tells_which_of_its_pages_link_to_a_page(tmp_path):
    """Its links are asked as they were found; a folder that holds no crawl is refused beforehand."""
    first = tmp_path / "first"
    crawled(first)
    settings = read(
        None, [("topic", "beekeeping"), ("backlinks.crawl", str(first)), ("web.kind", "practice")]
    )
    store = CrawlFolder(first).open()
    known = next(link for visit in store.visits() for link in store.outlinks(visit.candidate.url))
    expected = {link.source for link in store.inlinks(known.target)}
    store.close()
    world = make_world(settings)
    source = make_backlinks(
        settings, replace(world, backlinks=None), Database(), CrawlFolder(tmp_path / "second")
    )
    answer = asyncio.run(source.who_links_to(known.target))
    assert expected <= {link.source for link in answer}
    assert {link.origin for link in answer if link.source in expected} == {Origin.BACKLINK}
    with pytest.raises(NotACrawl):
        check_backlinks(read(None, [("topic", "x"), ("backlinks.crawl", str(tmp_path / "nowhere"))]))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [({"file": "nowhere.gz"}, "backlinks.file"), ({"vertices": "nowhere.gz"}, "backlinks.vertices"),
     ({"endpoint": Secret("http://links.test/")}, "{url}")],
)  # fmt: skip
def test_what_cannot_work_is_refused_before_the_crawl(asked, sentence):
    with pytest.raises(SettingsError) as refused:
        check_backlinks(Settings(backlinks=BacklinkSettings(**asked)))
    assert sentence in str(refused.value)


def test_a_revisit_asks_as_the_crawl_did(tmp_path):
    """New pages are found then, too; a question is no request for the page itself."""
    before = crawled(tmp_path / "crawl")
    folder = CrawlFolder(tmp_path / "crawl")
    errand = RevisitTask(30.0, once=True, discover=0.9)
    asyncio.run(revisit(folder, errand, read(folder.settings, [])))
    reading = folder.open()
    after = [visit for visit in reading.visits() if visit.candidate.kind is Request.BACKLINKS]
    reading.close()
    assert len(after) > len(before)
    assert {visit.outcome for visit in after} == {Outcome.FETCHED}
    assert {visit.record for visit in after} == {""}, "an answer is no page of the web"
