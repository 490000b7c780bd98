"""How pages are parsed, and the program of the process that parses large ones."""

import signal
import sys
from collections.abc import Callable
from typing import BinaryIO

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from thresher.core.platform import STOPS, limit_memory, set_malloc_threshold
from thresher.core.records import Fetched, Page
from thresher.engine.reader_process import PREFIX, READY, framed, parsed
from thresher.parse import parse
from thresher.parse.document import DocumentReader
from thresher.parse.sitemap import asked_sitemap, with_named

# The parser of a crawl, as one record that a process can be told


class Parsing(Struct, frozen=True):
    """What is taken from a page: no more than the strategy looks at."""

    agent: str = ""  # for whom robots meta tags are read
    context: bool = True
    context_of_seeds: bool = False
    place: bool = True
    codes: bool = True
    offsets: bool = True
    sitemaps: bool = False  # whether those that robots.txt names are links
    readers: tuple[str, ...] = ()  # of documents, besides ours


def parser_of(asked: Parsing) -> Callable[[Fetched], Page]:
    """Return what turns a response into a page, as is asked for."""
    readers = tuple(_reader_named(name) for name in asked.readers)

    def fitting(fetched: Fetched) -> Page:
        """Read a sitemap that is asked for, or of a page what the strategy looks at, and nothing else."""
        if sitemap := asked_sitemap(fetched, asked_for=not asked.sitemaps):
            return with_named(sitemap, fetched) if fetched.sitemaps else sitemap
        wanted = asked.context or (asked.context_of_seeds and fetched.candidate.depth == 0)
        page = parse(
            fetched,
            agent=asked.agent,
            context=wanted,
            place=asked.place,
            codes=asked.codes,
            offsets=asked.offsets,
            readers=readers,
        )
        return with_named(page, fetched) if fetched.sitemaps else page

    return fitting


def _reader_named(name: str) -> DocumentReader:
    from thresher.build.plugins import load_class  # judges and strategies: few have readers of their own

    reader = load_class(DocumentReader, name)()
    return reader


# The program of a reader process: fetched pages come in, parsed pages go out, until the pipe closes.
#
# It neither judges nor counts words, which takes little time and much memory: the crawl does.


COMMAND = (sys.executable, "-P", "-c", "from thresher.build.parsing import main; main()")
MOST_MEMORY = 2 << 30  # bytes of address space: a page that wants more is not read

_decode = msgspec.msgpack.Decoder(Fetched).decode


def main() -> None:
    """Parse pages until there are no more."""
    limit_memory(MOST_MEMORY)
    set_malloc_threshold()
    for each in STOPS:
        signal.signal(each, signal.SIG_IGN)  # the crawl decides when we stop: it closes the pipe
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    parse = parser_of(msgspec.msgpack.decode(_message(source) or b"", type=Parsing))
    sink.write(READY)
    sink.flush()
    while fetched := _page(source):
        answer = framed(parsed(fetched, parse))
        del fetched  # it may be large, and the next one may be long in coming
        sink.write(answer)
        sink.flush()


def _page(source: BinaryIO) -> Fetched | None:
    """Return the next page: what is known of it comes first, then its body."""
    message, body = _message(source), _message(source)
    return replace(_decode(message), body=body) if message and body is not None else None


def _message(source: BinaryIO) -> bytes | None:
    size = source.read(PREFIX)
    return source.read(int.from_bytes(size, "big")) if len(size) == PREFIX else None
