"""The program of a reader process: fetched pages come in, parsed pages go out, until the pipe closes.

It neither judges nor counts words, which takes little time and much memory: the crawl does.
"""

import signal
import sys
from typing import BinaryIO

import msgspec
from msgspec.structs import replace

from thresher.build.parsing import Parsing, parser_of
from thresher.core.platform import STOPS, limit_memory, return_large_blocks
from thresher.core.records import Fetched
from thresher.engine.reader_process import PREFIX, READY, framed, parsed

COMMAND = (sys.executable, "-P", "-c", "from thresher.build.reader_process import main; main()")
MOST_MEMORY = 2 << 30  # bytes of address space: a page that wants more is not read

_decode = msgspec.msgpack.Decoder(Fetched).decode


def main() -> None:
    """Parse pages until there are no more."""
    limit_memory(MOST_MEMORY)
    return_large_blocks()
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
