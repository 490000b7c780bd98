"""An archive as a web: what was recorded is answered again, to the byte, and everything else is 404."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from thresher.core.doors import Clock
from thresher.core.errors import BadResponse
from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import host_of, parse
from thresher.warc.message import Message, parse_message
from thresher.warc.record import Record
from thresher.warc.volumes import Volumes
from thresher.web.agent import product_token, user_agent
from thresher.web.archive_index import ArchiveIndex, Capture
from thresher.web.decode import Body
from thresher.web.robots import RobotsGate
from thresher.web.rules import Rules

MAX_BYTES = 64 << 20
MAX_RATIO = 1_000.0  # what somebody archived is no attack on us; the cap on bytes holds all the same


class ArchiveWeb:
    """Any WARC or ARC files as a web, deterministic: the same questions get the same answers.

    Of several captures of a URL the latest answers, or with `by_time` the last one before the clock's now.
    Archived robots.txt files are obeyed. `missing` and `hidden` count the questions that had no answer.
    """

    def __init__(
        self,
        paths: Path | str | Sequence[Path | str],
        hide: Collection[str] = (),
        clock: Clock | None = None,
        *,
        by_time: bool = False,
        cache: Path | None = None,
        agent: str = "",
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """Index the files under the paths, using the notes in the `cache` folder if one is given."""
        self.index = ArchiveIndex(paths, cache)
        self.missing = self.hidden = 0
        self._hide = frozenset(parse(url) for url in hide)
        self._clock, self._by_time, self._max_bytes = clock, by_time and clock is not None, max_bytes
        self._volumes = Volumes()
        self._robots = RobotsGate(self._robots_txt, product_token(agent or user_agent()), now=self._now)

    async def get(self, candidate: Candidate) -> Fetched:
        """Return what the archive has for a URL, or 404; raise FetchError where robots.txt forbids it."""
        if candidate.url in self._hide:
            self.hidden += 1
            return self._absent(candidate)
        rules = await self._admit(candidate.url)
        capture = self._find(candidate.url)
        if capture is None:
            self.missing += 1
            return self._absent(candidate)
        if self._clock and capture.latency:
            await self._clock.sleep(capture.latency)
        fetched = self._answer(candidate, capture)
        return replace(fetched, rest=rules.crawl_delay) if rules.crawl_delay else fetched

    async def close(self) -> None:
        """Let go of every file."""
        self._volumes.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._volumes.close()

    def spelling(self, url: Url) -> str:
        """Return a URL as the archive spells it, or as it is if the archive does not have it."""
        capture = self.index.latest(url)
        return capture.spelling if capture else url

    def peek(self, url: Url) -> Fetched | None:
        """Return what the archive has for a URL, hidden or not, without counting the question."""
        capture = self._find(url)
        return self._answer(Candidate(url), capture) if capture else None

    def pages(self) -> Iterator[tuple[Url, Fetched]]:
        """Yield every page that is not hidden, with its URL, in the order of the files."""
        found = ((url, self._find(url)) for url in self.index if url not in self._hide)
        pages = [(url, capture) for url, capture in found if capture and 200 <= capture.status < 300]
        for url, capture in sorted(pages, key=lambda page: (page[1].file, page[1].offset, page[1].skip)):
            yield url, self._answer(Candidate(url), capture)

    def _find(self, url: Url) -> Capture | None:
        if self._by_time:
            return self.index.nearest(url, self._now())
        return self.index.latest(url)

    def _now(self) -> float:
        return self._clock.now() if self._clock else 0.0

    async def _admit(self, url: Url) -> Rules:
        """Ask the archived robots.txt of the host, if there is one."""
        return await self._robots.admit(url) if f"{host_of(url)}/robots.txt" in self.index else Rules()

    async def _robots_txt(self, candidate: Candidate, max_bytes: int) -> Fetched:
        capture = self._find(candidate.url)
        fetched = self._answer(candidate, capture) if capture else self._absent(candidate)
        return replace(fetched, body=fetched.body[:max_bytes])

    def _absent(self, candidate: Candidate) -> Fetched:
        return Fetched(candidate, candidate.url, 404, fetched_at=self._now())

    def _answer(self, candidate: Candidate, capture: Capture) -> Fetched:
        record = self._read(capture)
        message = _message(record)
        source = message
        if capture.original:
            source = _message(self._read(capture.original))
            message = source if message.status == 304 or not message.head else message
        body, full, flaw = self._decode(source)
        return Fetched(
            candidate=candidate,
            url=candidate.url,
            status=message.status,
            headers=message.headers,
            body=body,
            fetched_at=self._clock.now() if self._clock else capture.at,
            truncated=full or capture.damaged or bool(record.header("warc-truncated")),
            flaw=flaw or source.flaw,
            head=message.head,
            wire=source.body,
            address=record.header("warc-ip-address"),
        )

    def _read(self, capture: Capture) -> Record:
        record = self._volumes.read(capture.file, capture.offset, capture.skip)
        if record is None:
            raise BadResponse(
                f"{capture.file.name} has changed since it was indexed: open the archive again."
            )
        return record

    def _decode(self, message: Message) -> tuple[bytes, bool, str]:
        """Return the body out of its coding, whether it was cut at the cap, and what was wrong with it."""
        encoding = message.header("content-encoding")
        if not encoding:
            return message.body[: self._max_bytes], len(message.body) > self._max_bytes, ""
        body = Body(encoding, self._max_bytes, MAX_RATIO)
        body.feed(message.body)
        body.finish()
        if body.flaw and not body.data:  # some archives keep the head and store the body decoded
            return message.body[: self._max_bytes], len(message.body) > self._max_bytes, body.flaw
        return bytes(body.data), body.full, body.flaw


def _message(record: Record) -> Message:
    """Return the response in a record; a page stored without its head gets the type the archive gives it."""
    message = parse_message(record.block)
    if message:
        return message
    mime = record.header("warc-identified-payload-type") or record.header("content-type")
    headers = (("content-type", mime),) if mime and not mime.startswith("application/http") else ()
    return Message(200, headers, body=record.block)
