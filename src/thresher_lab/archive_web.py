"""An archive as a web: what was recorded is answered again, to the byte, and everything else is 404."""

import tempfile
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, BinaryIO, Self, cast

from msgspec import Struct
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.compression import ARCHIVED_RATIO, Body
from thresher.core.errors import BadResponse, InvalidUrl
from thresher.core.interfaces import Clock, Web
from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import host_of, join, parse
from thresher.fetch.request_headers import product_token, user_agent
from thresher.fetch.robots import RobotsGate, Rules
from thresher.warc.reader import read_at
from thresher.warc.record import ArchivedMessage, Record, parse_message
from thresher.warc.stream import Faults, members
from thresher_lab.archive_scan import AnswerLocation, archive_files, scan


class ArchivedCapture(Struct, frozen=True, gc=False):
    """One capture of a URL; the body of a revisit is that of its `original`."""

    spelling: str
    file: Path
    offset: int
    skip: int
    status: int
    at: float
    latency: float = 0.0
    damaged: bool = False
    original: "ArchivedCapture | None" = None


class ArchiveIndex:
    """The captures of every file. What was left out is counted in `left_out`, what was broken in `faults`."""

    def __init__(self, paths: Path | str | Sequence[Path | str], cache: Path | None = None) -> None:
        """Scan the files, or read the notes of an earlier scan from the cache folder."""
        self.faults: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self._captures: dict[Url, list[ArchivedCapture]] = {}
        given = [paths] if isinstance(paths, Path | str) else paths
        scans = [(path, scan(path, cache)) for path in archive_files([Path(path) for path in given])]
        for path, found in scans:
            self.faults.update(found.faults)
            self._add(path, (seen for seen in found.sightings if not seen.is_revisit))
        self._resolve([(path, seen) for path, found in scans for seen in found.sightings])
        for captures in self._captures.values():
            captures.sort(key=_rank)

    def __len__(self) -> int:
        return len(self._captures)

    def __iter__(self) -> Iterator[Url]:
        return iter(self._captures)

    def __contains__(self, url: object) -> bool:
        return url in self._captures

    def latest(self, url: Url) -> ArchivedCapture | None:
        """Return the last capture of a URL, a whole one if there is one."""
        captures = self._captures.get(url)
        return captures[-1] if captures else None

    def nearest(self, url: Url, at: float) -> ArchivedCapture | None:
        """Return the last capture not after a moment; the first of all if every one is after it."""
        captures = self._captures.get(url, [])
        before = [capture for capture in captures if capture.at <= at]
        if before:
            return max(reversed(before), key=_rank)
        return min(captures, key=lambda capture: capture.at, default=None)

    def _add(self, path: Path, sightings: Iterable[AnswerLocation]) -> None:
        for seen in sightings:
            url = _normal(seen.spelling)
            if url is None:
                self.left_out["not an http URL"] += 1
            elif seen.location and _leads_to(url, seen.location) == url:
                self.left_out["a redirect to itself"] += 1  # from another spelling of what has one form here
            else:
                self._captures.setdefault(url, []).append(_capture(path, seen))

    def _resolve(self, sightings: Sequence[tuple[Path, AnswerLocation]]) -> None:
        """Give every revisit the capture whose body it shares."""
        revisits = [(path, seen) for path, seen in sightings if seen.is_revisit]
        names = _names(sightings) if revisits else {}
        for path, seen in sorted(revisits, key=lambda one: one[1].at):
            url = _normal(seen.spelling)
            original = names.get(seen.refers_to) or self._pointed_at(seen, url) or names.get(seen.digest)
            if url is None or original is None:
                self.left_out["a revisit of nothing archived"] += 1
            else:
                self._captures.setdefault(url, []).append(_capture(path, seen, original))

    def _pointed_at(self, seen: AnswerLocation, url: Url | None) -> ArchivedCapture | None:
        """Return the capture a revisit names by URL and date; without a name, the last one of its own URL."""
        named = _normal(seen.refers_to_url) if seen.refers_to_url else url
        if named is None or (not seen.refers_to_url and seen.status != 304):
            return None
        found = self.nearest(named, seen.refers_to_at or seen.at)
        return found.original or found if found else None


def _capture(path: Path, seen: AnswerLocation, original: ArchivedCapture | None = None) -> ArchivedCapture:
    damaged = bool(seen.fault)
    return ArchivedCapture(
        seen.spelling, path, seen.offset, seen.skip, seen.status, seen.at, seen.latency, damaged, original
    )


