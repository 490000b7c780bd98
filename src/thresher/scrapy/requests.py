"""The requests of a spider that wait or are under way, each on disk until its callback has run dry."""

import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from scrapy import Request, Spider
from scrapy.utils.request import request_from_dict

from thresher.core.files import atomic_write

FRAME = struct.Struct("<qqI")  # number of a request, its fingerprint, and length of what follows: 0 if done
PLAIN = (str, bytes, bool, int, float, type(None))


class RequestLog:
    """Numbers requests and keeps them until they are done; with a file a kill loses none of them.

    The file is only appended to, and written anew without what is done when it is opened. It is data: nothing
    of it runs. A request with an object of a class in its meta or cb_kwargs is kept in memory alone.
    """

    def __init__(self, spider: Spider, file: Path | None = None) -> None:
        """Open the file, if there is one, and find what a run before has left in it."""
        self._spider, self._path = spider, file
        self._held: dict[int, Request] = {}
        self._places: dict[int, int] = {}  # where in the file
        self._last = 0
        self.before: set[int] = set()  # fingerprints of the requests of earlier runs
        self._file: BinaryIO | None = None
        if file:
            self._open(file)

    def __len__(self) -> int:
        """Return how many requests are not done."""
        return len(self._held) + len(self._places)

    def left(self) -> list[int]:
        """Return the numbers of the requests that are not done, in their order."""
        return sorted((*self._held, *self._places))

    def add(self, request: Request, fingerprint: int) -> int:
        """Keep a request and return its number."""
        self._last += 1
        data = self._packed(request) if self._file else b""
        if data:
            self._places[self._last] = self._append(self._last, fingerprint, data)
        else:
            self._held[self._last] = request
        return self._last

    def get(self, number: int) -> Request:
        """Return a request as it was kept."""
        if number in self._held:
            return self._held[number]
        assert self._file is not None
        self._file.seek(self._places[number])
        _, _, length = FRAME.unpack(self._file.read(FRAME.size))
        return request_from_dict(msgspec.msgpack.decode(self._file.read(length)), spider=self._spider)

    def done(self, number: int) -> None:
        """Let go of a request."""
        if self._held.pop(number, None) is None and self._places.pop(number, None) is not None:
            self._append(number, 0, b"")

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file:
            self._file.close()

    def _packed(self, request: Request) -> bytes:
        try:
            told = request.to_dict(spider=self._spider)
        except ValueError:  # its callback is no method of the spider
            return b""
        return msgspec.msgpack.encode(told) if _is_plain(told) else b""

    def _append(self, number: int, fingerprint: int, data: bytes) -> int:
        assert self._file is not None
        place = self._file.seek(0, os.SEEK_END)
        self._file.write(FRAME.pack(number, fingerprint, len(data)) + data)
        return place

    def _open(self, path: Path) -> None:
        """Read what earlier runs have left, and write it anew: of what is done the fingerprint alone."""
        kept: dict[int, tuple[int, bytes]] = {}
        for number, fingerprint, data in _frames(path) if path.exists() else ():
            kept[number] = (fingerprint, data) if data else (kept.get(number, (fingerprint, b""))[0], b"")
        with atomic_write(path) as file:
            for number, (fingerprint, data) in kept.items():
                if data:
                    self._places[number] = file.tell()
                file.write(FRAME.pack(number, fingerprint, len(data)) + data)
        self._last, self.before = max(kept, default=0), {fingerprint for fingerprint, _ in kept.values()}
        self._file = path.open("r+b", buffering=0)  # every request is with the system before the next step


def _frames(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield what a file holds, as far as it is whole: a kill may have cut its end."""
    data = path.read_bytes()
    at = 0
    while at + FRAME.size <= len(data):
        number, fingerprint, length = FRAME.unpack_from(data, at)
        at += FRAME.size + length
        if at <= len(data):
            yield number, fingerprint, data[at - length : at]


def _is_plain(value: object) -> bool:
    """Tell whether a value comes back from the file as it was."""
    if type(value) is dict:
        return all(_is_plain(each) for pair in value.items() for each in pair)
    return all(map(_is_plain, value)) if type(value) is list else type(value) in PLAIN


def is_plain(request: Request) -> bool:
    """Tell whether a request asks for a page as a link does: all others keep Scrapy's own order."""
    meta: Mapping[str, Any] = request.meta
    asked = request.method == "GET" and not request.body and request.url.startswith(("http:", "https:"))
    return asked and request.priority <= 0 and (not request.dont_filter or not meta.get("depth", 0))
