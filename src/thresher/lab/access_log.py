"""The log of a served web: what was asked in which order, and whether it was asked politely.

The first line says what was served, the last why it ended and what was counted; between them is a line per
answer, in the order in which the answers went out. A contender is scored by this log and by nothing else.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from thresher.core.caches import Bounded
from thresher.core.errors import UsageError
from thresher.fetch.request_headers import product_token
from thresher.lab.served_web import Kind, ServedWeb, host_of

LENIENT = 0.95  # of the delay asked for: clocks differ
MOST_HOSTS = 20_000  # of which it is remembered when they were asked last


class Served(Struct, frozen=True, tag="served"):
    """The head of a log: everything that decides what a contender could see."""

    corpora: tuple[str, ...]
    pages: int
    mode: str = "easy"
    crawl_delay: float = 0.0
    latency: float = 0.0
    luck: int = 1
    budget: int = 0
    version: str = ""
    code: str = ""
    python: str = ""
    began: str = ""


class Access(Struct, frozen=True, tag="access", omit_defaults=True):
    """One answer: what was asked for, and in which way."""

    at: float  # seconds since the first request
    url: str  # as the archive spells it
    kind: Kind
    status: int
    size: int
    took: float = 0.0
    forbidden: bool = False  # by the robots.txt of the host
    hasty: bool = False  # before the delay had passed that the host asks for
    method: str = "GET"
    agent: str = ""  # where it is another than that of the line before


class Ended(Struct, frozen=True, tag="ended"):
    """The last line of a log."""

    reason: str
    seconds: float
    counts: dict[str, int]
    faults: dict[str, int] = {}


Line = Served | Access | Ended


class Watch:
    """Sees how hosts are treated; requests for robots.txt are never impolite."""

    def __init__(self, web: ServedWeb) -> None:
        """Watch over the hosts of a web."""
        self._web, self._last = web, Bounded[str, float](MOST_HOSTS)
        self._agent, self._token = "", ""

    def look(self, name: str, agent: str, now: float) -> tuple[bool, bool]:
        """Return whether robots.txt forbids a request, and whether it came too early."""
        if agent != self._agent:
            self._agent, self._token = agent, product_token(agent)
        rules = self._web.rules(name, self._token)
        if rules is None or name.endswith("/robots.txt"):
            return False, False
        forbidden = bool(rules.rules) and not rules.verdict(f"http://{name}").allowed
        return forbidden, self._is_early(host_of(name), rules.crawl_delay or 0.0, now)

    def _is_early(self, host: str, delay: float, now: float) -> bool:
        if not delay:
            return False
        last = self._last.get(host)
        self._last.put(host, now)
        return last is not None and now - last < LENIENT * delay


class AccessLog:
    """Writes the lines of a log and counts them; memory does not grow with it."""

    def __init__(self, file: IO[bytes] | None, head: Served) -> None:
        """Write the head."""
        self._file, self._encode = file, msgspec.json.Encoder().encode
        self.counts: Counter[str] = Counter()
        self.bytes = 0
        self._agent = ""
        self._write(head)

    def add(self, line: Access, agent: str) -> None:
        """Write a line, with the user agent if it is another than before."""
        counts = self.counts
        counts[line.kind.value] += 1
        counts["forbidden"] += line.forbidden
        counts["hasty"] += line.hasty
        self.bytes += line.size
        if agent != self._agent:
            self._agent = agent
            line = msgspec.structs.replace(line, agent=agent[:200])
        self._write(line)

    def close(self, reason: str, seconds: float, faults: dict[str, int]) -> Ended:
        """Write and return the last line."""
        ended = Ended(reason, round(seconds, 3), dict(sorted((+self.counts).items())), faults)
        self._write(ended)
        if self._file:
            self._file.flush()
        return ended

    def _write(self, line: Line) -> None:
        if self._file:
            self._file.write(self._encode(line) + b"\n")


def read_log(path: Path) -> Iterator[Line]:
    """Yield the lines of a log; one that is none is an error with its number, unless it is the last."""
    decode = msgspec.json.Decoder(Line).decode
    lines = path.read_bytes().splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            found = decode(line)
        except msgspec.DecodeError as error:
            if number == len(lines) > 1:
                return  # it was being written when the server was killed
            raise UsageError(f"{path}, line {number}: {str(error).lower()}.") from None
        if (number == 1) is not isinstance(found, Served):
            raise UsageError(f"{path} is no log of 'thresher lab serve': line {number} is out of place.")
        yield found
