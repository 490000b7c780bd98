"""Change bytes for a while and hand them to every reader of foreign bytes: `make fuzz`."""

import argparse
import gzip
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from random import Random

import brotli

from tests.fuzz.mutation import mutated
from tests.fuzz.peers import REFUSED, disagreement, ours
from tests.fuzz.responses import RESPONSES
from thresher.core.compression import Body
from thresher.core.errors import DocumentUnread, FetchError, InvalidUrl
from thresher.core.records import Candidate, Fetched
from thresher.core.url import join, parse
from thresher.fetch.limits import retry_after
from thresher.fetch.request_headers import CookieJar
from thresher.fetch.robots import parse_robots
from thresher.freshness.diff import essence
from thresher.parse import parse as parse_page
from thresher.parse.sitemap import parse_sitemap
from thresher.warc.reader import WarcReader
from thresher.warc.record import parse_message
from thresher.warc.stream import Faults

URL = parse("https://a.test/x/")
LONGEST = 0.05  # seconds of processor time that any input may take
PAGE = (
    b"<html><head><base href='/b/'><title>Bees</title><meta charset=gbk></head><body><a href='c'>d</a></body>"
)
MAP = b"<?xml version='1.0'?><urlset><url><loc>/a</loc><lastmod>2024-01-01</lastmod></url></urlset>"
FEED = b"<feed><entry><link href='/a'/><updated>2024-01-01T00:00:00Z</updated></entry></feed>"
ROBOTS = b"User-agent: *\nDisallow: /a*b$\nAllow: /c\nCrawl-delay: 2\nSitemap: /s.xml\n"
COOKIE = b"a=b; Path=/x; Domain=a.test; Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT"
DATE = b"Mon, 01 Jan 2024 10:00:00 GMT"
LINE = b"Mon 1 January 2024 at 10:15 pm, 1,234 visitors | Home"
RECORD = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"


def unpack(data: bytes) -> None:
    """Undo whatever coding the first byte chooses, in one piece and in many."""
    coding = ("gzip", "deflate", "br", "zstd", "gzip, br", "br, zstd")[data[:1][0] % 6 if data else 0]
    found = []
    for size in (len(data) or 1, 7):
        body = Body(coding, 1 << 20, 100.0)
        for start in range(0, len(data), size):
            body.feed(data[start : start + size])
        try:
            body.unpack()
        except FetchError as error:
            found.append((str(error), b""))
        else:
            found.append((body.flaw, bytes(body.data)))
    assert found[0] == found[1], "what is kept depends on packets"


def read_page(data: bytes) -> None:
    """Parse it as whatever it seems to be; a document that cannot be read is named so."""
    with suppress(DocumentUnread):
        parse_page(Fetched(Candidate(URL), URL, 200, (("content-type", "text/html"),), data))


def follow(data: bytes) -> None:
    """Join it to a page's address."""
    try:
        joined = join(URL, data.decode("utf-8", "replace"))
    except InvalidUrl:
        return
    assert joined.isprintable() and joined.isascii(), joined


READERS: dict[str, tuple[Callable[[bytes], object], list[bytes]]] = {
    "codings": (unpack, [gzip.compress(PAGE), b"\2" + brotli.compress(PAGE), b"\3(\xb5/\xfd\0X", PAGE]),
    "pages": (read_page, [PAGE, PAGE * 20, FEED, MAP, b"\xff\xfe" + PAGE, b'{"a": 1}', b"%PDF-1.4"]),
    "sitemaps": (
        lambda data: parse_sitemap(data, URL),
        [MAP, FEED, gzip.compress(MAP), b"https://a.test/a\n" * 9],
    ),
    "robots": (lambda data: parse_robots(data, "thresher").verdict(f"{URL}ab"), [ROBOTS, ROBOTS * 20]),
    "cookies": (lambda data: CookieJar().learn(URL, [data.decode("latin-1")], 1.0), [COOKIE]),
    "dates": (lambda data: retry_after(data.decode("latin-1"), 1.0), [DATE, b"120", b"1.5"]),
    "addresses": (
        follow,
        [b"http://a.test:80/b?c#d", b"//b.test/%41", b"../x", b"http://[::1]/", b"https:\\\\a"],
    ),
    "lines": (lambda data: essence(data.decode("latin-1")), [LINE, b"jan 1, 2024", b"10:15:00 +0100"]),
    "messages": (parse_message, list(RESPONSES.values())),
    "archives": (
        lambda data: list(WarcReader(BytesIO(data), "fuzz", Faults()).records()),
        [RECORD, gzip.compress(RECORD), RECORD * 3, gzip.compress(RECORD) * 3],
    ),
}


def main() -> int:
    """Return 0 if nothing was found; what was found is printed with its bytes."""
    asked = argparse.ArgumentParser(prog="python -m tests.fuzz", description=main.__doc__)
    asked.add_argument("--responses", type=int, default=200_000)
    asked.add_argument("--seconds", type=float, default=600.0)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    end = time.monotonic() + given.seconds
    found = compare(given.responses, Random(given.seed)) + read(end, Random(given.seed))
    print(f"{found} found")
    return min(found, 1)


def compare(count: int, random: Random) -> int:
    """Hold our reader of HTTP against two others."""
    found, refused = 0, 0
    changed = mutated(list(RESPONSES.values()), random)
    for _ in range(count):
        data = next(changed)
        if sentence := disagreement(data, random.randint(1, 60)):
            print(f"responses: {sentence}\n  {data!r}", flush=True)
            found += 1
        refused += ours(data) == REFUSED
    print(f"{count:,} responses: {refused:,} refused, {found} read unlike others", flush=True)
    return found


def read(end: float, random: Random) -> int:
    """Hand changed bytes to every other reader in turn until the time is over."""
    changed = {name: mutated(seeds, random) for name, (_, seeds) in READERS.items()}
    tried, longest, found = Counter[str](), Counter[str](), 0
    while time.monotonic() < end:
        for name, (reader, _) in READERS.items():
            data = next(changed[name])
            begun = time.thread_time()
            try:
                reader(data)
            except Exception:
                print(f"{name}: {traceback.format_exc(limit=-2)}  {data[:2000]!r}", flush=True)
                found += 1
            took = time.thread_time() - begun
            tried[name] += 1
            longest[name] = max(longest[name], int(1_000 * took))
            if took > LONGEST and tried[name] > 10:
                print(f"{name}: {took:.3f} s for {len(data)} bytes  {data[:2000]!r}", flush=True)
                found += 1
    for name, count in tried.items():
        print(f"{count:,} {name}: longest {longest[name]} ms", flush=True)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
