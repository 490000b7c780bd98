"""Every export format, read back by a reader that is not ours."""

import hashlib
import json
import sqlite3
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.command_line import thresher
from tests.unit.changing_site import Site, html
from thresher.export.formats import FORMATS
from thresher.export.items import FolderFormat, Item, Selection, StreamFormat, pages_of
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels

STORY = "The queen bees keep warm all winter long, and honey is what they live on until spring comes."


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Site:
    """Five pages, of which two say the same, one is Chinese, and one has changed since."""
    site = Site(tmp_path_factory.mktemp("site"))
    story = STORY * 5
    site.pages["/"] = html("Bees \x0b & <honey>", "All bees.", links=("/a", "/b", "/zh", "/kites"))
    site.pages["/a"] = html("A", story, links=("/", "/b"))
    site.pages["/b"] = html("B", story)
    site.pages["/zh"] = html("蜜蜂", "蜜蜂在花丛中采集花蜜，蜂王在蜂巢里产卵，工蜂照顾幼虫。" * 5)
    site.pages["/kites"] = html("Kites", "Kites fly in the wind, high above the hills and the sea.")
    site.crawl()
    site.pages["/a"] = html("A", story, "A new swarm has come to the old hive.", links=("/", "/b"))
    assert site.revisit().substantive == 1
    return site


def saved(site: Site, target: Path, *more: str) -> Path:
    ran = thresher("export", str(site.crawl_folder.path), "-o", str(target), *more)
    assert (ran.code, ran.out) == (0, "")
    return target


def lines_of(site: Site, *more: str) -> list[dict]:
    ran = thresher("export", str(site.crawl_folder.path), *more)
    assert ran.code == 0, ran.err
    return [json.loads(line) for line in ran.out.splitlines()]


def test_every_format_has_a_name_of_its_own_and_no_ending_twice():
    endings = [suffix for each in FORMATS.values() for suffix in each.suffixes]
    assert len(endings) == len(set(endings))
    assert [name for name, each in FORMATS.items() if name != each.name] == []
    assert all(each.suffixes or isinstance(each, FolderFormat) for each in FORMATS.values())


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_counts_what_it_writes_and_leaves_nothing_unfinished(site, tmp_path, name):
    if name in ("parquet", "dataset"):
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow: pip install '.[parquet]'")
    form = FORMATS[name]
    target = tmp_path / f"out{(*form.suffixes, '')[0]}"
    ran = thresher("export", str(site.crawl_folder.path), "-f", name, "-o", str(target))
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.split()[0].isdigit() and int(ran.err.split()[0]) > 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("name", [name for name, each in FORMATS.items() if isinstance(each, StreamFormat)])
def test_a_stream_is_the_same_on_stdout_and_in_a_file(site, tmp_path, name):
    form = FORMATS[name]
    target = saved(site, tmp_path / f"out{form.suffixes[0]}")
    shown = thresher("export", str(site.crawl_folder.path), "-f", name)
    assert shown.out.replace("\r\n", "\n").encode() == target.read_bytes().replace(b"\r\n", b"\n")


def test_an_unknown_ending_is_refused_with_the_list(site, tmp_path):
    ran = thresher("export", str(site.crawl_folder.path), "-o", str(tmp_path / "x.xlsx"))
    assert (ran.code, ran.out) == (2, "")
    assert "No format for 'x.xlsx'. Known endings: .atom, .csv," in ran.err
    assert len(ran.err.splitlines()) == 1 and not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(site, tmp_path):
    ran = thresher("export", str(site.crawl_folder.path), "-o", str(tmp_path / "nowhere" / "x.jsonl"))
    assert (ran.code, ran.out) == (2, "") and f"No folder {tmp_path / 'nowhere'} here." in ran.err


@pytest.mark.parametrize("name", ["parquet", "wacz", "sqlite", "markdown", "dataset", "warc"])
def test_what_is_no_stream_wants_a_name(site, name):
    ran = thresher("export", str(site.crawl_folder.path), "-f", name)
    assert (ran.code, ran.out) == (2, "") and "name the file, as in -o bees" in ran.err


