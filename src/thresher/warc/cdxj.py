"""CDXJ: one sorted line for each capture, by which any replay tool finds a page in a folder of archives.

com,example)/path?a=1 20200102030405 {"url": ..., "mime": ..., "status": ..., "digest": ..., "length": ...}
"""

import heapq
import json
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby, islice
from pathlib import Path
from typing import IO

from msgspec import Struct

from thresher.core.files import atomic_write
from thresher.warc.record import timestamp

_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^/?#@]*@)?(?P<host>\[[^\]]*\]|[^/?#:]*)(?::(?P<port>\d*))?"
)
_WWW = re.compile(r"^www\d*\.")
_RUN = 100_000  # lines sorted in memory at a time
_DEFAULT_PORTS = {("http", "80"), ("https", "443")}


class CdxLine(Struct, frozen=True):
    """One line of an index."""

    key: str
    at: float
    url: str
    mime: str
    status: int
    digest: str
    file: str
    offset: int
    length: int

    def line(self) -> str:
        """Return the line, without its end."""
        facts = {
            "url": self.url,
            "mime": self.mime,
            "status": str(self.status) if self.status else "",
            "digest": self.digest,
            "length": str(self.length),
            "offset": str(self.offset),
            "filename": self.file,
        }
        told = {name: value for name, value in facts.items() if value}
        return f"{self.key} {timestamp(self.at)} {json.dumps(told, ensure_ascii=True)}"


def surt(url: str) -> str:
    """Return the key a URL sorts under: host reversed; scheme, 'www.', case and order of the query gone."""
    url = url.strip().partition("#")[0].lower()
    found = _URL.match(url)
    if not found:
        return url.replace(" ", "%20")
    host = _WWW.sub("", found["host"].rstrip("."))
    port = found["port"] if found["port"] and (found["scheme"], found["port"]) not in _DEFAULT_PORTS else ""
    turned = (
        host if host.startswith("[") or host.replace(".", "").isdigit() else ",".join(host.split(".")[::-1])
    )
    path, _, query = url[found.end() :].partition("?")
    path = path.rstrip("/") or "/"
    pairs = "&".join(sorted(query.split("&")))
    return f"{turned}{':' + port if port else ''}){path}{'?' + pairs if pairs else ''}".replace(" ", "%20")


def write_lines(lines: Iterable[str], target: Path, older: Path | None = None) -> None:
    """Write lines, and those of an older index, in their order; the file is there whole or not at all."""
    rest = iter(lines)
    with ExitStack() as runs:
        sorted_runs: list[Iterator[bytes]] = [runs.enter_context(older.open("rb"))] if older else []
        while run := sorted(f"{line}\n".encode() for line in islice(rest, _RUN)):
            sorted_runs.append(_spill(run, runs.enter_context(tempfile.TemporaryFile())))
        _replace(target, (line for line, _ in groupby(heapq.merge(*sorted_runs))))  # each line once


def _spill(lines: list[bytes], run: IO[bytes]) -> Iterator[bytes]:
    """Keep the sorted lines of one file on disk until the merge: a large folder does not fit in memory."""
    run.writelines(lines)
    run.seek(0)
    return iter(run)


def _replace(target: Path, lines: Iterable[bytes]) -> None:
    with atomic_write(target, durable=True) as out:
        out.writelines(lines)
