"""Bytes changed at random, the same from the same seed."""

from collections.abc import Iterator, Sequence
from random import Random

BREAKS = (b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b"\v", b"\xa0", b":", b",", b";", b"\r\n\r\n")
NUMBERS = (b"0", b"5", b"ffffffff", b"0\r\n\r\n", b"5\r\nhello\r\n")
LINES = (
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.0 200 OK\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: 0\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Encoding: br\r\n",
    b"Connection: close\r\n",
    b"Connection: keep-alive\r\n",
    b" x: y\r\n",
    b"WARC/1.1\r\n",
    b"User-agent: *\n",
    b"Disallow: /*",
)
NAMES = (
    b"chunked",
    b"gzip",
    b"close",
    b"identity",
    b"<",
    b">",
    b"&",
    b'"',
    b"<urlset>",
    b"<loc>",
    b"\x1f\x8b\x08",
)
WORDS = (*BREAKS, *NUMBERS, *LINES, *NAMES)


def mutated(seeds: Sequence[bytes], random: Random) -> Iterator[bytes]:
    """Yield changed copies of the seeds, without end."""
    while True:
        data = bytearray(random.choice(seeds))
        for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
            _change(data, seeds, random)
        yield bytes(data)


def _change(data: bytearray, seeds: Sequence[bytes], random: Random) -> None:
    begin = random.randint(0, len(data))
    end = min(len(data), begin + random.choice((0, 1, 1, 2, 8, 40)))
    kind = random.randrange(6)
    if kind == 0 and begin < len(data):
        data[begin] = random.randrange(256)
    elif kind == 1:
        data[begin:end] = b""
    elif kind == 2:
        data[begin:end] = data[begin:end] * random.choice((2, 3, 50))
    elif kind == 3:
        other = random.choice(seeds)
        data[begin:end] = other[random.randint(0, len(other)) :]
    else:
        data[begin:begin] = random.choice(WORDS)
