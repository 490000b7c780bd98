"""A revisit of many short lives: python -m tests.faults.killing.revisit [--kills 20] [--pages 400]."""

import argparse
import random
import sqlite3
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.faults.killing.evidence import acknowledged, check_clean
from tests.faults.killing.harness import RANDOM, KilledCrawl
from tests.faults.killing.site import NETWORK, Sites, Url, response
from thresher.core import files
from thresher.store.folder import CrawlFolder

LIVES = (
    files.BEFORE_VERSION,  # after the WARC revisit record, before the version row
    files.AFTER_ARCHIVE,
    files.IN_RECOVERY,
    RANDOM,
    files.AFTER_VERSION,
    files.BEFORE_COMMIT,
    files.IN_CUT,
    files.AFTER_FETCH,
    files.AFTER_COMMIT,
)


class AgedSites(Sites):
    """The same two sites; once `aged` is set a third of the pages have changed, and some have gone."""

    aged = False

    def fate(self, url: Url) -> str:
        """Return what a look at a page must find: text, vanished, or nothing."""
        number = int(url.split("/")[-1]) if not url.endswith("/here") else 1
        if self._kind(number) in ("repeated", "moved", "gone"):
            return ""
        return {0: "text", 5: "vanished"}.get(number % 3 if number % 15 != 5 else 5, "")

    async def _answer(self, address: str, path: str, head: str = "") -> bytes:
        url = f"http://{address}:{self.port}{path}"
        if not self.aged or not path.startswith("/page/"):
            answer = await super()._answer(address, path, head)
            return answer.replace(b"\r\nContent-Length", b'\r\nETag: "old"\r\nContent-Length', 1)
        fate = self.fate(url)
        if fate == "" and int(path.split("/")[2]) % 2 and 'if-none-match: "old"' in head.lower():
            self.hits[url] += 1
            return b'HTTP/1.1 304 Not Modified\r\nETag: "old"\r\n\r\n'
        if fate == "vanished":
            self.hits[url] += 1
            return response("410 Gone", b"<p>gone</p>")
        return await super()._answer(address, path, head)

    def _body(self, address: str, number: int) -> bytes:
        body = super()._body(address, number)
        if self.aged and self.fate(self.url(address, number)) == "text":
            return body.replace(b"</p>", b"</p><p>The hive of number %d has swarmed since.</p>" % number, 1)
        return body


@dataclass
class KilledRevisit(KilledCrawl):
    """One pass over the pages of a crawl, killed again and again."""

    lives: tuple[str, ...] = LIVES

    def prepare(self) -> None:
        """Crawl both sites to their end, then let them age."""
        assert self.live(""), "the crawl did not end"
        self.crawled = len(acknowledged(self.folder))
        assert isinstance(self.sites, AgedSites)
        self.sites.aged = True

    def check_end(self) -> None:
        """See that every page was looked at once, and that every change is there, once."""
        assert isinstance(self.sites, AgedSites)
        visits = acknowledged(self.folder)
        pages = {visit.url for visit in visits[: self.crawled] if visit.outcome == "fetched"}
        revisits = Counter(visit.url for visit in visits[self.crawled :])
        assert revisits == Counter(pages), "a page was not looked at, or more than once"
        found = self._rows("SELECT url, kind FROM version")
        wanted = sorted((url, kind) for url in pages if (kind := self.sites.fate(url)))
        assert sorted(found) == wanted, "a version was lost, or stored twice"
        assert self._rows("SELECT count(*) FROM revisit") == [(len(pages),)]
        newest = [url for url, text in self._pages() if "swarmed since" in text]
        assert sorted(newest) == sorted(url for url, kind in wanted if kind == "text")
        check_clean(self.folder, visits)

    def _arguments(self) -> list[str]:
        if getattr(self.sites, "aged", False):
            return [
                "revisit",
                str(self.folder),
                "--once",
                "--delay=0",
                "--set",
                f"web.allow_networks={[NETWORK]}",
            ]
        return super()._arguments()

    def _pages(self) -> list[tuple[str, str]]:
        store = CrawlFolder(self.folder).open()
        try:
            return [(visit.candidate.url, visit.page.text) for visit in store.pages() if visit.page]
        finally:
            store.close()

    def _rows(self, query: str) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(self.folder / "crawl.db")
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()


def kill_revisit(folder: Path, pages: int, kills: int, seed: int) -> KilledRevisit:
    """Crawl, age, and kill the revisit that many times; raise where anything is lost or twice."""
    with AgedSites(pages) as sites:
        revisit = KilledRevisit(folder / "crawl", sites, random.Random(seed))
        revisit.prepare()
        revisit.run(kills)
    return revisit


def main() -> None:
    """Kill until enough kills are done, and say what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.killing.revisit", description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--pages", type=int, default=400, help="of each of the two sites")
    parser.add_argument("--seed", type=int, default=1)
    asked, began = parser.parse_args(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        done = kill_revisit(Path(folder), asked.pages, asked.kills, asked.seed)
    where = ", ".join(f"{count} at {point}" for point, count in done.kills.most_common())
    print(
        f"{done.kills.total()} kills in {time.monotonic() - began:.0f} s: {where}. "
        "Every page looked at once, every version stored once."
    )


if __name__ == "__main__":
    main()
