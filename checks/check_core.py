"""Every page of the recorded webs says the same by the native core and by its tree in Python."""

import gzip
import lzma
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.fuzz.core import pairs
from tests.reference import html as reference
from thresher.parse import html
from thresher.parse.charset import decode

OPENERS = {".xz": lzma.open, ".gz": gzip.open}
SHARED = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set")) / "corpora"
MOST_PLAIN = 0.001  # of the pages are read as plain text


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
def test_every_page_is_the_same_by_the_core_and_by_its_tree(web: Path) -> None:
    questions, several, before = pairs(), 0, html.ReadCounts.plain
    for markup in pages_of(web):
        several += 1
        data = markup.encode("utf-8", "replace")
        assert not [name for name, same in questions.items() if not same(data)], markup[:200]
        assert html.read(markup, "thresher") == reference.read(markup, "thresher"), markup[:200]
    plain = html.ReadCounts.plain - before
    print(f"{web.name}: {several:,} pages, {plain:,} read as plain text")
    assert several and plain <= MOST_PLAIN * several