def _rank(capture: ArchivedCapture) -> tuple[bool, float]:
    return (not capture.damaged, capture.at)


def _names(sightings: Sequence[tuple[Path, AnswerLocation]]) -> dict[str, ArchivedCapture]:
    """Return what revisits may point at: captures by the identity of their record and by their digest."""
    names: dict[str, ArchivedCapture] = {}
    for path, seen in sightings:
        if not seen.is_revisit:
            capture = _capture(path, seen)
            names.setdefault(seen.id, capture)
            names.setdefault(seen.digest, capture)
    names.pop("", None)
    return names


def _normal(spelling: str) -> Url | None:
    try:
        return parse(spelling)
    except InvalidUrl:
        return None


def _leads_to(url: Url, location: str) -> Url | None:
    try:
        return join(url, location)
    except InvalidUrl:
        return None


MAX_BYTES = 64 << 20


class ArchiveWeb(Web):
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
        self._files = ArchiveFiles()
        self._robots = RobotsGate(self._robots_txt, product_token(agent or user_agent()), now=self._now)

    @override
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
        return replace(fetched, retry_after=rules.crawl_delay) if rules.crawl_delay else fetched

    @override
    async def close(self) -> None:
        self._files.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.close()

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

    def _find(self, url: Url) -> ArchivedCapture | None:
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

    def _answer(self, candidate: Candidate, capture: ArchivedCapture) -> Fetched:
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
            body_error=flaw or source.flaw,
            head=message.head,
            raw_body=source.body,
            address=record.header("warc-ip-address"),
        )

    def _read(self, capture: ArchivedCapture) -> Record:
        record = self._files.read(capture.file, capture.offset, capture.skip)
        if record is None:
            raise BadResponse(
                f"{capture.file.name} has changed since it was indexed: open the archive again."
            )
        return record

    def _decode(self, message: ArchivedMessage) -> tuple[bytes, bool, str]:
        """Return the body out of its coding, whether it was cut at the cap, and what was wrong with it."""
        encoding = message.header("content-encoding")
        if not encoding:
            return message.body[: self._max_bytes], len(message.body) > self._max_bytes, ""
        body = Body(encoding, self._max_bytes, ARCHIVED_RATIO)
        body.feed(message.body)
        body.unpack()
        if body.flaw and not body.data:  # some archives keep the head and store the body decoded
            return message.body[: self._max_bytes], len(message.body) > self._max_bytes, body.flaw
        return bytes(body.data), body.full, body.flaw


def _message(record: Record) -> ArchivedMessage:
    """Return the response in a record; a page stored without its head gets the type the archive gives it."""
    message = parse_message(record.block)
    if message:
        return message
    mime = record.header("warc-identified-payload-type") or record.header("content-type")
    headers = (("content-type", mime),) if mime and not mime.startswith("application/http") else ()
    return ArchivedMessage(200, headers, body=record.block)


_MOST_OPEN = 64


class ArchiveFiles:
    """Opens files when they are asked for and keeps the latest open.

    A file packed as one whole cannot be entered in the middle: it is unpacked once, into a nameless file.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[Path, BinaryIO] = OrderedDict()
        self._unpacked: dict[Path, tuple[IO[bytes], dict[int, int]]] = {}

    def read(self, path: Path, offset: int, skip: int = 0) -> Record | None:
        """Return the record at a place, or None if there is none."""
        if skip == 0 and path not in self._unpacked:
            return read_at(self._file(path), path.name, offset)
        file, starts = self._unpack(path)
        return read_at(cast(BinaryIO, file), path.name, starts[offset] + skip)

    def close(self) -> None:
        """Let go of every file."""
        for file in self._open.values():
            file.close()
        for unpacked, _ in self._unpacked.values():
            unpacked.close()
        self._open.clear()
        self._unpacked.clear()

    def _file(self, path: Path) -> BinaryIO:
        if path in self._open:
            self._open.move_to_end(path)
        else:
            self._open[path] = cast(BinaryIO, path.open("rb", buffering=0))
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)[1].close()
        return self._open[path]

    def _unpack(self, path: Path) -> tuple[IO[bytes], dict[int, int]]:
        """Return the unpacked copy of a file, and where each of its members begins there."""
        if path not in self._unpacked:
            copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the others
            starts: dict[int, int] = {}
            for member in members(self._file(path), Faults()):
                starts[member.start] = copy.tell()
                while piece := member.read():
                    copy.write(piece)
            self._unpacked[path] = (copy, starts)
        return self._unpacked[path]
