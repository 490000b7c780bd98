"""Content encodings undone in small steps, so that a bomb is noticed before it goes off.

raw bytes -> [gzip | deflate | br | zstd] x 2 at most -> body, never more than the caps

Caps are on the work, not on its result alone: on what every coding yields, on members and on frames.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, cast

import brotli
from isal import isal_zlib
from typing_extensions import override

from thresher.core.errors import BadResponse, DecompressionBomb

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

InflateError = cast(type[Exception], isal_zlib.error)  # whose stub takes the class for an instance

STEP = 1 << 14  # the most any decoder hands out at once
BITE = 1 << 12  # the most it takes: what is lost of a damaged stream is less than what that unpacks to
TURN = 1 << 20  # bytes unpacked before others have their turn: some 10 ms
MOST_CODINGS = 2
MOST_MEMBERS = 1_000  # of gzip, or frames of zstd: each costs a new decompressor, even if it holds nothing
FREE_BYTES = 1 << 20  # up to here a body may unpack as much as it likes
ARCHIVED_RATIO = 1_000.0  # what was archived is no attack on us; the cap on bytes holds all the same
ZSTD_WINDOW = 23  # log2: 8 MiB, what browsers allow


class Decoder:
    """One content coding, undone piece by piece."""

    done: bool

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Yield what the data unpacks to, in pieces of at most STEP bytes."""
        raise NotImplementedError

    def finish(self) -> Iterator[bytes]:
        """Yield what was held back, now that no more data comes."""
        raise NotImplementedError


class Inflater(Protocol):
    """What a decompressor of deflate looks like from here."""

    eof: bool
    unused_data: bytes
    unconsumed_tail: bytes

    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes:
        """Return what the data unpacks to, at most so many bytes of it."""


