"""Content encodings undone in small steps, so that a bomb is noticed before it goes off.

wire bytes -> [gzip | deflate | br | zstd] x 3 at most -> body, never more than the caps
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, cast

import brotli
from isal import isal_zlib

from thresher.core.errors import BadResponse, DecompressionBomb

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

InflateError = cast(type[Exception], isal_zlib.error)  # whose stub takes the class for an instance

STEP = 1 << 14  # the most any decoder takes or hands out at once
MOST_CODINGS = 3
MOST_MEMBERS = 1_000
FREE_BYTES = 1 << 20  # up to here a body may unpack as much as it likes
ZSTD_WINDOW = 23  # log2: 8 MiB, what browsers allow


class Decoder(Protocol):
    """One content coding, undone piece by piece."""

    done: bool

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Yield what the data unpacks to, in pieces of at most STEP bytes."""

    def finish(self) -> Iterator[bytes]:
        """Yield what was held back, now that no more data comes."""


class Inflater(Protocol):
    """What a decompressor of deflate looks like from here."""

    eof: bool
    unused_data: bytes
    unconsumed_tail: bytes

    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes:
        """Return what the data unpacks to, at most so many bytes of it."""


class Body:
    """A body under construction. `data` never exceeds `max_bytes`; `full` says that there was more.

    `wire` is what came, when it is not the same as `data`.
    """

    def __init__(self, content_encoding: str, max_bytes: int, max_ratio: float) -> None:
        self.data = bytearray()
        self.wire = bytearray()
        self.full = False
        self.flaw = ""
        self._max_bytes, self._max_ratio = max_bytes, max_ratio
        self.received = 0
        self._decoders = [_CODINGS[coding]() for coding in codings(content_encoding)]

    def feed(self, wire: bytes) -> None:
        """Take bytes off the wire; nothing is taken any more once the body is full or broken."""
        for start in range(0, len(wire), STEP):
            piece = wire[start : start + STEP]
            self.received += len(piece)
            if self._decoders:
                self.wire += piece
            if not self.full and not self.flaw:
                self._collect(_through(self._decoders, piece))

    def finish(self) -> None:
        """Take what the decoders held back, and note a stream that never ended."""
        for index, decoder in enumerate(self._decoders):
            if not self.full and not self.flaw:
                self._collect(
                    piece
                    for held in decoder.finish()
                    for piece in _through(self._decoders[index + 1 :], held)
                )
        if self.received and not (self.full or self.flaw or all(decoder.done for decoder in self._decoders)):
            self.flaw = "the compressed stream broke off"

    def _collect(self, pieces: Iterator[bytes]) -> None:
        try:
            for piece in pieces:
                self._take(piece)
                if self.full:
                    return
        except (InflateError, brotli.error, zstd.ZstdError) as error:
            self.flaw = f"the compressed stream is damaged: {error}"

    def _take(self, piece: bytes) -> None:
        room = self._max_bytes - len(self.data)
        self.full = len(piece) > room
        self.data += piece[:room]
        if self._decoders and len(self.data) > max(FREE_BYTES, self._max_ratio * self.received):
            raise DecompressionBomb(
                f"{self.received:,} bytes unpack to more than {len(self.data):,}; "
                f"at most {self._max_ratio:g} times as many are unpacked"
            )


