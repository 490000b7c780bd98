"""What a disk changes in a crawl folder is found: in the database, the archive and its index."""

import gzip
import hashlib
import json
import random
import shutil
import sqlite3
import zlib
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.command_line import thresher
from tests.unit.changing_site import Site, html
from thresher.core.errors import ArchiveDamaged, NotACrawl
from thresher.export.formats import FORMATS
from thresher.export.items import pages_of
from thresher.store import fixity
from thresher.store.check import check
from thresher.store.folder import CrawlFolder

FLIPS, WARC_FLIPS, PAGES = 60, 30, 12


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A crawl of some pages with its archive, as its end left it."""
    site = Site(tmp_path_factory.mktemp("check"))
    links = tuple(f"/p{number}" for number in range(PAGES))
    site.pages["/"] = html("Bees", "All about bees and their hives.", links=links)
    for number, link in enumerate(links):
        site.pages[link] = html(f"Bees {number}", f"Hive number {number} has {number * 977} bees and honey.")
    site.crawl()
    return site.crawl_folder.path


@pytest.fixture
def folder(whole, tmp_path) -> CrawlFolder:
    ignored = shutil.ignore_patterns("crawl.db-*", "search.db*")
    return CrawlFolder(Path(shutil.copytree(whole, tmp_path / "bees", ignore=ignored)))


def flip(path: Path, bit: int) -> None:
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


def archive(folder: CrawlFolder) -> Path:
    (path,) = folder.archive.glob("*.warc.gz")
    return path


def test_a_crawl_as_its_end_left_it_is_whole(folder):
    assert list(check(folder)) == [] and fixity.is_sealed(folder.database)
    assert thresher("check", str(folder.path)).out.splitlines()[-1] == "Everything is whole."


def test_every_flipped_bit_of_the_database_is_found_and_nothing_of_it_is_shown(folder):
    chance, size = random.Random(1), folder.database.stat().st_size
    for bit in chance.sample(range(8 * size), FLIPS):
        flip(folder.database, bit)
        assert [each for each in check(folder) if each.file == "crawl.db"], bit
        with pytest.raises(NotACrawl, match="damaged"):
            folder.open()
        flip(folder.database, bit)
    assert list(check(folder)) == []


def test_a_damaged_database_is_a_sentence_for_every_verb_and_is_not_written(folder):
    flip(folder.database, 8 * 20_000)
    data, place = folder.database.read_bytes(), str(folder.path)
    for verb in (
        ["export", place],
        ["report", place],
        ["search", place, "bees"],
        ["resume", place, "--pages", "60"],
    ):
        ran = thresher(*verb)
        assert ran.code == 2 and "is damaged" in ran.err and "Traceback" not in ran.err
    assert folder.database.read_bytes() == data


def test_every_flipped_byte_of_the_archive_is_found_and_left_out_of_exports(folder, tmp_path):
    path, chance = archive(folder), random.Random(2)
    before = unpacked(path)
    for bit in chance.sample(range(8 * path.stat().st_size), WARC_FLIPS):
        flip(path, bit)
        found = [each for each in check(folder) if each.file == path.name]
        assert found or unpacked(path) == before, bit  # date and system in a head of gzip are no content
        for name in ("warc", "wacz"):
            exported(folder, name, tmp_path)
        flip(path, bit)


def unpacked(path: Path) -> bytes:
    with suppress(OSError, EOFError, zlib.error):
        return gzip.decompress(path.read_bytes())
    return b""


def exported(folder: CrawlFolder, name: str, place: Path) -> None:
    """Export an archive, and hold every record in it to its digest."""
    target = place / f"out{FORMATS[name].suffixes[0]}"
    try:
        with pages_of(folder) as pages:
            FORMATS[name].save(pages, target)
    except ArchiveDamaged as error:
        assert "left out" in str(error)


def test_an_export_leaves_damage_out_says_so_and_ends_with_1(folder, tmp_path):
    with folder.open() as store:
        some = list(store.kept())[3].capture
    flip(archive(folder), 8 * (some.offset + some.length // 2))
    target = tmp_path / "out.warc.gz"
    ran = thresher("export", str(folder.path), "-o", str(target))
    assert ran.code == 1 and "1 response is damaged" in ran.err and target.exists()
    assert some.url in ran.err


def test_an_archive_that_was_cut_and_an_index_that_was_changed_are_found(folder):
    path, index = archive(folder), folder.archive / "index.cdxj"
    index.write_text(index.read_text().replace("200", "404", 1))
    path.write_bytes(path.read_bytes()[:-100])
    named = {each.file for each in check(folder)}
    assert named == {path.name, "index.cdxj"}


def test_after_a_kill_there_are_no_checksums_until_the_next_end(folder):
    fixity.unseal(folder.database)
    assert "no checksums" in thresher("check", str(folder.path)).out
    folder.resume().close()
    assert fixity.is_sealed(folder.database)


def test_another_program_that_wrote_to_the_database_is_noticed(folder):
    with closing(sqlite3.connect(folder.database)) as database, database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("UPDATE visit SET relevance = 1.0")
    assert next(each.what for each in check(folder)) == "not as it was written"


def test_findings_are_printed_as_json_too(folder):
    flip(archive(folder), 8 * 200)
    ran = thresher("check", str(folder.path), "--json")
    told = json.loads(ran.out)
    assert ran.code == 1 and not told["whole"] and told["findings"][0]["file"] == archive(folder).name


def test_a_manifest_names_every_file_with_its_sum(folder):
    assert thresher("check", str(folder.path), "--manifest").code == 0
    lines = (folder.path / "manifest-sha256.txt").read_text().splitlines()
    for line in lines:
        sum_, name = line.split("  ")
        assert hashlib.sha256((folder.path / name).read_bytes()).hexdigest() == sum_
    assert {"crawl.db", "crawl.toml", "crawl.sums"} <= {line.split("  ")[1] for line in lines}
