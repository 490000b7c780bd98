"""The parser in a process of its own: what is large or a document is parsed there, within limits."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from thresher.core.enums import Detail
from thresher.core.errors import DocumentUnread
from thresher.core.platform import ignoring_sigint
from thresher.core.records import Fetched, Page, ReadResult

# Messages: how long each is, then what it says


PREFIX = 4  # bytes that say how long a message is

_encode = msgspec.msgpack.Encoder().encode


def framed(message: object) -> bytes:
    """Return a message as it goes through a pipe."""
    body = _encode(message)
    return len(body).to_bytes(PREFIX, "big") + body


READY = framed("ready")
"""What a reader says when it has started; only then does the time of its first page begin."""


# What the process does: parse a page, whatever the parser may raise


log = logging.getLogger(__name__)

Parse = Callable[[Fetched], Page]


def parsed(fetched: Fetched, parse: Parse) -> ReadResult:
    """Return the reading of a page that is not judged yet, or why there is none."""
    try:
        return ReadResult(parse(fetched))
    except DocumentUnread as error:
        return ReadResult(failure=str(error), detail=error.detail)
    except Exception as error:
        log.exception("%s could not be parsed", fetched.url)
        return ReadResult(failure=repr(error), detail=Detail.PARSER_FAILED)


# The process as the crawl sees it


LARGE = 256 << 10  # bytes of a page: to parse and judge a larger one may take too long for all who wait
MANY = 16_000  # tags in a page, an anchor counting for three: in a strange one each takes 3 microseconds
PACKED = (b"\x1f\x8b", b"%PDF-", b"PK\x03\x04")  # sitemaps and documents that may be larger than they look

SLICE = 256 << 10  # bytes of a page that are handed to the pipe at a time

_decode = msgspec.msgpack.Decoder(ReadResult).decode


@dataclass
class ParseJob:
    """One page to parse, and the future of its result."""

    page: Fetched
    answer: asyncio.Future[ReadResult] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class ParserProcess:
    """One process for what may take long. When it dies or takes too long, the page it was at fails alone.

    It starts with the first page that there is, and is given one at a time: the others wait as they came.
    """

    def __init__(self, command: Sequence[str], greeting: bytes, seconds: float) -> None:
        """Take the program, what to tell it first, and how long one page may take."""
        self.orders: deque[ParseJob] = deque()
        self._command, self._greeting, self._seconds = command, greeting, seconds
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._work = asyncio.Event()

    def is_for(self, fetched: Fetched) -> bool:
        """Return whether a page is to be read in this process rather than in the loop's."""
        body = fetched.body
        return len(body) > LARGE or body.startswith(PACKED) or _has_many_tags(body)

    async def read(self, fetched: Fetched) -> ReadResult:
        """Return the reading of a page, or why there is none."""
        order = ParseJob(msgspec.structs.replace(fetched, raw_body=b"", head=b"", request=b""))
        self.orders.append(order)
        self._work.set()
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen())
        return await order.answer

    async def close(self) -> None:
        """End the process."""
        if self._listening:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        await self._end()

    async def _listen(self) -> None:
        """Hand back the answers as they come, starting the process again whenever it is lost."""
        while True:
            await self._work.wait()
            failure = await self._hand_back()
            await self._end()
            self._settle(ReadResult(failure=failure, detail=Detail.PARSER_FAILED))

    async def _start(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        with ignoring_sigint():  # a terminal sends Ctrl-C to readers, too; the crawl decides
            process = await asyncio.create_subprocess_exec(
                *self._command, stdin=pipe, stdout=pipe, limit=1 << 20
            )
        assert process.stdin is not None
        process.stdin.write(self._greeting)
        self._process = process
        return process

    async def _hand_back(self) -> str:
        """Start the process and settle orders until it fails at one; return how."""
        try:
            process = await self._start()
            assert process.stdin is not None and process.stdout is not None
            await process.stdout.readexactly(len(READY))
            while True:
                await self._work.wait()
                async with asyncio.timeout(self._seconds):
                    await _send(self.orders[0].page, process.stdin)
                    reading = await _answer(process.stdout)
                self._settle(reading)
        except TimeoutError:
            return f"reading took longer than {self._seconds:g} seconds"
        except (asyncio.IncompleteReadError, ConnectionError, msgspec.DecodeError):
            return "the reader died at this page"
        except OSError as error:  # no memory, or no file left
            return f"the reader could not be started ({error.strerror or error})"

    def _settle(self, reading: ReadResult) -> None:
        """Answer the first order, and rest if it was the last."""
        answer = self.orders.popleft().answer
        if not answer.done():  # the waiting task may be gone
            answer.set_result(reading)
        if not self.orders:
            self._work.clear()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process and process.returncode is None:
            process.kill()
            await process.wait()


def _has_many_tags(body: bytes) -> bool:
    """Tell whether a page has so many tags that it may take long; most have too few to be looked at twice."""
    tags = body.count(b"<")
    return 3 * tags > MANY and tags + 2 * body.count(b"<a") > MANY


async def _send(page: Fetched, sink: asyncio.StreamWriter) -> None:
    """Send what is known of a page, then its body, of which there is no second copy."""
    body = memoryview(page.body)
    sink.write(framed(msgspec.structs.replace(page, body=b"")) + len(body).to_bytes(PREFIX, "big"))
    for start in range(0, len(body), SLICE):
        sink.write(body[start : start + SLICE])
        await sink.drain()


async def _answer(source: asyncio.StreamReader) -> ReadResult:
    size = int.from_bytes(await source.readexactly(PREFIX), "big")
    return _decode(await source.readexactly(size))
