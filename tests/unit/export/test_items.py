"""Pages for other programs: where a redirect began, and files that are whole or not there."""

from io import BytesIO

import msgspec
import pytest

from thresher.core.enums import Outcome
from thresher.core.files import atomic_write
from thresher.core.records import Candidate, Link, Page, Url, Visit
from thresher.export.items import FIELDS, Item, Selection, items_of, pages_of
from thresher.export.text import Csv, JsonLines
from thresher.export.wording import counted, duration, harvest, many, moment, number, plain, size
from thresher.store.folder import CrawlFolder

A, B, C = Url("http://a.org/"), Url("http://b.org/"), Url("http://c.org/")


@pytest.fixture
def folder(tmp_path) -> CrawlFolder:
    """A seed that redirects twice, and a page that it links to."""
    folder = CrawlFolder(tmp_path / "small")
    store = folder.create()
    store.facts.threshold = 0.5
    link = Link(C, Url("http://d.org/"), anchor='a, "quoted"\nanchor')
    for visit in (
        Visit(Candidate(A), Outcome.MOVED, 1.0, status=301, moved_to=B),
        Visit(Candidate(B, redirects=1), Outcome.MOVED, 2.0, status=301, moved_to=C),
        Visit(Candidate(C, redirects=2), Outcome.FETCHED, 3.0, Page(C, "蜂", "text"), 0.7, 200),
        Visit(Candidate(link.target, via=link, depth=1), Outcome.FETCHED, 4.0, Page(link.target), 0.2, 200),
    ):
        store.add(visit)
    store.close()
    return folder


def test_an_item_knows_what_was_asked_before_the_redirects(folder):
    first, second = items_of(folder)
    assert (first.url, first.requested_url, first.fetched_at) == (C, A, "1970-01-01T00:00:03Z")
    assert (second.url, second.requested_url, second.parent) == ("http://d.org/", "http://d.org/", C)
    assert (first.is_relevant, second.is_relevant) == (True, False)


def test_only_the_relevant_ones(folder):
    assert [item.url for item in items_of(folder, Selection(relevant=True))] == [C]


def test_json_lines_read_back_to_the_items(folder):
    file = BytesIO()
    with pages_of(folder, fields=Item.__struct_fields__) as pages:
        assert JsonLines().write(pages, file) == 2
    lines = file.getvalue().splitlines()
    assert [msgspec.json.decode(line, type=Item) for line in lines] == list(items_of(folder))
    assert "蜂".encode() in lines[0]


def test_csv_quotes_what_it_must(folder):
    file = BytesIO()
    with pages_of(folder) as pages:
        assert Csv().write(pages, file) == 2
    assert file.getvalue().decode().splitlines()[0].split(",") == list(FIELDS)
    assert b',"a, ""quoted""\nanchor",' in file.getvalue()


def test_a_file_that_is_not_finished_never_takes_the_place_of_the_old_one(tmp_path):
    target = tmp_path / "pages.jsonl"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_write(target) as file:
        file.write(b"new")
        raise ZeroDivisionError
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    with atomic_write(target) as file:
        file.write(b"new")
    assert target.read_text() == "new"


def test_figures_read_as_people_write_them():
    assert number(10_000) == "10,000"
    assert harvest(2967, 10_000) == "2,967 of 10,000 pages relevant (29.7 %)"
    assert harvest(0, 0) == "0 of 0 pages relevant (0.0 %)"
    assert (many(1, "link"), many(2, "link")) == ("1 link", "2 links")
    assert counted({"moved": 2, "fetched": 1200, "gone": 2}) == "1,200 fetched, 2 gone, 2 moved"
    assert [duration(each) for each in (0.25, 42, 200, 3900, 7200, 183_600)] == [
        "0.2 s",
        "42 s",
        "3 min 20 s",
        "1 h 5 min",
        "2 h",
        "2 d 3 h",
    ]
    assert [size(each) for each in (12, 3_200_000)] == ["12 bytes", "3.2 MB"]
    assert moment(0) == "1970-01-01T00:00:00Z"


def test_foreign_text_cannot_drive_a_terminal():
    assert plain("\x1b[31mred\x07\r\n\u202eback 蜜蜂") == "[31mred back 蜜蜂"
    assert plain("a long title", 7) == "a long…"
