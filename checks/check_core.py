"""Every page of the recorded webs says the same with the native core and without, and in one pass."""

import gzip
import lzma
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.fuzz.core import pairs
from thresher.core.optional import CORE
from thresher.parse import html
from thresher.parse.charset import decode
from thresher.parse.fast import in_one_pass

OPENERS = {".xz": lzma.open, ".gz": gzip.open}
SHARED = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set")) / "corpora"
FEWEST = 0.1  # of the pages of a web are read in one pass: nlab is full of formulas

pytestmark = pytest.mark.skipif(CORE is None, reason="the core is not built here")


def pages_of(web: Path) -> Iterator[str]:
    """Yield the markup of every page that a web recorded."""
    (archive,) = web.glob("pages.warc.*")
    with OPENERS[archive.suffix](archive) as file:
        for record in ArchiveIterator(file):
            kind = record.http_headers.get_header("Content-Type", "") if record.http_headers else ""
            if record.rec_type == "response" and "html" in kind.lower():
                yield decode(record.content_stream().read(), kind)[0]


@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(
    "web", sorted(each.parent for each in SHARED.glob("*/topics.jsonl")), ids=lambda web: web.name
)
def test_every_page_is_the_same_with_the_core_and_without(web: Path) -> None:
    questions, several, answered = pairs(), 0, 0
    for markup in pages_of(web):
        several += 1
        data = markup.encode("utf-8", "replace")
        assert not [name for name, same in questions.items() if not same(data)], markup[:200]
        if (found := in_one_pass(markup, "thresher", True)) is not None:
            answered += 1
            tree = html.read(markup, "thresher", context=False, place=True, offsets=False, codes=False)
            assert found == tree, markup[:200]
    print(f"{web.name}: {several:,} pages, {answered:,} read in one pass")
    assert several and answered >= FEWEST * several
