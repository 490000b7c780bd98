"""A crawl is a folder: who may open it, and what becomes of one that was cut off at a bad moment."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from thresher.core.enums import Outcome, Request
from thresher.core.errors import ArchiveLost, CrawlExists, CrawlRunning, NotACrawl
from thresher.core.records import Candidate, Fetched, Page, Url, Visit
from thresher.store import codecs
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder
from thresher.store.schema import CrawlMetadata

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


@pytest.fixture
def folder(tmp_path) -> CrawlFolder:
    return CrawlFolder(tmp_path / "crawl")


def visit(path: str) -> Visit:
    candidate = Candidate(Url(f"http://a.test/{path}"))
    fetched = Fetched(candidate, candidate.url, 200, (), b"<p>", 1.7e9, head=HEAD, raw_body=path.encode())
    return Visit(candidate, Outcome.FETCHED, 1.7e9, status=200, fetched=fetched)


def visited(folder: CrawlFolder) -> list[str]:
    store = folder.open()
    urls = [str(visit.candidate.url) for visit in store.visits()]
    store.close()
    return urls


def archives(folder: CrawlFolder) -> list[Path]:
    return sorted(folder.archive.glob("*.warc.gz"))


def test_a_second_process_is_refused_by_name_until_the_first_has_closed(folder):
    store = folder.create("a = 1")
    with pytest.raises(CrawlRunning, match=r"Process \d+ is crawling in .*crawl"):
        folder.resume()
    store.close()
    folder.resume().close()


def test_a_folder_that_holds_a_crawl_is_not_begun_anew(folder):
    folder.create("a = 1").close()
    with pytest.raises(CrawlExists, match="thresher resume"):
        folder.create("a = 2")
    assert folder.settings.read_text() == "a = 1"


def test_a_database_without_tables_is_no_crawl_yet(folder):
    """The first process was killed between making the file and making the tables."""
    folder.path.mkdir()
    folder.database.with_name("crawl.sums").unlink(missing_ok=True)  # as if it had been written so
    connection = sqlite3.connect(folder.database)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with pytest.raises(NotACrawl, match="Make one with 'thresher crawl'"):
        folder.resume()
    folder.create("a = 1").close()
    assert visited(folder) == []


def test_a_file_that_is_no_database_is_named(folder):
    folder.path.mkdir()
    folder.database.write_text("not a database at all, but long enough to look like one " * 20)
    with pytest.raises(NotACrawl, match="cannot be read as a crawl"):
        folder.open()


@pytest.mark.parametrize("version", [5, 99], ids=["older", "newer"])
def test_a_crawl_of_another_version_is_refused_with_what_to_do_and_left_as_it_is(folder, version):
    folder.create("a = 1").close()
    folder.database.with_name("crawl.sums").unlink(missing_ok=True)  # as if it had been written so
    connection = sqlite3.connect(folder.database)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    refused = rf"has version {version} of the crawl format.*crawl anew into another folder"
    with pytest.raises(NotACrawl, match=refused):
        folder.open()
    for _ in range(2):  # the second time the lock must be free again
        with pytest.raises(NotACrawl, match=refused):
            folder.resume("a = 2")
    assert folder.settings.read_text() == "a = 1"


def test_what_was_not_acknowledged_is_cut_off_the_archive_and_kept_aside(folder):
    store = folder.create("a = 1")
    store.add(visit("1"))
    store.commit()
    store.add(visit("2"))
    store.abandon()
    (archive,) = archives(folder)
    archive.write_bytes(archive.read_bytes() + b"what the disk had when the power failed")
    store.close()
    folder.resume().close()
    assert visited(folder) == ["http://a.test/1"]
    (tail,) = folder.archive.glob("*.tail-*")
    assert tail.read_bytes() == b"what the disk had when the power failed"
    assert len((folder.archive / "index.cdxj").read_text().splitlines()) == 1


def test_an_archive_file_that_is_gone_stops_the_crawl_before_it_writes_another(folder):
    store = folder.create("a = 1")
    store.add(visit("1"))
    store.close()
    archives(folder)[0].unlink()
    with pytest.raises(ArchiveLost, match="put the whole file back"):
        folder.resume()


def test_the_index_is_written_by_the_next_process_if_the_last_one_could_not(folder):
    store = folder.create("a = 1")
    store.add(visit("1"))
    store.commit()
    store.abandon()  # as if killed: nothing more is written
    store.close()
    assert not (folder.archive / "index.cdxj").exists()
    folder.resume().close()
    assert len((folder.archive / "index.cdxj").read_text().splitlines()) == 1


class Counting:
    """A run that counts what it has seen."""

    seen = 0

    def leave(self, facts: CrawlMetadata) -> None:
        facts.refused = {"seen": self.seen}

    def entries(self) -> list[tuple[int, bytes]]:
        return [(self.seen, b"seen")]

    def sightings(self) -> list[bytes]:
        return [b"seen"]


def test_what_a_run_leaves_to_the_next_fits_the_visits_it_is_committed_with(folder):
    store, run = folder.create("a = 1"), Counting()
    store.follow(run)
    for run.seen, path in enumerate(("1", "2", "3"), 1):
        store.add(visit(path))
    store.commit()
    store.add(visit("4"))
    run.seen = 4
    store.facts.strategy = "best_first"
    store.abandon()
    store.close()
    reading = folder.open()
    assert (reading.facts.refused, len(list(reading.visits()))) == ({"seen": 3}, 3)
    assert (reading.facts.strategy, list(reading.entries())) == ("", [(3, b"seen")])
    reading.close()


def test_a_fact_is_there_for_readers_when_it_is_committed(folder):
    store = folder.create("a = 1")
    store.facts.strategy = "best_first"
    reading = folder.open()
    assert reading.facts.strategy == ""
    store.commit()
    assert reading.facts.strategy == "best_first"
    reading.close()
    store.close()


def test_facts_of_a_later_version_are_refused_with_what_to_do(folder):
    store = folder.create("a = 1")
    store.facts.version = 99
    store.close()
    with pytest.raises(NotACrawl, match=r"reads version 1.*crawl anew"):
        folder.resume()


NESTED = 200_000
ZSTD: Any = vars(codecs)["zstd"]  # of the library, or of Python itself


def test_facts_and_pages_nested_without_end_are_a_damaged_crawl_and_nothing_else(folder):
    store = folder.create("a = 1")
    store.add(replace(visit("a"), page=Page(Url("http://a.test/a"), "A", "a")))
    store.close()
    reading = folder.open()
    folder.database.with_name("crawl.sums").unlink(missing_ok=True)  # as if it had been written so
    with closing(sqlite3.connect(folder.database)) as database, database:
        (page,) = database.execute("SELECT page FROM page").fetchone()
        columns = msgspec.msgpack.encode([*msgspec.msgpack.decode(ZSTD.decompress(page)), 0])
        nested = columns[:-1] + b"\x91" * NESTED + b"\xc0"
        database.execute("UPDATE page SET page = ?", (ZSTD.compress(nested),))
        database.execute("INSERT INTO fact VALUES ('odd', ?)", ("[" * NESTED + "]" * NESTED,))
    with pytest.raises(NotACrawl, match="damaged"):
        list(reading.pages())
    with pytest.raises(NotACrawl, match="cannot be read"):
        _ = reading.facts
    reading.close()


def test_pages_after_a_visit_are_those_that_no_visit_up_to_it_fetched():
    """A judge that was kept after visit 1 has met the first page, and the second in neither version."""
    store, urls = Database(), [Url("http://a.test/1"), Url("http://a.test/2")]
    for kind in (Request.LINK, Request.REVISIT):
        for url in urls:
            store.add(Visit(Candidate(url, kind=kind), Outcome.FETCHED, 1.0, Page(url, text=kind.value)))
    assert [(each.candidate.url, each.page and each.page.text) for each in store.pages(1)] == [
        (urls[1], "revisit")
    ]
    assert len([*store.pages()]) == 2
    store.close()
