"""The language of 300 real pages as a person read them: Chinese or mixed, English, others, a third each."""

import lzma
import os
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import key_of, normalise
from thresher.parse import parse

RIGHT = 0.99
MARKS = Path(__file__).with_name("languages.tsv")


@pytest.fixture(scope="module")
def shared() -> Path:
    found = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set"))
    assert (found / "gold").is_dir(), (
        f"No folder {found / 'gold'}: set THRESHER_SHARED to the one that holds it."
    )
    return found


def marks() -> dict[tuple[str, str], str]:
    rows = [line.split("\t") for line in MARKS.read_text().splitlines() if not line.startswith("#")]
    return {(source, page): language for source, page, language in rows}


def pages(shared: Path, sources: set[str]) -> Iterator[tuple[tuple[str, str], Fetched]]:
    """Yield the pages of the gold data and of recorded webs with the names that the marks have."""
    with tarfile.open(shared / "gold" / "pages.tar.xz") as archive:
        for member in archive:
            if member.name.startswith(("segments/html/", "./segments/html/")) and member.isfile():
                body = archive.extractfile(member)
                assert body is not None
                yield ("segments", Path(member.name).name), response(Url("http://gold.test/"), body.read())
    for source in sorted(sources - {"segments"}):
        (file,) = (shared / "corpora" / source).glob("pages.warc.*")
        for record in ArchiveIterator(opened(file), record_types=WarcRecordType.response):
            if record.http_headers is None or record.http_headers.status_code != 200:
                continue
            url, kind = (
                normalise(record.headers["WARC-Target-URI"]),
                record.http_headers.get("content-type", ""),
            )
            yield (source, f"{key_of(url) & (2**64 - 1):016x}"), response(url, record.reader.read(), kind)


def opened(file: Path) -> BinaryIO:
    return BytesIO(lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes())


def response(url: Url, body: bytes, kind: str = "text/html") -> Fetched:
    return Fetched(Candidate(url), url, 200, (("content-type", kind),), body)


def test_the_language_of_a_page_is_what_a_person_says(shared):
    wanted = marks()
    assert len(wanted) == 300
    found = {
        name: parse(page) for name, page in pages(shared, {source for source, _ in wanted}) if name in wanted
    }
    wrong = [
        (name, wanted[name], page.language) for name, page in found.items() if page.language != wanted[name]
    ]
    print(f"{len(found) - len(wrong)} of {len(found)} right; wrong: {wrong}")
    assert len(found) == len(wanted)
    assert len(wrong) <= (1 - RIGHT) * len(wanted)
