"""Search in 100 000 pages of shuffled lines of two recorded webs: how long queries take. Run with -s."""

import random
import time
from pathlib import Path

import pytest

from checks.check_search import CORPORA, _pages, _queries
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Page, Url, Visit
from thresher.search.find import search
from thresher.search.index import catch_up
from thresher.store.folder import CrawlFolder

pytestmark = pytest.mark.timeout(7200)

PAGES, LETTERS = 100_000, 3093


def test_a_hundred_thousand_pages_are_searched_while_typing(tmp_path: Path) -> None:
    folder = _made(CrawlFolder(tmp_path / "large"))
    began = time.process_time()
    catch_up(folder)
    size = (folder.path / "search.db").stat().st_size / 1e6
    print(f"\nindexed in {time.process_time() - began:.0f} s of processor time, {size:.0f} MB")
    times = []
    for _ in range(3):
        for _, query, _ in _queries():
            start = time.process_time()
            search([folder], query, 20)
            times.append(1000 * (time.process_time() - start))
    times.sort()
    print(f"median {times[len(times) // 2]:.1f} ms, p99 {times[int(len(times) * 0.99)]:.1f} ms")
    assert times[int(len(times) * 0.99)] <= 150


def _made(folder: CrawlFolder) -> CrawlFolder:
    lines = {
        language: [line for page in _pages(corpus) for line in page.main.splitlines() if len(line) > 20]
        for language, corpus in CORPORA.items()
    }
    draw = random.Random(1)
    store = folder.create()
    store.facts.threshold = 0.5
    for number in range(PAGES):
        language = "zh" if number % 2 else "en"
        text = _text(lines[language], draw)
        page = Page(Url(f"http://h{number % 997}.example/{number}"), text[:40], text, "", language)
        store.add(Visit(Candidate(page.url), Outcome.FETCHED, float(number), page, draw.random()))
    store.close()
    return folder


def _text(lines: list[str], draw: random.Random) -> str:
    text = ""
    while len(text) < LETTERS:
        text += draw.choice(lines) + "\n"
    return text[:LETTERS]
