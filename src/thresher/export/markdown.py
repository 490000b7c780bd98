"""Markdown for retrieval: a file a page with front matter, and all pages in pieces in one file."""

import json
import re
from pathlib import Path
from typing import BinaryIO

import msgspec

from thresher.core.compression import Body
from thresher.core.errors import FetchError
from thresher.core.files import open_new, plain_file
from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import key_of
from thresher.export.chunks import chunks_of
from thresher.export.format import FolderFormat, Pages
from thresher.export.items import Item
from thresher.parse.document import MAX_BYTES, Kind, kind_of, markup_of
from thresher.parse.render import markdown_of
from thresher.warc.files import Volumes
from thresher.warc.record import parse_message

FRONT = ("url", "title", "fetched_at", "language", "relevance", "digest")
RATIO = 1_000.0  # what an archived body may unpack to, as often as its own length


class MarkdownFolder(FolderFormat):
    """pages/HOST/KEY.md with front matter, and chunks.jsonl."""

    name = "markdown"
    suffixes = ()
    use = "Markdown: a file a page and chunks.jsonl, for retrieval."

    def fill(self, pages: Pages, folder: Path) -> int:
        """Write a file for each page and the pieces of all of them; return how many pages there were."""
        count = 0
        with open_new(folder / "chunks.jsonl") as chunks, Bodies(pages) as bodies:
            for item in pages.items():
                text = bodies.markdown(item.url) or item.main
                _write_page(item, text, folder / "pages")
                _write_chunks(item, text, chunks)
                count += 1
        return count


class Bodies:
    """The archived markup of pages."""

    def __init__(self, pages: Pages) -> None:
        """Open files as they are asked for."""
        self._store, self._archive, self._volumes = pages.store, pages.folder.archive, Volumes()

    def __enter__(self) -> "Bodies":
        return self

    def __exit__(self, *_: object) -> None:
        self._volumes.close()

    def markdown(self, url: Url) -> str:
        """Return what a page says as Markdown; nothing if its markup is not kept, or must not be shown."""
        page, fetched = self._store.page(url), self._fetched(url)
        if page is None or page.noindex or fetched is None:
            return ""
        if kind_of(fetched.header("content-type"), fetched.body) is not Kind.HTML:
            return ""
        return markdown_of(markup_of(fetched)[0])

    def _fetched(self, url: Url) -> Fetched | None:
        """Return the response that holds a page, out of its coding."""
        place = self._store.payload(url)
        record = self._volumes.read(plain_file(self._archive, place[0]), place[1]) if place else None
        message = parse_message(record.block) if record else None
        if message is None:
            return None
        try:
            body = Body(message.header("content-encoding"), MAX_BYTES, RATIO)
            body.feed(message.body)
            body.unpack()
        except FetchError:
            return None
        return Fetched(Candidate(url), url, message.status, message.headers, bytes(body.data))


def _write_page(item: Item, text: str, folder: Path) -> None:
    """Write a page with its front matter; what a page wrote stands below it, or quoted as JSON."""
    place = folder / (re.sub(r"[^\w-]+", ".", item.host).strip(".") or "host")
    place.mkdir(parents=True, exist_ok=True)
    front = "\n".join(f"{name}: {json.dumps(getattr(item, name), ensure_ascii=False)}" for name in FRONT)
    with open_new(place / f"{key_of(item.url) + (1 << 63):016x}.md") as file:
        file.write(f"---\n{front}\n---\n\n{text}\n".encode("utf-8", "replace"))


def _write_chunks(item: Item, text: str, file: BinaryIO) -> None:
    for chunk in chunks_of(text, item.url, item.title, item.language, item.relevance):
        file.write(msgspec.json.encode(chunk) + b"\n")
