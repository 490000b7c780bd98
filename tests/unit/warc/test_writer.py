"""What the archive writer puts on disk, held against two readers that are not ours."""

import errno
import gzip
import itertools
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import BufferedReader
from warcio.checker import Checker

from thresher.core.errors import ArchiveLost
from thresher.warc.capture import HttpExchange, Original
from thresher.warc.files import DiskFile, LocalVolume, cut
from thresher.warc.record import RecordLocation, digest
from thresher.warc.writer import WarcWriter
from thresher_lab.archive_scan import read_file

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
NOON = 1_700_000_000.25


def page(number=1, body=b"<p>hello", **fields):
    return HttpExchange(f"http://example.org/{number}", NOON + number, HEAD, body, **fields)


def writer_in(folder, opener=DiskFile, **options):
    ids = (f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>" for number in itertools.count())
    return WarcWriter(LocalVolume(folder, opener), now=lambda: NOON, make_id=lambda: next(ids), **options)


def write(folder, *exchanges, **options):
    writer = writer_in(folder, **options)
    places = [writer.write(exchange) for exchange in exchanges]
    writer.close()
    return folder / writer.name, places


def is_clean(path):
    BufferedReader.DECOMPRESSORS.pop("br", None)  # warcio 1.8 crashes with brotli 1.2, whatever the payload
    return Checker(SimpleNamespace(inputs=[str(path)], verbose=False)).process_all() == 0


def kinds_by_warcio(path):
    with path.open("rb") as file:
        return [record.rec_type for record in ArchiveIterator(file)]


def kinds_by_fastwarc(path):
    with path.open("rb") as file:
        return [str(record.record_type) for record in FastIterator(file)]


def test_an_exchange_is_response_request_and_metadata(tmp_path):
    path, _ = write(tmp_path, page(request=b"GET /1 HTTP/1.1\r\n\r\n", facts={"relevance": "0.75"}))
    expected = ["warcinfo", "response", "request", "metadata"]
    assert kinds_by_warcio(path) == kinds_by_fastwarc(path) == expected
    assert is_clean(path)


def test_the_http_bytes_are_kept_exactly(tmp_path):
    head = b"HTTP/1.0 200  odd   spacing\r\nX-Twice: 1\r\nx-twice: \xff\r\n\r\n"
    path, _ = write(tmp_path, HttpExchange("http://example.org/", NOON, head, b"\x00\xff\r\n\r\n"))
    *_, record = read_file(path)
    assert record.block == head + b"\x00\xff\r\n\r\n"


def test_the_name_says_prefix_moment_and_serial(tmp_path):
    path, _ = write(tmp_path, page())
    assert path.name == "thresher-20231114221320-00000.warc.gz"


def test_the_same_exchanges_give_the_same_bytes(tmp_path):
    one, _ = write(tmp_path / "one", page(1), page(2))
    other, _ = write(tmp_path / "other", page(1), page(2))
    assert one.read_bytes() == other.read_bytes()


def test_every_record_can_be_read_alone_at_its_place(tmp_path):
    path, places = write(tmp_path, page(1), page(2), page(3))
    for number, place in enumerate(places, start=1):
        packed = path.read_bytes()[place.offset : place.offset + place.length]
        assert f"WARC-Target-URI: http://example.org/{number}\r\n".encode() in gzip.decompress(packed)
    assert str(places[1]) == f"{path.name}#{places[1].offset}"


def test_digests_are_sha256_of_block_and_payload(tmp_path):
    path, _ = write(tmp_path, page(body=b"hello"))
    *_, record = read_file(path)
    assert record.header("warc-block-digest") == digest((HEAD + b"hello",))
    assert record.header("warc-payload-digest") == digest((b"hello",))


def test_sha1_is_there_for_those_who_want_it(tmp_path):
    path, _ = write(tmp_path, page(body=b"hello"), algorithm="sha1")
    *_, record = read_file(path)
    assert record.header("warc-payload-digest") == "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"
    assert is_clean(path)


def test_a_payload_seen_before_becomes_a_revisit(tmp_path):
    original = Original("http://example.org/1", NOON, "<urn:uuid:1>")
    path, _ = write(tmp_path, page(1), page(2, original=original))
    *_, record = read_file(path)
    assert record.kind == "revisit" and record.block == HEAD
    assert record.header("warc-profile").endswith("identical-payload-digest")
    assert record.header("warc-refers-to-target-uri") == "http://example.org/1"
    assert record.header("warc-refers-to") == "<urn:uuid:1>"
    assert record.header("warc-payload-digest") == digest((b"<p>hello",))
    assert is_clean(path) and kinds_by_fastwarc(path)[-1] == "revisit"


def test_not_modified_has_its_own_profile(tmp_path):
    head = b"HTTP/1.1 304 Not Modified\r\n\r\n"
    original = Original("http://example.org/", NOON)
    path, _ = write(tmp_path, HttpExchange("http://example.org/", NOON, head, original=original))
    *_, record = read_file(path)
    assert record.header("warc-profile").endswith("server-not-modified")
    assert is_clean(path)


def test_what_was_cut_off_says_so(tmp_path):
    path, _ = write(tmp_path, page(truncated="length"))
    *_, record = read_file(path)
    assert record.header("warc-truncated") == "length"


HEADS = {
    "bare line feeds": b"HTTP/1.1 200 OK\nA: b\n\n",
    "a line of spaces": b"HTTP/1.1 200 OK\r\nA: b\r\n \r\nC: d\r\n\r\n",
    "no blank line": b"HTTP/1.1 200 OK\r\nA: b\r\n",
    "no colon": b"HTTP/1.1 200 OK\r\nnonsense\r\n\r\n",
    "not HTTP": b"ICY 200 OK\r\nA: \xff\xfe\r\n\r\n",
    "control characters": b"HTTP/1.1 200 OK\rX\r\nA: \x00\r\n\r\n",
    "chunked, it says": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "gzip, it says": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
    "brotli, it says": b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n",
    "nothing": b"",
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_whatever_a_server_sends_the_file_is_clean(tmp_path, head):
    path, _ = write(tmp_path, HttpExchange("http://example.org/", NOON, head, b"5\r\nhello"), page(2))
    assert is_clean(path)
    assert kinds_by_warcio(path) == kinds_by_fastwarc(path) == ["warcinfo", "response", "response"]


def test_a_fact_never_grows_a_second_header_line(tmp_path):
    path, _ = write(tmp_path, page(facts={"reason": "a\r\nWARC-Type: response"}, address="::1\r\nX: y"))
    *_, response, metadata = read_file(path)
    assert metadata.block == b"reason: a WARC-Type: response\r\n"
    assert response.header("x") == ""
    assert is_clean(path)


def test_a_full_file_is_followed_by_the_next(tmp_path):
    _, places = write(tmp_path, *(page(number) for number in range(5)), roll_at=900)
    files = sorted(tmp_path.iterdir())
    assert [file.name[-13:-8] for file in files] == [f"{number:05d}" for number in range(len(files))]
    assert len(files) > 1 and {place.file for place in places} == {file.name for file in files}
    assert all(is_clean(file) and kinds_by_warcio(file)[0] == "warcinfo" for file in files)


def test_nothing_is_in_the_file_before_flush(tmp_path):
    writer = writer_in(tmp_path)
    writer.write(page())
    assert (tmp_path / writer.name).stat().st_size == 0 == writer.good
    writer.flush(sync=True)
    assert (tmp_path / writer.name).stat().st_size == writer.good > 0
    writer.close()


def test_a_cut_file_goes_on_where_it_was_cut(tmp_path):
    path, places = write(tmp_path, page(1), page(2))
    tail = path.read_bytes()[places[1].offset :]
    aside = cut(path, places[1].offset)
    assert aside is not None and aside.read_bytes() == tail and not aside.name.endswith(".gz")
    writer = writer_in(tmp_path, resume=path.name)
    place = writer.write(page(3))
    writer.close()
    assert place == RecordLocation(path.name, places[1].offset, place.length)
    assert [record.uri[-1:] for record in read_file(path)] == ["", "1", "3"]
    assert is_clean(path)


def test_a_cut_that_was_cut_short_can_be_made_again(tmp_path):
    """Killed after the copy and before the file was shortened: the copy is found and used."""
    path, places = write(tmp_path, page(1), page(2))
    offset = places[1].offset
    path.with_name(f"{path.name}.tail-{offset}").write_bytes(path.read_bytes()[offset:])
    path.with_name(f"{path.name}.tail-{offset}.part").write_bytes(b"half a cop")
    cut(path, offset)
    assert path.stat().st_size == offset
    assert len([file for file in tmp_path.iterdir() if file.name.endswith(f"tail-{offset}")]) == 1


def test_another_tail_at_the_same_place_gets_its_own_name(tmp_path):
    path, places = write(tmp_path, page(1), page(2))
    offset = places[1].offset
    whole = path.read_bytes()
    first = cut(path, offset)
    path.write_bytes(whole[:offset] + b"something else")
    second = cut(path, offset)
    assert first is not None and first.read_bytes() == whole[offset:]
    assert second is not None and second.read_bytes() == b"something else" and second != first


def test_a_file_nobody_knows_is_set_aside_whole(tmp_path):
    path, _ = write(tmp_path, page(1))
    aside = cut(path, 0)
    assert aside is not None and aside.exists() and not path.exists()
    again, _ = write(tmp_path, page(1))
    assert again.name.endswith("-00001.warc.gz")


def test_nothing_to_cut_is_nothing_done(tmp_path):
    path, _ = write(tmp_path, page(1))
    assert cut(path, path.stat().st_size) is None
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_shorter_than_what_is_known_is_said_loudly(tmp_path):
    path, _ = write(tmp_path, page(1))
    with pytest.raises(ArchiveLost, match="put the whole file back"):
        cut(path, path.stat().st_size + 1)


class Failing:
    """A disk on which the n-th write or sync fails, after taking a part of the bytes."""

    def __init__(self, at, error=errno.ENOSPC):
        self.left, self.error = at, error

    def __call__(self, path):
        return FailingFile(DiskFile(path), self)


class FailingFile:
    def __init__(self, file, disk):
        self.file, self.disk = file, disk

    def write(self, data):
        self.disk.left -= 1
        if self.disk.left == 0:
            self.file.write(data[: len(data) // 2])
            raise OSError(self.disk.error, "the disk says no")
        return self.file.write(data[: len(data) // 2 + 1])  # a short write, every time

    def sync(self):
        self.disk.left -= 1
        if self.disk.left == 0:
            raise OSError(self.disk.error, "the disk says no")
        self.file.sync()

    def close(self):
        self.file.close()


@pytest.mark.parametrize("at", range(1, 40))
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
def test_whichever_write_or_sync_fails_the_file_can_be_made_whole(tmp_path, at, error):
    writer = writer_in(tmp_path, opener=Failing(at, error))
    kept = []
    with pytest.raises(OSError, match="the disk says no"):
        for number in range(100):
            kept.append(writer.write(page(number)))
            writer.flush(sync=True)
    with pytest.raises(OSError, match="the disk says no"):
        writer.write(page())
    writer.close()
    path = tmp_path / writer.name
    cut(path, writer.good)
    whole = [record.uri for record in read_file(path)] if path.exists() else []
    assert whole == ["", *(f"http://example.org/{number}" for number in range(len(kept) - 1))][: len(whole)]
    assert len(whole) == (len(kept) if len(kept) > 1 else 0)
    assert not path.exists() or is_clean(path)


def test_a_short_write_is_only_a_slow_one(tmp_path):
    path, _ = write(tmp_path, page(1), page(2), opener=Failing(at=-1))
    assert is_clean(path) and len(kinds_by_warcio(path)) == 3


def test_an_empty_crawl_leaves_no_file(tmp_path):
    writer_in(tmp_path).close()
    assert not list(Path(tmp_path).iterdir())


def test_warcio_reads_the_payload_back(tmp_path):
    path, _ = write(tmp_path, page(body=b"x" * 100_000))
    records = [record.content_stream().read() for record in ArchiveIterator(BytesIO(path.read_bytes()))]
    assert records[1] == b"x" * 100_000