def test_parquet_is_json_lines_field_by_field(site, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    every = ",".join(Item.__struct_fields__)
    rows = pq.read_table(saved(site, tmp_path / "x.parquet", "--fields", every)).to_pylist()
    for row in rows:
        row["fetched_at"] = row["fetched_at"].strftime("%Y-%m-%dT%H:%M:%SZ")
    assert rows == lines_of(site, "--fields", every) and len(rows) == 5


def test_without_the_library_parquet_says_what_to_install(site, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    ran = thresher("export", str(site.crawl_folder.path), "-o", str(tmp_path / "x.parquet"))
    assert (ran.code, ran.err) == (2, "Parquet needs pyarrow: pip install '.[parquet]'\n")
    assert not list(tmp_path.iterdir())


def test_a_dataset_has_every_page_once_and_each_host_in_one_split(site, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="a dataset needs pyarrow")
    folder = saved(site, tmp_path / "set", "-f", "dataset")
    files = sorted((folder / "data").glob("*.parquet"))
    assert sum(pq.read_table(file).num_rows for file in files) == 5
    assert len({file.name.partition("-")[0] for file in files}) == 1  # of one host
    assert (folder / "README.md").read_text().startswith("---\npretty_name:")
    again = thresher("export", str(site.crawl_folder.path), "-f", "dataset", "-o", str(folder))
    assert again.code == 2 and "is there already" in again.err


def test_the_sqlite_file_is_found_by_its_words(site, tmp_path):
    database = sqlite3.connect(saved(site, tmp_path / "x.sqlite"))
    found = "SELECT page.url FROM page_fts JOIN page ON page.rowid = page_fts.rowid WHERE page_fts MATCH ?"
    assert database.execute(found, ("wind",)).fetchall() == [(site.url("/kites"),)]
    links = database.execute("SELECT target FROM link WHERE source = ?", (site.url("/a"),)).fetchall()
    assert links == [(site.url("/"),), (site.url("/b"),)]
    assert database.execute("SELECT url, substantive FROM change").fetchall() == [(site.url("/a"), 1)]
    database.close()


def test_atom_is_read_by_feedparser_and_shows_what_came(site, tmp_path):
    feedparser = pytest.importorskip("feedparser", reason="feedparser checks the feed")
    feed = feedparser.parse(saved(site, tmp_path / "x.atom").read_bytes())
    assert not feed.bozo
    (entry,) = feed.entries
    assert (entry.link, entry.title) == (site.url("/a"), "A")
    assert entry.id.startswith(site.url("/a") + "#")
    assert "<ins>A new swarm has come to the old hive.</ins>" in entry.content[0].value


def test_a_json_feed_has_the_same_news(site, tmp_path):
    feed = json.loads(saved(site, tmp_path / "news.feed.json").read_bytes())
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    (item,) = feed["items"]
    assert (item["url"], item["summary"]) == (site.url("/a"), "A new swarm has come to the old hive.")


def test_graphml_is_read_by_networkx_and_has_the_edges_of_the_list(site, tmp_path):
    networkx = pytest.importorskip("networkx", reason="networkx checks the graph")
    graph = networkx.read_graphml(saved(site, tmp_path / "x.graphml"))
    assert set(graph.nodes) == {line["url"] for line in lines_of(site)}
    assert graph.nodes[site.url("/zh")]["title"] == "蜜蜂"
    assert graph.nodes[site.url("/")]["title"] == "Bees & <honey>"
    listed = saved(site, tmp_path / "x.edges.csv").read_text().splitlines()[1:]
    assert {tuple(line.split(",")[:2]) for line in listed} == set(graph.edges)
    assert (site.url("/a"), site.url("/b")) in graph.edges


def test_a_wacz_file_holds_what_it_says_and_is_not_packed_twice(site, tmp_path):
    with ZipFile(saved(site, tmp_path / "x.wacz")) as package:
        assert {each.compress_type for each in package.infolist()} == {ZIP_STORED}
        description = json.loads(package.read("datapackage.json"))
        for each in description["resources"]:
            assert package.getinfo(each["path"]).extra, "players would begin to read it too early"
            data = package.read(each["path"])
            assert (each["bytes"], each["hash"]) == (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}")
        pages = [json.loads(line) for line in package.read("pages/pages.jsonl").splitlines()]
        with package.open("archive/data.warc.gz") as archive:
            kinds = [record.rec_type for record in ArchiveIterator(archive)]
    assert pages[0]["format"] == "json-pages-1.0"
    assert {page["url"] for page in pages[1:]} == {line["url"] for line in lines_of(site)}
    assert kinds.count("response") >= 5


def test_main_text_is_the_default_and_the_whole_text_is_asked_for(site):
    first = lines_of(site)[0]
    assert "main" in first and "text" not in first
    assert list(lines_of(site, "--fields", "url,text")[0]) == ["url", "text"]
    ran = thresher("export", str(site.crawl_folder.path), "--fields", "url,txt")
    assert (ran.code, ran.err) == (2, "No field 'txt'. Did you mean 'text'?\n")


def urls(site: Site, *more: str) -> list[str]:
    return [line["url"].rpartition("/")[2] for line in lines_of(site, *more)]


def test_the_conditions_choose_the_pages(site):
    assert urls(site) == ["", "b", "zh", "kites", "a"]
    assert urls(site, "--language", "zh") == ["zh"]
    assert urls(site, "--top", "2") == best(site, 2)
    assert urls(site, "--min-relevance", "1") == [] == urls(site, "--labelled")
    assert "kites" not in urls(site, "--relevant")
    assert urls(site, "--since", "2023-11-15T12:00") == ["a"]


def best(site: Site, most: int) -> list[str]:
    lines = sorted(lines_of(site), key=lambda line: -line["relevance"])
    return [line["url"].rpartition("/")[2] for line in lines[:most]]


def test_a_label_is_a_column_and_a_condition(tmp_path):
    site = Site(tmp_path)
    site.pages["/"] = html("Bees", "Honey.", links=("/a",))
    site.pages["/a"] = html("A", STORY)
    site.crawl()
    Labels(site.crawl_folder.labels).add({site.url("/a"): False})
    assert [(line["url"], line["label"]) for line in lines_of(site, "--labelled")] == [(site.url("/a"), "no")]


def test_of_pages_that_say_the_same_one_is_left(tmp_path):
    site = Site(tmp_path)
    site.pages["/"] = html("Bees", "All bees.", links=("/a", "/b", "/c"))
    for name, story in {"a": STORY, "b": STORY, "c": "Kites fly high in the wind of the sea. "}.items():
        site.pages[f"/{name}"] = html(name, *([story] * 8))
    site.crawl()
    assert len(urls(site)) == 4
    kept = urls(site, "--unique")
    assert len(kept) == 3 and len({"a", "b"} & set(kept)) == 1
    assert urls(site, "--unique", "--top", "1")[0] in "ab"


def test_the_top_comes_best_first_with_a_count_of_the_pages_that_say_nearly_the_same(tmp_path):
    site = Site(tmp_path)
    site.pages["/"] = html("Bees", "All bees.", links=("/a", "/b", "/c"))
    for name, story in {"a": STORY, "b": STORY, "c": "Kites fly high in the wind of the sea. "}.items():
        site.pages[f"/{name}"] = html(name, *([story] * 8))
    site.crawl()
    with pages_of(CrawlFolder(site.crawl_folder.path), Selection(top=2)) as pages:
        items = list(pages.items())
    assert [item.relevance for item in items] == sorted((item.relevance for item in items), reverse=True)
    assert sum(item.alike for item in items) == 1


def test_an_export_sees_the_crawl_as_it_was_when_it_began(site):
    with pages_of(CrawlFolder(site.crawl_folder.path), Selection(top=3)) as pages:
        assert [item.url for item in pages.items()] == [item.url for item in pages.items()]
