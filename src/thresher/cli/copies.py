"""Copies beside a report, so that its links work when the web that was crawled is gone."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.report.figures import Figures
from thresher.search.reader import spelt
from thresher.serve.files import shown_copy
from thresher.serve.requests import Problem
from thresher.store.folder import CrawlFolder

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
HEAD = f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{POLICY}">'


def save_copies(runs: Sequence[Figures], place: Path) -> dict[Url, str]:
    """Write a copy of every page that a report of these crawls links to, and return where each is."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    saved: dict[Url, str] = {}
    for run in runs:
        folder = CrawlFolder(Path(run.folder))
        for url in _linked(run):
            file = place / f"{spelt(key_of(url))}.html"
            if url not in saved and _save(folder, url, file):
                saved[url] = f"{place.name}/{file.name}"
    return saved


def _linked(run: Figures) -> Iterator[Url]:
    """Yield the pages that a report links to."""
    yield from (page.url for page in run.top)
    yield from (wish.url for wish in run.learned.wishes) if run.learned else ()
    yield from (change.url for change in run.kept.changes) if run.kept else ()


def _save(folder: CrawlFolder, url: Url, file: Path) -> bool:
    """Write the latest copy that the archive has of a page, without what acts; tell if there is one."""
    store = folder.open()
    try:
        visits = [look.visit for look in store.looks_at(key_of(url)) if look.has_copy]
    finally:
        store.close()
    if not visits:
        return False
    try:
        kind, text = shown_copy(folder, max(visits))
    except Problem:
        return False
    if kind != "text/html":
        return False
    file.write_text(HEAD + text.removeprefix("<!doctype html>"), encoding="utf-8")
    return True
