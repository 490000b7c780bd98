"""A million pages through every export: pages a second of processor time, and the most memory it took.

python benchmarks/bench_export.py [PAGES [FOLDER [FORMAT...]]]

The crawl is synthetic: its rows are written straight into the tables, 1 KB of text and eight links a page;
one page in ten has changed since, and the archive has one and the same response for every page.
"""

import os
import random
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec.structs import replace

from thresher.core.records import Candidate, Fingerprint, Link, Page, Topic, Url
from thresher.core.url import key_of
from thresher.export.formats import FORMATS
from thresher.settings.load import read, written
from thresher.store.codecs import pack, pack_keys, pack_page
from thresher.store.folder import CrawlFolder
from thresher.store.schema import WATCH_TABLES
from thresher.warc.capture import HttpExchange
from thresher.warc.record import RecordLocation
from thresher.warc.writer import WarcWriter

HOSTS, SOME, CHANGED = 40_000, 10_000, 10
WORDS = "honey bee queen hive wax comb nectar pollen drone swarm orchard cider apple barrel 蜜蜂 蜂王".split()


def main(pages: int = 1_000_000, place: str = "", *formats: str) -> None:
    """Make the crawl once, then write it in each format and print a line for it."""
    root = Path(place or tempfile.mkdtemp(prefix="bench-export-"))
    folder = CrawlFolder(root / "crawl")
    if not folder.path.exists():
        make(folder, pages)
    (most,) = _asked(folder, "SELECT count(*) FROM page")
    for name in formats or FORMATS:
        seconds, memory, size = measure(folder, name, root / f"out-{name}")
        rate = f"{most / seconds:8.0f} pages/s of processor time"
        print(
            f"{name:10} {rate}, {memory / 1024:5.0f} MB of memory, {size / 1e6:7.0f} MB written", flush=True
        )
    if not place:
        shutil.rmtree(root)


def measure(folder: CrawlFolder, name: str, target: Path) -> tuple[float, int, int]:
    """Return the processor time of one export, the most memory in kilobytes and the bytes it left."""
    suffixes = FORMATS[name].suffixes
    target = target.with_name(f"{target.name}{suffixes[0]}") if suffixes else target
    command = ["thresher", "export", str(folder.path), "-f", name, "-o", str(target)]
    child = os.posix_spawn(sys.executable, [sys.executable, "-m", *command], os.environ)
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"{name} failed")
    size = sum(path.stat().st_size for path in (target, *target.rglob("*")) if path.is_file())
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    return used.ru_utime + used.ru_stime, used.ru_maxrss, size


def make(folder: CrawlFolder, pages: int) -> None:
    """Write the tables of a crawl, and an archive."""
    store = folder.create(written(read(None, [("topic", "honey"), ("seeds", ("http://h0.example/0",))])))
    store.facts.topic, store.facts.threshold = Topic("honey", {"honey": 1.0}), 0.5
    store.close()
    draw = random.Random(1)
    with closing(sqlite3.connect(folder.database, isolation_level=None)) as crawl:
        crawl.executescript(WATCH_TABLES)
        stored = _archive(folder, pages)
        size = (folder.archive / stored.file).stat().st_size
        crawl.execute("INSERT INTO archive (file, length) VALUES (?, ?)", (stored.file, size))
        for start in range(0, pages, SOME):
            fill(crawl, range(start, min(pages, start + SOME)), draw, stored)


def _archive(folder: CrawlFolder, pages: int) -> RecordLocation:
    """Write the same response as often as there are pages; return where the first lies, and its length."""
    writer = WarcWriter(folder.volume)
    place = writer.write(_exchange())
    writer.close()
    file = folder.archive / place.file
    record = file.read_bytes()[place.offset :]
    with file.open("ab") as more:
        for _ in range(pages - 1):
            more.write(record)
    return replace(place, length=len(record))


def _exchange() -> HttpExchange:
    body = b"<html><title>Honey</title><p>Honey and bees, bees and honey.</p></html>"
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"
    return HttpExchange(
        uri="http://h0.example/0", at=1.7e9, head=head, body=body, request=b"GET / HTTP/1.1\r\n\r\n"
    )


def fill(crawl: sqlite3.Connection, numbers: range, draw: random.Random, stored: RecordLocation) -> None:
    """Write some visits with their pages, links and captures, and what has changed since."""
    rows: dict[str, list[tuple[object, ...]]] = {}
    for number in numbers:
        page = _page(number, draw)
        url, key, score = page.url, key_of(page.url), round(draw.random() ** 2, 4)
        via = Link(Url("http://h0.example/0"), url, "honey")
        candidate = pack(Candidate(url, score, via, depth=3), bare=True)
        place = (stored.file, stored.offset + number * stored.length, stored.length)
        told: dict[str, tuple[object, ...]] = {
            "visit": (number + 1, key, url, "link", "fetched", 1.7e9 + number, score, 200, 900, "", "",
                      candidate, None, None),
            "page": (number + 1, key, number + 1, score, page.title, "en", len(page.text), pack_page(page)),
            "link": (number + 1, pack_keys([key_of(link.target) for link in page.links])),
            "capture": (number + 1, *place, "text/html", f"sha256:{number:064x}", number),
        }  # fmt: skip
        if number % CHANGED == 0:
            diff = f"- {page.main[:200]}\n+ {page.main[100:300]} {number}"
            edits = msgspec.msgpack.encode((number, number + 1))
            told["version"] = (number + 1, key, number % HOSTS, url, 1.8e9 + number, 1.7e9, "text", 1, 9, 0.5,
                               score, diff, edits, 0)  # fmt: skip
        for table, row in told.items():
            rows.setdefault(table, []).append(row)
    crawl.execute("BEGIN")
    for table, some in rows.items():
        crawl.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(some[0]))})", some)
    crawl.execute("COMMIT")


def _page(number: int, draw: random.Random) -> Page:
    url = Url(f"http://h{number % HOSTS}.example/{number}")
    main = " ".join(draw.choices(WORDS, k=150))
    links = tuple(
        Link(
            url, Url(f"http://h{other % HOSTS}.example/{other}"), main[:20], main[:80], place="html/body/p/a"
        )
        for other in (draw.randrange(number + 8) for _ in range(8))
    )
    print_ = Fingerprint(("hb", "yp"), "tags", 12.5, (), f"{number:032x}", draw.getrandbits(64))
    return Page(
        url, main[:30], f"Home\nMenu\n{main}\nImprint", main, "en", "utf-8", links, fingerprint=print_
    )


def _asked(folder: CrawlFolder, query: str) -> tuple[int, ...]:
    with closing(sqlite3.connect(folder.database)) as crawl:
        return crawl.execute(query).fetchone()  # type: ignore[no-any-return]


if __name__ == "__main__":
    main(*(int(each) if each.isdecimal() else each for each in sys.argv[1:]))  # type: ignore[arg-type]