def codings(content_encoding: str) -> Sequence[str]:
    """Return the codings to undo, outermost first; a word that names none is taken for no coding."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    known = [name for name in names if name in _CODINGS]
    if len(known) > MOST_CODINGS:
        raise BadResponse(f"{len(known)} content codings on top of each other; {MOST_CODINGS} are undone")
    return known[::-1]


class Gzip:
    """gzip, member after member; what does not begin like gzip passes unchanged, as servers mislabel."""

    def __init__(self) -> None:
        self.done = False
        self._inflater: Inflater | None = None
        self._members = 0
        self._held = b""  # a trailer is fed alone, so that a wrong checksum costs nothing

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Yield what the data unpacks to, all but the last eight bytes of it."""
        self._held += data
        yield from self._unpack(keep=8)

    def finish(self) -> Iterator[bytes]:
        """Yield the end of the last member."""
        yield from self._unpack(keep=0)

    def _unpack(self, keep: int) -> Iterator[bytes]:
        while len(self._held) > keep:
            if self._inflater is None and not self._opens():
                rest, self._held = self._held, b""
                if not self._members:
                    yield rest
                return
            yield from self._inflate(keep)

    def _opens(self) -> bool:
        """Begin a member if one begins here; behind the last member there may be rubbish."""
        self.done = not self._held.startswith(b"\x1f\x8b")
        if self.done:
            return False
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise InflateError(f"more than {MOST_MEMBERS} members")
        self._inflater = isal_zlib.decompressobj(31)
        return True

    def _inflate(self, keep: int) -> Iterator[bytes]:
        assert self._inflater is not None
        cut = len(self._held) - keep
        data, self._held = self._held[:cut], self._held[cut:]
        yield from _inflated(self._inflater, data)
        if self._inflater.eof:
            self._held = self._inflater.unused_data + self._held
            self._inflater, self.done = None, True


class Deflate:
    """deflate, with the zlib wrapper the standard asks for or without it, as many servers send it."""

    def __init__(self) -> None:
        self.done = False
        self._inflater: Inflater | None = None

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Yield what the data unpacks to."""
        if self._inflater is None and data:
            wrapped = data[0] & 15 == 8 and (len(data) < 2 or (data[0] << 8 | data[1]) % 31 == 0)
            self._inflater = isal_zlib.decompressobj(15 if wrapped else -15)
        if self._inflater is not None and not self.done:
            yield from _inflated(self._inflater, data)
            self.done = self._inflater.eof

    def finish(self) -> Iterator[bytes]:
        """Yield nothing: nothing was held back."""
        yield from ()


class Brotli:
    """br."""

    def __init__(self) -> None:
        self.done = False
        self._decompressor = brotli.Decompressor()

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Yield what the data unpacks to."""
        while not self.done:
            piece = self._decompressor.process(data, output_buffer_limit=STEP)
            data = b""
            self.done = self._decompressor.is_finished()
            if not piece:  # `can_accept_more_data` says yes while more is still to come
                return
            yield piece

    def finish(self) -> Iterator[bytes]:
        """Yield nothing: nothing was held back."""
        yield from ()


class Zstandard:
    """zstd, frame after frame, with the window that browsers allow."""

    def __init__(self) -> None:
        self.done = False
        self._decompressor = _zstd_decompressor()

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Yield what the data unpacks to."""
        while data or not self._decompressor.needs_input:
            if self._decompressor.eof:
                self._decompressor = _zstd_decompressor()
            piece = self._decompressor.decompress(data, STEP)
            self.done = self._decompressor.eof
            data = self._decompressor.unused_data if self.done else b""
            if piece:
                yield piece
            if self.done and not data:
                return

    def finish(self) -> Iterator[bytes]:
        """Yield nothing: nothing was held back."""
        yield from ()


_CODINGS: dict[str, Callable[[], Decoder]] = {
    "gzip": Gzip,
    "x-gzip": Gzip,
    "deflate": Deflate,
    "br": Brotli,
    "zstd": Zstandard,
}


def _through(decoders: Sequence[Decoder], data: bytes) -> Iterator[bytes]:
    """Yield what is left of the data after all decoders."""
    if not decoders:
        yield data
        return
    for piece in decoders[0].expand(data):
        yield from _through(decoders[1:], piece)


def _inflated(inflater: Inflater, data: bytes) -> Iterator[bytes]:
    piece = inflater.decompress(data, STEP)
    while piece:
        yield piece
        full = len(piece) == STEP
        piece = inflater.decompress(inflater.unconsumed_tail, STEP) if full and not inflater.eof else b""


def _zstd_decompressor() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW})