class Body:
    """A body as received, `raw_body`, and decoded, `data`; neither exceeds `max_bytes`: `full` says of more.

    Nothing is unpacked before all of it is there, so that what is kept of a damaged one depends on its bytes
    alone. What any coding yields counts, not only the last: see `steps`.
    """

    def __init__(self, content_encoding: str, max_bytes: int, max_ratio: float) -> None:
        self.raw_body = bytearray()
        self.full = False
        self.flaw = ""
        self._max_bytes, self._max_ratio = max_bytes, max_ratio
        self._decoders = [_CODINGS[coding]() for coding in codings(content_encoding)]
        self._unpacked = bytearray()
        self._fed = self._made = 0

    @property
    def is_coded(self) -> bool:
        """Whether it has to be unpacked to be read."""
        return bool(self._decoders)

    @property
    def data(self) -> bytearray:
        """What has been unpacked so far, or what came if it needs no unpacking."""
        return self._unpacked if self._decoders else self.raw_body

    def feed(self, raw_body: bytes) -> None:
        """Take received bytes; nothing is taken any more once the body is full."""
        room = self._max_bytes - len(self.raw_body)
        self.full = self.full or len(raw_body) > room
        self.raw_body += raw_body[:room] if len(raw_body) > room else raw_body

    def unpack(self) -> None:
        """Undo every coding; what is wrong with the stream becomes its flaw."""
        for _ in self.steps():
            pass

    def steps(self) -> Iterator[None]:
        """Undo every coding as `unpack` does, and yield now and then, so that others may have their turn."""
        if not self._decoders:
            return
        was_cut, self.full, paused = self.full, False, 0
        try:
            for piece in self._pieces():
                if self._made - paused >= TURN:
                    paused = self._made
                    yield
                self._take(piece)
                if self.full:
                    return
        except (InflateError, brotli.error, zstd.ZstdError) as error:
            self.flaw = f"the compressed stream is damaged: {error}"
        self.full = self.full or was_cut
        if self.raw_body and not (self.full or self.flaw or all(decoder.done for decoder in self._decoders)):
            self.flaw = "the compressed stream broke off"

    def _pieces(self) -> Iterator[bytes]:
        """Yield what is left after all decoders, empty pieces among it wherever one had nothing to say."""
        pieces = self._raw_pieces()
        for decoder in self._decoders:
            pieces = self._weighed(_expanded(decoder, pieces))
        return pieces

    def _raw_pieces(self) -> Iterator[bytes]:
        for start in range(0, len(self.raw_body), BITE):
            piece = bytes(self.raw_body[start : start + BITE])
            self._fed += len(piece)
            yield piece

    def _weighed(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """Pass on what one coding yields, as long as that is in proportion to what came."""
        made = 0
        for piece in pieces:
            yield piece
            made += len(piece)
            self._made += len(piece)
            if self._made > max(FREE_BYTES, self._max_ratio * self._fed):
                raise DecompressionBomb(
                    f"{self._fed:,} bytes unpack to more than {self._made:,}; "
                    f"at most {self._max_ratio:g} times as many are unpacked"
                )
            if made > self._max_bytes:
                self.full = True
                return

    def _take(self, piece: bytes) -> None:
        room = self._max_bytes - len(self._unpacked)
        self.full = self.full or len(piece) > room
        self._unpacked += piece[:room]


def codings(content_encoding: str) -> Sequence[str]:
    """Return the codings to undo, outermost first; a word that names none is taken for no coding."""
    names = [name.strip(" \t").lower() for name in content_encoding.split(",")]
    known = [name for name in names if name in _CODINGS]
    if len(known) > MOST_CODINGS:
        raise BadResponse(f"{len(known)} content codings on top of each other; {MOST_CODINGS} are undone")
    return known[::-1]


def is_coding(name: str) -> bool:
    """Tell whether a (lower-case) word names a coding that is undone here."""
    return name in _CODINGS


class Gzip(Decoder):
    """gzip, member after member; what does not begin like gzip passes unchanged, as servers mislabel."""

    def __init__(self) -> None:
        self.done = False
        self._inflater: Inflater | None = None
        self._members = 0
        self._held = b""  # a trailer is fed alone, so that a wrong checksum costs nothing

    @override
    def expand(self, data: bytes) -> Iterator[bytes]:
        """Yield what the data unpacks to, all but the last eight bytes of it."""
        self._held += data
        yield from self._unpack(keep=8)

    @override
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


class Deflate(Decoder):
    """deflate, with the zlib wrapper the standard asks for or without it, as many servers send it."""

    def __init__(self) -> None:
        self.done = False
        self._inflater: Inflater | None = None

    @override
    def expand(self, data: bytes) -> Iterator[bytes]:
        if self._inflater is None and data:
            wrapped = data[0] & 15 == 8 and (len(data) < 2 or (data[0] << 8 | data[1]) % 31 == 0)
            self._inflater = isal_zlib.decompressobj(15 if wrapped else -15)
        if self._inflater is not None and not self.done:
            yield from _inflated(self._inflater, data)
            self.done = self._inflater.eof

    @override
    def finish(self) -> Iterator[bytes]:
        yield from ()


class Brotli(Decoder):
    """br."""

    def __init__(self) -> None:
        self.done = False
        self._decompressor = brotli.Decompressor()

    @override
    def expand(self, data: bytes) -> Iterator[bytes]:
        while not self.done:
            piece = self._decompressor.process(data, output_buffer_limit=STEP)
            data = b""
            self.done = self._decompressor.is_finished()
            if not piece:  # `can_accept_more_data` says yes while more is still to come
                return
            yield piece

    @override
    def finish(self) -> Iterator[bytes]:
        yield from ()


class Zstandard(Decoder):
    """zstd, frame after frame, with the window that browsers allow."""

    def __init__(self) -> None:
        self.done = False
        self._frames = 1
        self._decompressor = _zstd_decompressor()

    @override
    def expand(self, data: bytes) -> Iterator[bytes]:
        while data or not self._decompressor.needs_input:
            if self._decompressor.eof:
                self._begin_frame()
            piece = self._decompressor.decompress(data, STEP)
            self.done = self._decompressor.eof
            data = self._decompressor.unused_data if self.done else b""
            if piece:
                yield piece
            if self.done and not data:
                return

    @override
    def finish(self) -> Iterator[bytes]:
        yield from ()

    def _begin_frame(self) -> None:
        self._frames += 1
        if self._frames > MOST_MEMBERS:
            raise zstd.ZstdError(f"more than {MOST_MEMBERS} frames")
        self._decompressor = _zstd_decompressor()


_CODINGS: dict[str, Callable[[], Decoder]] = {
    "gzip": Gzip,
    "x-gzip": Gzip,
    "deflate": Deflate,
    "br": Brotli,
    "zstd": Zstandard,
}


def _expanded(decoder: Decoder, pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield from decoder.expand(piece)
        yield b""
    yield from decoder.finish()


def _inflated(inflater: Inflater, data: bytes) -> Iterator[bytes]:
    piece = inflater.decompress(data, STEP)
    while piece:
        yield piece
        full = len(piece) == STEP
        piece = inflater.decompress(inflater.unconsumed_tail, STEP) if full and not inflater.eof else b""


def _zstd_decompressor() -> zstd.ZstdDecompressor:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW})
