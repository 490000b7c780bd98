"""Real pages, whole and damaged, through our adapter and through a second parser that shares no code with it.

THRESHER_FUZZ_SECONDS says how long to damage pages; ten minutes is what a release asks for.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.unit.parse.test_differential import PIECES, as_lexbor_sees, as_we_see
from tests.unit.parse.test_hostile import assert_storable
from thresher.core.records import Candidate, Fetched
from thresher.core.url import normalise
from thresher.parse import parse
from thresher.parse.charset import decode

CORPORA = ["dev-webkb", "dev-wikispeedia", "dev-zhblogs"]
EACH = 600  # pages of each corpus
SECONDS = float(os.environ.get("THRESHER_FUZZ_SECONDS", "30"))


@pytest.fixture(scope="module")
def pages() -> list[Fetched]:
    shared = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set")) / "corpora"
    assert shared.is_dir(), f"No folder {shared}: set THRESHER_SHARED to the folder that holds corpora."
    return [fetched for name in CORPORA for fetched in archived(shared / name / "pages.warc.gz")]


def archived(path: Path) -> Iterator[Fetched]:
    with path.open("rb") as stream:
        responses = (record for record in ArchiveIterator(stream) if record.rec_type == "response")
        for _, record in zip(range(EACH), responses, strict=False):
            url = normalise(record.rec_headers.get_header("WARC-Target-URI"))
            headers = tuple((name.lower(), value) for name, value in record.http_headers.headers)
            yield Fetched(Candidate(url), url, 200, headers, record.content_stream().read())


def test_real_pages_look_the_same_to_both_parsers(pages):
    assert len(pages) == EACH * len(CORPORA)
    for fetched in pages:
        markup, _ = decode(fetched.body)
        ours, theirs = as_we_see(markup), as_lexbor_sees(markup)
        assert ours[0] == theirs[0], fetched.url
        assert ours[1] == theirs[1][:1_000] or "<svg" in markup, fetched.url


def test_real_pages_have_text_and_a_language(pages):
    parsed = [parse(fetched) for fetched in pages]
    assert sum(bool(page.text) for page in parsed) > 0.99 * len(parsed)
    assert all(page.main or not page.text for page in parsed)
    assert sum(bool(page.language) for page in parsed) > 0.99 * sum(bool(page.text) for page in parsed)


def damaged(body: bytes, random: Random) -> bytes:
    """Cut, repeat, overwrite and insert here and there, as broken servers, templates and attackers do."""
    page = bytearray(body[:60_000])
    for _ in range(random.randint(1, 12)):
        start, length = random.randrange(len(page) + 1), random.randint(1, 200)
        match random.randrange(5):
            case 0:
                del page[start : start + length]
            case 1:
                page[start:start] = page[(other := random.randrange(len(page) + 1)) : other + length]
            case 2:
                page[start : start + 1] = bytes([random.randrange(256)])
            case 3 if random.random() < 0.2:
                del page[start:]
            case _:
                page[start:start] = random.choice(PIECES).encode("utf-8", "surrogatepass")
    return bytes(page)


@pytest.mark.timeout(SECONDS + 120)
def test_damaged_pages_look_the_same_to_both_parsers_and_never_raise(pages):
    random, until, seen = Random(2011), monotonic() + SECONDS, 0
    while monotonic() < until:
        fetched = random.choice(pages)
        body = damaged(fetched.body, random)
        headers = (("content-type", random.choice(["text/html", "text/html; charset=gbk", "text/xml", ""])),)
        assert_storable(parse(Fetched(fetched.candidate, fetched.url, 200, headers, body)))
        markup, _ = decode(body)
        if "<frameset" not in markup.lower():
            assert as_we_see(markup)[0] == as_lexbor_sees(markup)[0], body
        seen += 1
    print(f"{seen} damaged pages")
    assert seen > SECONDS
