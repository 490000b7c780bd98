"""The archive of a crawl as one WARC file with its index: what is in it, and what is left out."""

import json

import pytest

from tests.command_line import thresher
from tests.faults.killing.evidence import captured_by_fastwarc, captured_by_warcio, is_clean
from tests.unit.warc.test_cdxj import captures_of
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Fetched, Link, Page, Url, Visit
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels
from thresher.warc.reader import read_at

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
PAGES = {
    "bees": (0.9, b"<p>bees"),
    "ants": (0.0, b"<p>ants"),
    "copy": (0.9, b"<p>ants"),
    "hive": (0.9, b"<p>hive"),
}


@pytest.fixture
def folder(tmp_path):
    """A crawl of four pages; the third has the payload of the second, which is not relevant."""
    folder = CrawlFolder(tmp_path / "crawl")
    store = folder.create()
    store.facts.threshold = 0.5
    for number, (name, (relevance, body)) in enumerate(PAGES.items()):
        candidate = Candidate(Url(f"http://a.test/{name}"))
        fetched = Fetched(
            candidate, candidate.url, 200, (("content-type", "text/html"),), body, 1.7e9 + number,
            request=b"GET / HTTP/1.1\r\n\r\n", head=HEAD, raw_body=body,
        )  # fmt: skip
        page = Page(candidate.url, name, links=(Link(candidate.url, candidate.url),))
        store.add(Visit(candidate, Outcome.FETCHED, 1.7e9 + number, page, relevance, 200, fetched=fetched))
    store.close()
    return folder


def urls(*names: str) -> list[str]:
    return [f"http://a.test/{name}" for name in names]


def test_everything_is_in_the_file_and_two_readers_agree(folder, tmp_path):
    target = tmp_path / "all.warc.gz"
    ran = thresher("export", str(folder.path), "-o", str(target))
    assert (ran.code, ran.err) == (0, f"4 responses in {target}, and their index beside it\n")
    assert is_clean(target)
    assert captured_by_warcio(target) == captured_by_fastwarc(target) == urls(*PAGES)


def test_the_index_leads_to_every_response(folder, tmp_path):
    thresher("export", str(folder.path), "-o", str(tmp_path / "all.warc.gz"))
    for url in urls(*PAGES):
        (capture,) = captures_of(url, tmp_path / "all.cdxj")
        with (tmp_path / capture.file).open("rb") as file:
            record = read_at(file, capture.file, capture.offset)
        assert record and record.uri == url


def test_relevant_pages_come_with_the_payload_they_refer_to(folder, tmp_path):
    target = tmp_path / "bees.warc.gz"
    thresher("export", str(folder.path), "--relevant", "-o", str(target))
    assert is_clean(target)
    assert captured_by_warcio(target) == urls("bees", "ants", "copy", "hive")
    kinds = [json.loads(line.split(" ", 2)[2])["mime"] for line in lines(tmp_path / "bees.cdxj")]
    assert sorted(kinds) == ["text/html", "text/html", "text/html", "warc/revisit"]


def test_a_warc_file_needs_a_name(folder):
    ran = thresher("export", str(folder.path), "-f", "warc")
    assert (ran.code, ran.out) == (2, "")
    assert "name the file, as in -o bees.warc.gz" in ran.err


def lines(path):
    return path.read_text().splitlines()


def test_what_the_user_refused_is_left_out_of_the_relevant_ones_and_what_he_wants_is_in(folder, tmp_path):
    Labels(folder.labels).add({Url(urls("hive")[0]): False, Url(urls("ants")[0]): True})
    target = tmp_path / "some.warc.gz"
    thresher("export", str(folder.path), "--relevant", "-o", str(target))
    assert captured_by_warcio(target) == urls("bees", "ants", "copy")
