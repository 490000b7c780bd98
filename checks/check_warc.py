"""Our archive reader and writer against good and broken archives that others made."""

import json
import os
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from warcio.bufferedreaders import BufferedReader
from warcio.checker import Checker

from tests.reference.cdxj import write_index
from thresher.core.url import parse
from thresher.warc.capture import HttpExchange
from thresher.warc.reader import WarcReader
from thresher.warc.record import parse_message
from thresher.warc.stream import Faults
from thresher.warc.writer import WarcWriter
from thresher_lab.archive_scan import read_file
from thresher_lab.archive_web import ArchiveWeb

SHARED = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set"))
FOLDER = SHARED / "faults" / "data" / "warc"
CORPORA = SHARED / "corpora"


def manifest():
    path = FOLDER / "manifest.json"
    return json.loads(path.read_text()) if path.exists() else []


CASES = {case["file"]: case for case in manifest()}
GOOD = [name for name, case in CASES.items() if case["class"] == "good"]
ARCHIVES = [name for name, case in CASES.items() if case["format"] != "gzip" and not name.endswith(".lz4")]
PACKED = [name for name in GOOD if name.endswith(".warc.gz")]


def records_of(data, faults=None):
    return list(WarcReader(BytesIO(data), "test", faults or Faults()).records())


def expected(case):
    """Return how many records a case holds by the better of the two readers that are not ours."""
    return max(case["warcio"]["records"], case["fastwarc"]["records"])


def test_the_data_is_there():
    assert len(CASES) == 81, "set THRESHER_SHARED to the folder with faults and corpora"


@pytest.mark.parametrize("name", CASES)
def test_no_file_makes_the_reader_raise_and_nothing_is_dropped_in_silence(name):
    faults = Faults()
    found = list(read_file(FOLDER / name, faults))
    assert found or len(faults) or name.endswith("empty.gz")


@pytest.mark.parametrize("name", GOOD)
def test_a_good_file_is_read_whole(name):
    faults = Faults()
    found = list(read_file(FOLDER / name, faults))
    if name.endswith(".lz4"):
        assert not found and faults.counts == {"format": 1}
    else:
        assert len(found) == expected(CASES[name])


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_broken_file_gives_no_less_than_other_readers(name):
    assert len(list(read_file(FOLDER / name))) >= expected(CASES[name])


@pytest.mark.parametrize("name", PACKED)
def test_a_good_file_cut_anywhere_gives_every_whole_record(name):
    data = (FOLDER / name).read_bytes()
    whole = records_of(data)
    ends = [record.place.offset + record.place.length for record in whole]
    step = 1 if len(data) < 5_000 else len(data) // 500
    for cut in range(0, len(data), step):
        found = records_of(data[:cut])
        count = sum(end <= cut for end in ends)
        assert [record.block for record in found[:count]] == [record.block for record in whole[:count]]


@pytest.mark.parametrize("name", CASES)
def test_what_was_read_can_be_written_clean_and_indexed_whole(name, tmp_path):
    """Every response of every file goes through our writer; warcio finds the result clean."""
    writer = WarcWriter(tmp_path)
    count = 0
    for record in read_file(FOLDER / name):
        message = parse_message(record.block)
        if record.kind == "response" and message and record.uri.startswith("http"):
            raw_body = record.block[len(message.head) :]
            writer.write(HttpExchange(record.uri, record.at, message.head, raw_body))
            count += 1
    writer.close()
    if writer.path:
        BufferedReader.DECOMPRESSORS.pop(
            "br", None
        )  # warcio 1.8 crashes with brotli 1.2, whatever the payload
        assert Checker(SimpleNamespace(inputs=[str(writer.path)], verbose=False)).process_all() == 0
        assert write_index(tmp_path, tmp_path / "index.cdxj") == count


@pytest.mark.parametrize("name", CASES)
async def test_every_file_opens_as_a_web_that_answers(name):
    with ArchiveWeb(FOLDER / name) as web:
        for url, fetched in web.pages():
            assert fetched.url == url and 200 <= fetched.status < 300


@pytest.mark.parametrize(
    "corpus, pages, redirects",
    [("dev-webkb", 8214, 1219), ("dev-wikispeedia", 5022, 0), ("dev-zhblogs", 3752, 340)],
)
def test_a_corpus_is_a_web_with_every_page_it_lists(corpus, pages, redirects):
    """The counts are those of the corpora's own README files; two redirects of webkb lead to themselves."""
    with ArchiveWeb(CORPORA / corpus / "pages.warc.gz") as web:
        captures = [web.index.latest(url) for url in web.index]
        statuses = [capture.status for capture in captures if capture]
        lines = (CORPORA / corpus / "labels.tsv").read_text().splitlines()
        labelled = [line.split("\t")[0] for line in lines]
        assert statuses.count(200) == pages
        assert len(statuses) - pages + web.index.left_out.total() == redirects
        assert [web.spelling(parse(url)) for url in labelled] == labelled
        assert not web.index.faults
