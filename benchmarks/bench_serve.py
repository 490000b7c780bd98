"""Every question of the screens about a crawl of a million pages: milliseconds at the server, and its memory.

python benchmarks/bench_serve.py [PAGES [FOLDER]]

The crawl is synthetic: its rows are written straight into the tables, 40 000 hosts, scores by chance.
"""

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError

from thresher.core.records import Candidate, Page, Topic, Url
from thresher.core.url import key_of
from thresher.search import indexer
from thresher.search.indexer import BUCKET, column_of
from thresher.settings.load import read, written
from thresher.store.codecs import pack, pack_page
from thresher.store.folder import CrawlFolder

HOSTS, ROUNDS, SOME = 40_000, 5, 20_000
WORDS = "honey bee queen hive wax comb nectar pollen drone swarm orchard cider apple barrel press".split()
THRESHOLD = 0.5


def main(pages: int = 1_000_000, place: str = "") -> None:
    """Make the crawl, serve it, and print a line for each question."""
    root = Path(place or tempfile.mkdtemp(prefix="bench-serve-"))
    if not (root / "million" / "search.db").exists():
        make(CrawlFolder(root / "million"), pages)
    command = [sys.executable, "-m", "thresher", "serve", str(root), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        address, _, token = server.stdout.readline().rpartition(" at ")[2].strip().partition("/#token=")
        measure(address, token)
        status = Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8")
        print(
            "memory of the server: " + next(line for line in status.splitlines() if line.startswith("VmHWM"))
        )
    finally:
        server.terminate()
        server.wait(10)


def measure(address: str, token: str) -> None:
    """Print the best and the worst of some rounds for each question, after one to warm up."""
    one = "/crawls/million"
    deep = ask(address, token, f"{one}/pages?sort=new&limit=1")["next"]
    key = ask(address, token, f"{one}/pages?limit=1")["items"][0]["key"]
    questions = [
        "/crawls", one, f"{one}/curve", f"{one}/now", f"{one}/pages?limit=50",
        f"{one}/pages?sort=new&limit=50",
        f"{one}/pages?sort=unsure&limit=50", f"{one}/pages?relevant=yes&limit=50",
        f"{one}/pages?q=honey&limit=50", f"{one}/pages?q=honey+barrel&limit=50",
        f"{one}/pages?host=h7.example&limit=50", f"{one}/pages/{key}",
        f"{one}/pages/{key}/why", f"{one}/wishes", f"{one}/hosts?limit=100", f"{one}/topic", f"{one}/changes",
        f"{one}/pages?sort=new&limit=50&after={deep}", "/compare?ids=million",
    ]  # fmt: skip
    for path in questions:
        try:
            ask(address, token, path)
        except HTTPError as error:
            print(f"given up: {error.code}       {path}")  # a word on half of all pages takes over 5 s
            continue
        times = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            ask(address, token, path)
            times.append(1000 * (time.perf_counter() - began))
        print(f"{min(times):8.1f} to {max(times):8.1f} ms  {path.replace(key, 'KEY')[:70]}")


def ask(address: str, token: str, path: str) -> dict:  # type: ignore[type-arg]
    """Return one answer."""
    request = urllib.request.Request(f"{address}/api/v1{path}", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)  # type: ignore[no-any-return]


def make(folder: CrawlFolder, pages: int) -> None:
    """Write the tables of a crawl and of its index."""
    store = folder.create(written(read(None, [("topic", "honey"), ("seeds", ("http://h0.example/0",))])))
    store.facts.topic, store.facts.threshold = Topic("honey", {"honey": 1.0}), THRESHOLD
    store.facts.strategy, store.facts.judge = "thresher", "question"
    store.close()
    draw = random.Random(1)
    with (
        closing(sqlite3.connect(folder.database, isolation_level=None)) as crawl,
        closing(sqlite3.connect(folder.path / "search.db", isolation_level=None)) as index,
    ):
        index.execute("PRAGMA journal_mode = WAL")
        index.executescript(f"{indexer.TABLES} PRAGMA user_version = {indexer.VERSION};")
        for start in range(1, pages + 1, SOME):
            fill(crawl, index, range(start, min(pages, start + SOME - 1) + 1), draw)
        finish(crawl, index, pages)


def fill(crawl: sqlite3.Connection, index: sqlite3.Connection, numbers: range, draw: random.Random) -> None:
    """Write some visits with their pages, and what the index keeps of them."""
    visits, kept, facts, words = [], [], [], []
    for number in numbers:
        host = draw.randrange(HOSTS)
        url, score = Url(f"http://h{host}.example/{number}"), round(draw.random() ** 2, 4)
        text, key = " ".join(draw.choices(WORDS, k=12)), key_of(url)
        candidate = pack(Candidate(url, score), bare=True)
        page = pack_page(Page(url, text[:30], text, text, "en"))
        visits.append(
            (number, key, url, "link", "fetched", 1.7e9 + number, score, 200, 900, "", "", candidate)
        )
        kept.append((number, key, number, score, text[:30], "en", len(text), page))
        facts.append((number, key, host + 1, score, 1.7e9 + number, "en", 900, 3, 0.1, text[:30], url))
        words.append((number, text[:30], text))
    for connection in (crawl, index):
        connection.execute("BEGIN")
    crawl.executemany(
        "INSERT INTO visit (number, key, url, request, outcome, at, relevance, status, size, record, reason,"
        " candidate) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
        visits,
    )
    crawl.executemany(
        "INSERT INTO page (id, key, visit, relevance, title, language, letters, page)"
        " VALUES (?,?,?,?,?,?,?,?)",
        kept,
    )
    index.executemany("INSERT INTO fact VALUES (?,?,?,?,?,?,?,?,?,?,?)", facts)
    index.executemany("INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)", words)
    for connection in (crawl, index):
        connection.execute("COMMIT")


def finish(crawl: sqlite3.Connection, index: sqlite3.Connection, pages: int) -> None:
    """Fold the rows as the index does."""
    first = crawl.execute("SELECT url, at FROM visit WHERE number = 1").fetchone()
    relevant = index.execute("SELECT count(*) FROM fact WHERE relevance >= ?", (THRESHOLD,)).fetchone()[0]
    index.create_function("col", 1, column_of)
    index.executescript(
        "INSERT INTO score SELECT col(relevance), count(*) FROM fact GROUP BY 1;"
        f"INSERT INTO bucket SELECT (visit - 1) / {BUCKET}, sum(relevance >= {THRESHOLD})"
        " FROM fact GROUP BY 1; INSERT INTO host (id, name, visits, pages, relevant)"
        " SELECT host, 'http://h' || (host - 1) || '.example',"
        f" count(*), count(*), sum(relevance >= {THRESHOLD}) FROM fact GROUP BY host;"
        f"INSERT INTO tally VALUES ('outcome', 'fetched', {pages});"
    )
    index.execute(
        "INSERT INTO done VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)",
        (pages, pages, pages, f"{first[1]!r} {first[0]}", THRESHOLD, pages, relevant, pages, 900 * pages,
         1.7e9, 1.7e9 + pages, 1.7e9 + pages),
    )  # fmt: skip


if __name__ == "__main__":
    main(*(int(each) if each.isdecimal() else each for each in sys.argv[1:]))  # type: ignore[arg-type]
