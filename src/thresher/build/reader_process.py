"""The program of a reader process: fetched pages come in, read pages go out, until the pipe closes."""

import signal
import sys
from typing import BinaryIO

import msgspec

from thresher.build.reading import ReadingTask, parser_of
from thresher.core.records import Fetched
from thresher.core.system import STOPS, limit_memory
from thresher.engine.limited_reader import PREFIX, READY, LimitedReader, framed
from thresher.engine.read_stage import read_page

COMMAND = (sys.executable, "-P", "-c", "from thresher.build.reader_process import main; main()")
MOST_MEMORY = 2 << 30  # bytes of address space: a page that wants more is not read


def main() -> None:
    """Read pages until there are no more."""
    limit_memory(MOST_MEMORY)
    for each in STOPS:
        signal.signal(each, signal.SIG_IGN)  # the crawl decides when we stop: it closes the pipe
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    task = msgspec.msgpack.decode(_message(source) or b"", type=ReadingTask)
    judge, parse = task.make_judge(), parser_of(task.parsing)
    decode = msgspec.msgpack.Decoder(Fetched).decode
    answer = READY
    while True:
        sink.write(answer)
        sink.flush()
        if not (message := _message(source)):
            return
        answer = framed(read_page(decode(message), parse, judge, task.counts_words))


def _message(source: BinaryIO) -> bytes | None:
    size = source.read(PREFIX)
    return source.read(int.from_bytes(size, "big")) if len(size) == PREFIX else None


def limited_reader(task: ReadingTask, seconds: float) -> LimitedReader:
    """Return the one process for what is large or a document; a page there may take so long."""
    return LimitedReader(COMMAND, framed(task), seconds)
