"""A damaged database, or one that can only be read: every verb ends in a sentence, or does its work."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher.core.records import Url
from thresher.store.folder import CrawlFolder

pytestmark = pytest.mark.posix

PAGE = 8192  # bytes of a page of the database
Bytes = bytearray


def noise(data: Bytes, start: int, end: int) -> Bytes:
    data[start:end] = random.Random(1).randbytes(end - start)
    return data


DAMAGE: dict[str, Callable[[Bytes], Bytes]] = {
    "noise in page 2": lambda data: noise(data, PAGE, 2 * PAGE),
    "noise in every page but the first": lambda data: noise(data, PAGE, len(data)),
    "the second half gone": lambda data: data[: len(data) // 2],
    "the header gone": lambda data: noise(data, 0, 100),
    "the schema gone": lambda data: noise(data, 100, PAGE),
    "empty": lambda data: Bytes(),
    "text": lambda data: Bytes(b"This is no database.\n" * 1000),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory) -> Path:
    """A crawl that was looked at again, as its readers leave it."""
    folder = tmp_path_factory.mktemp("damage") / "bees"
    assert thresher("crawl", "beekeeping", "-o", str(folder), "--pages", "40").code == 0
    assert thresher("revisit", str(folder), "--once", "--budget", "20").code == 0
    assert (folder / "crawl.db-wal").stat().st_size == 0
    return folder


def copied(crawled: Path, folder: Path) -> Path:
    """Copy a crawl without the files that belong to an open database."""
    shutil.copytree(crawled, folder, ignore=shutil.ignore_patterns("crawl.db-*"))
    return folder / "crawl.db"


@pytest.fixture(scope="module")
def page(crawled) -> Url:
    store = CrawlFolder(crawled).open()
    try:
        return next(iter(store.pages())).candidate.url
    finally:
        store.close()


def verbs(folder: Path, page: Url) -> dict[str, list[str]]:
    place = str(folder)
    return {
        "report": ["report", place],
        "report --json": ["report", place, "--json"],
        "resume": ["resume", place, "--pages", "60"],
        "export": ["export", place, "-o", str(folder.parent / "out.jsonl")],
        "export warc": ["export", place, "-o", str(folder.parent / "out.warc.gz")],
        "why": ["why", page, place],
        "label": ["label", place, page, "yes"],
        "changes": ["revisit", "--list", place],
        "search": ["search", place, "bees"],
        "rejudge": ["label", "--apply", place],
        "revisit": ["revisit", place, "--once", "--budget", "5"],
        "crawl": ["crawl", "beekeeping", "-o", place],
    }


@pytest.mark.timeout(240)
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_database_is_one_sentence_under_every_verb(damage, crawled, page, tmp_path):
    for verb in verbs(crawled, page):
        folder = tmp_path / verb.replace(" ", "_") / "bees"
        database = copied(crawled, folder)
        database.write_bytes(DAMAGE[damage](Bytes(database.read_bytes())))
        ran = thresher(*verbs(folder, page)[verb])
        assert ran.code in (0, 1, 2), (verb, ran.err)
        assert "Traceback" not in ran.err
        if ran.code:
            assert ran.err.splitlines()[-1][-1] in ".?", ran.err


@pytest.mark.timeout(240)
def test_bytes_that_flip_anywhere_are_a_sentence_or_nothing(crawled, page, tmp_path):
    dice, whole = random.Random(2), (crawled / "crawl.db").read_bytes()
    folder = tmp_path / "bees"
    database = copied(crawled, folder)
    for _ in range(15):
        data = Bytes(whole)
        for _ in range(40):
            data[dice.randrange(100, len(data))] ^= 1 << dice.randrange(8)
        database.write_bytes(data)
        for verb in ("report --json", "export", "why", "changes"):
            ran = thresher(*verbs(folder, page)[verb])
            assert ran.code in (0, 1, 2), (verb, ran.err)


@pytest.fixture(params=["as copied", "as a crawl leaves it"])
def on_a_disc(request, crawled, tmp_path) -> Iterator[Path]:
    """The crawl on a file system that can only be read."""
    place = tmp_path / "disc"
    place.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)]).returncode:
        pytest.skip("a file system can only be mounted by root")
    try:
        if request.param == "as copied":
            copied(crawled, place / "bees")
        else:
            shutil.copytree(crawled, place / "bees")
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        yield place / "bees"
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.timeout(120)
def test_a_crawl_on_a_disc_can_be_read(on_a_disc, page, tmp_path):
    out, place = tmp_path / "out.jsonl", str(on_a_disc)
    readers = [
        ["report", place],
        ["report", place, "--json"],
        ["search", place, "queen"],
        ["report", place, "-o", str(tmp_path / "report.html")],
        ["why", page, place],
        ["revisit", "--list", place],
        ["export", place, "-o", str(out)],
        ["export", place, "-o", str(tmp_path / "out.warc.gz")],
        ["topic", "suggest", "beekeeping", "--crawl", place],
    ]
    for arguments in readers:
        ran = thresher(*arguments)
        assert ran.code == 0, (arguments, ran.err)
    assert len(out.read_text().splitlines()) >= 40
    for arguments, sentence in [
        (["report", place, "-o", f"{place}/x.html"], "name another place for the report with -o."),
        (["resume", place, "--pages", "90"], "Read-only file system"),
        (["label", place, page, "yes"], "Read-only file system"),
    ]:
        ran = thresher(*arguments)
        assert ran.code in (1, 2) and sentence in ran.err, ran.err
