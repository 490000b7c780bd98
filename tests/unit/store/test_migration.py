"""A crawl that an older version wrote is brought up to date, or refused with what to do."""

import sqlite3

import pytest

from tests.unit.old_crawl import ECHO, LISTED, MAP, NEW, OLD, SEED, old_crawl
from thresher.core.enums import Detail, Origin
from thresher.core.errors import CrawlRunning, NotACrawl
from thresher.core.progress import NOTHING_LEFT, Finish, FinishKind
from thresher.core.records import Topic, Url
from thresher.export.items import items_of
from thresher.report.figures import figures_of
from thresher.store.database import Lock
from thresher.store.folder import CrawlFolder
from thresher.store.schema import Facts, State


@pytest.fixture
def folder(tmp_path) -> CrawlFolder:
    return old_crawl(CrawlFolder(tmp_path / "old"))


def test_what_older_visits_told_in_words_becomes_facts(folder):
    store = folder.open()
    visits = list(store.visits())
    store.close()
    assert [visit.moved_to for visit in visits] == [None, NEW, None, None, None]
    assert [visit.detail for visit in visits] == [None, None, Detail.SOFT_404, None, None]
    assert [visit.reason for visit in visits][1:3] == [f"moved to {NEW}", "soft 404"]


def test_where_older_links_came_from_is_told_apart_from_what_authors_wrote(folder):
    store = folder.open()
    ways = [visit.candidate.via for visit in store.visits() if visit.candidate.via]
    shown = [*store.outlinks(Url(SEED)), *store.outlinks(Url(MAP))]
    store.close()
    assert [(way.origin, way.rel) for way in ways] == [
        (Origin.PAGE, "nofollow"),
        (Origin.PAGE, ""),
        (Origin.ROBOTS_TXT, ""),
        (Origin.SITEMAP, ""),
    ]
    assert [(link.target, link.origin, link.rel) for link in shown] == [
        (MAP, Origin.ROBOTS_TXT, ""),
        (OLD, Origin.PAGE, ""),
        (LISTED, Origin.SITEMAP, ""),
    ]


def test_what_waits_in_an_older_crawl_waits_on(folder):
    store = folder.resume()
    first, second = (each.candidate for each in store.shelf.get([0, 1]))
    store.close()
    assert (first.url, first.priority, first.life, first.inherited, first.depth) == (ECHO, 0.5, 3, 0.25, 2)
    assert first.via and (first.via.target, first.via.anchor, first.via.place) == (
        ECHO,
        "ours",
        "html/body/a",
    )
    assert second.via and (second.via.origin, second.via.rel) == (Origin.BACKLINK, "")


def test_what_older_crawls_noted_in_sixteen_spellings_becomes_facts(folder):
    store = folder.open()
    facts = store.facts
    store.close()
    assert facts == Facts(
        topic=Topic("bees", {"bee": 1.0}),
        strategy="best_first",
        judge="cosine",
        threshold=0.5,
        seeds=(Url(SEED),),
        seconds=12.5,
        refused={"nofollow": 3},
        state=State(1, "7"),
        finish=Finish(FinishKind.PAGES, "page limit of 5 reached", 5),
        revisit_finish=NOTHING_LEFT,
        pass_new_pages=3,
        enrolled=2,
        telling_since=1000.5,
        indexed=5,
    )


@pytest.mark.parametrize(("note", "value"), [("refused", "{"), ("seconds", "long"), ("topic", "[]")])
def test_a_note_that_cannot_be_read_is_refused_with_what_to_do(folder, note, value):
    connection = sqlite3.connect(folder.database)
    connection.execute("UPDATE note SET value = ? WHERE name = ?", (value, note))
    connection.commit()
    connection.close()
    with pytest.raises(NotACrawl, match="Crawl anew"):
        folder.open()


def test_an_older_crawl_can_be_reported_and_exported(folder):
    assert figures_of(folder).reasons == {"moved to a page": 1, "soft 404": 1}
    assert [item.url for item in items_of(folder)] == [SEED, MAP]


def test_an_older_crawl_that_somebody_is_writing_is_left_alone(folder):
    lock = Lock(folder.path / "crawl.lock")
    with pytest.raises(CrawlRunning, match="Wait for it"):
        folder.open()
    lock.release()
    folder.open().close()


def test_a_crawl_cut_off_while_it_is_brought_up_to_date_is_as_it_was(folder):
    connection = sqlite3.connect(folder.database)
    connection.execute("UPDATE waiting SET candidate = X'00' WHERE arrival = 1")
    connection.commit()
    with pytest.raises(NotACrawl, match="Crawl anew"):
        folder.open()
    assert connection.execute("PRAGMA user_version").fetchone() == (3,)
    assert connection.execute("SELECT count(*) FROM pragma_table_info('visit')").fetchone() == (12,)
    connection.close()


def test_a_version_that_nobody_reads_any_more_is_refused_with_what_to_do(folder):
    connection = sqlite3.connect(folder.database)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(NotACrawl, match=r"has version 2 of the crawl format.*crawl anew into another folder"):
        folder.open()
