"""The program of a reader process: fetched pages come in, read pages go out, until the pipe closes."""

import resource
import signal
import sys
from typing import BinaryIO

import msgspec
from msgspec import Struct

from thresher.build.reading import make_judge, make_parser, reads_words
from thresher.core.records import Fetched, Topic
from thresher.core.secret import decoded
from thresher.engine.parser_pool import PREFIX, READY, framed
from thresher.engine.read_stage import read_page
from thresher.settings.model import Settings

COMMAND = (sys.executable, "-P", "-c", "from thresher.build.parser_process import main; main()")
MOST_MEMORY = 2 << 30  # bytes of address space: a page that wants more is not read


class Greeting(Struct, frozen=True):
    """What a reader must know before its first page."""

    settings: Settings
    topic: Topic


def main() -> None:
    """Read pages until there are no more."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)  # the crawl decides when we stop: it closes the pipe
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    greeting = msgspec.msgpack.decode(_message(source) or b"", type=Greeting, dec_hook=decoded)
    judge, parse = make_judge(greeting.settings, greeting.topic), make_parser(greeting.settings)
    counts_words = reads_words(greeting.settings)
    decode = msgspec.msgpack.Decoder(Fetched).decode
    answer = READY
    while True:
        sink.write(answer)
        sink.flush()
        if not (message := _message(source)):
            return
        answer = framed(read_page(decode(message), parse, judge, counts_words))


def _message(source: BinaryIO) -> bytes | None:
    size = source.read(PREFIX)
    return source.read(int.from_bytes(size, "big")) if len(size) == PREFIX else None
