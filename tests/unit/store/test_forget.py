"""Pages that somebody wants removed: gone from every file of the crawl, and not asked for again."""

import json
import sqlite3
from contextlib import closing

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.command_line import thresher
from tests.faults.killing.evidence import is_clean
from tests.unit.changing_site import Site, html
from thresher.build.resume import closing_store
from thresher.core.errors import CrawlRunning
from thresher.store import forget as forgetting
from thresher.store.forget import DeletionRequest, forget
from thresher.store.labels import Labels

SECRET = "zanzibarite"
STORY = "The queen bees keep warm all winter long, and honey is what they live on."


@pytest.fixture
def site(tmp_path) -> Site:
    """A page with a word that is to go, a page it leads to, its copy, and a redirect to it."""
    site = Site(tmp_path)
    site.pages["/"] = html("Bees", "All bees.", links=("/secret", "/old", "/other"))
    site.pages["/secret"] = html(SECRET, f"The queen of the bees makes honey of {SECRET}.", links=("/child",))
    site.pages["/child"] = html("Child", "Young bees clean the cells before they fly.")
    site.pages["/other"] = html("Other", "Solitary bees dig their nests into sand or old wood.")
    site.answers["/old"] = (301, {"location": "/secret"})
    site.crawl()
    thresher("report", str(site.crawl_folder.path))
    assert thresher("search", str(site.crawl_folder.path), SECRET).code == 0
    Labels(site.crawl_folder.labels).add({site.url("/secret"): True, site.url("/other"): True})
    return site


def traces(site: Site) -> list[str]:
    """Return the files of the crawl that hold the word, archives unpacked."""
    found = []
    for path in sorted(site.crawl_folder.path.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if path.name.endswith(".warc.gz"):
            with path.open("rb") as file:
                data = b"".join(record.content_stream().read() for record in ArchiveIterator(file))
        if SECRET.encode() in data:
            found.append(path.name)
    return found


def packed(site: Site) -> bytes:
    """Return some bytes of the page as the database keeps it."""
    with closing(sqlite3.connect(site.crawl_folder.database)) as database:
        (page,) = database.execute("SELECT page FROM page WHERE title = ?", (SECRET,)).fetchone()
    return bytes(page[16:80])


def urls(site: Site) -> set[str]:
    ran = thresher("export", str(site.crawl_folder.path))
    return {json.loads(line)["url"].rpartition("/")[2] for line in ran.out.splitlines()}


def test_nothing_of_a_page_is_left_and_everything_else_is(site):
    kept = packed(site)
    assert traces(site) and kept in site.crawl_folder.database.read_bytes()
    ran = thresher("forget", str(site.crawl_folder.path), site.url("/secret"))
    assert ran.code == 0, ran.err
    assert ran.out.startswith("1 page removed, with 2 visits and 2 archived responses.")
    assert traces(site) == [] and kept not in site.crawl_folder.database.read_bytes()
    assert urls(site) == {"", "child", "other"}
    assert list(Labels(site.crawl_folder.labels).all()) == [site.url("/other")]


def test_the_archive_is_whole_and_its_index_leads_to_what_is_left(site, tmp_path):
    forget(site.crawl_folder, DeletionRequest((site.url("/secret"),)))
    (archive,) = site.crawl_folder.archive.glob("*.warc.gz")
    assert is_clean(archive)
    assert "/secret" not in (site.crawl_folder.archive / "index.cdxj").read_text()
    target = tmp_path / "out.warc.gz"
    assert thresher("export", str(site.crawl_folder.path), "-o", str(target)).code == 0
    with target.open("rb") as file:
        kept = [
            each.rec_headers["WARC-Target-URI"]
            for each in ArchiveIterator(file)
            if each.rec_type == "response"
        ]
    assert sorted(url.rpartition("/")[2] for url in kept) == ["", "child", "other"]


def test_the_crawl_does_not_ask_for_it_again_neither_resumed_nor_revisited(site):
    forget(site.crawl_folder, DeletionRequest((site.url("/secret"),)))
    site.pages["/"] = html("Bees", "All bees, and news.", links=("/secret", "/other", "/new"))
    site.pages["/new"] = html("New", STORY, "New bees.")
    site.revisit(discover=1.0)
    assert "/secret" not in site.asked and "/" in site.asked
    assert traces(site) == []


def test_a_whole_host_goes(site):
    told = forget(site.crawl_folder, DeletionRequest(hosts=("bees.example",)))
    assert told.pages == 4 and urls(site) == set()
    assert traces(site) == []


def test_a_host_is_not_another_that_ends_alike(site):
    assert forget(site.crawl_folder, DeletionRequest(hosts=("ees.example",))).pages == 0
    assert len(urls(site)) == 4


def test_a_copy_without_bytes_of_its_own_is_told(tmp_path):
    site = Site(tmp_path)
    site.pages["/"] = html("Bees", links=("/a", "/b"))
    site.pages["/a"] = site.pages["/b"] = html(SECRET, STORY)
    site.crawl()
    ran = thresher("forget", str(site.crawl_folder.path), site.url("/a"))
    assert "1 page elsewhere had the same bytes and no other copy" in ran.out
    (archive,) = site.crawl_folder.archive.glob("*.warc.gz")
    assert is_clean(archive) and traces(site) == ["crawl.db"]  # the text of /b


def test_a_page_that_was_never_fetched_is_left_out_from_now_on(site):
    ran = thresher("forget", str(site.crawl_folder.path), "http://bees.example/later")
    assert ran.out.startswith("0 pages removed, with 0 visits and 0 archived responses.")
    assert "bees\\\\.example/later" in site.crawl_folder.settings.read_text()


def test_a_running_crawl_is_refused(site):
    store = site.crawl_folder.resume()
    with closing_store(store), pytest.raises(CrawlRunning):
        forget(site.crawl_folder, DeletionRequest((site.url("/secret"),)))


@pytest.mark.parametrize("broken", ["_delete", "remove_discarded", "_forget_files"])
def test_cut_off_at_any_point_it_is_old_or_new_and_done_when_it_is_done_again(site, monkeypatch, broken):
    class Cut(Exception):
        pass

    def cut(*_):
        raise Cut

    with monkeypatch.context() as patched:
        patched.setattr(forgetting, broken, cut)
        with pytest.raises(Cut):
            forget(site.crawl_folder, DeletionRequest((site.url("/secret"),)))
    left = urls(site)
    assert left in ({"", "child", "other"}, {"", "child", "other", "secret"})
    site.crawl_folder.resume().close()
    forget(site.crawl_folder, DeletionRequest((site.url("/secret"),)))
    assert traces(site) == [] and urls(site) == {"", "child", "other"}


def test_a_folder_without_a_crawl_is_said_to_have_none(tmp_path):
    told = thresher("forget", str(tmp_path / "nowhere"), "http://a.test/")
    assert told.code == 2
    assert told.err == f"No crawl in {tmp_path / 'nowhere'}. Make one with 'thresher crawl'.\n"
