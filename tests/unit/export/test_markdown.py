"""Pages for retrieval: cut at headings, of a length to read, with names that last."""

import json
import re
from zipfile import ZipFile

import pytest

from tests.command_line import thresher
from tests.unit.changing_site import Site
from thresher.export.text import MOST, chunks_of, sections, words_in

SENTENCE = "The queen lays her eggs in the cells of the comb while the workers feed the brood. "
HAN = "蜜蜂在花丛中采集花蜜，蜂王在蜂巢里产卵。"
PAGE = f"""<html><head><title>Bees</title></head><body><nav><a href="/">Home</a> <a href="/b">More</a></nav>
<main><h1>Bees</h1><p>{SENTENCE * 3}</p><h2>Hive</h2><p>{SENTENCE * 60}</p><h3>Comb</h3><p>{HAN * 120}</p>
<pre># no heading</pre></main><footer>All rights</footer><script>alert(1)</script></body></html>"""


def test_headings_become_the_path_of_a_section():
    found = list(sections("intro\n# A\none\n## B\ntwo\n```\n# code\n```\n# C\nthree"))
    assert [path for path, _ in found] == [(), ("A",), ("A", "B"), ("C",)]
    assert found[2][1] == "two\n```\n# code\n```"


def test_a_word_is_a_word_or_two_han_letters():
    assert words_in("the queen of 蜂王") == 4.0


@pytest.mark.parametrize(("text", "count"), [(SENTENCE, n) for n in (1, 20, 26, 40, 90)] + [(HAN, 300)])
def test_pieces_have_200_to_400_words_where_there_are_so_many(text, count):
    pieces = chunks_of(text * count, "http://a.test/")
    lengths = [words_in(piece.text) for piece in pieces]
    assert max(lengths) <= MOST
    assert len(pieces) == 1 or min(lengths) >= 180
    assert re.sub(r"\s", "", "".join(piece.text for piece in pieces)) == re.sub(r"\s", "", text * count)


def test_one_endless_word_and_one_endless_sentence_end():
    assert len(chunks_of("x" * 100_000, "u")) == 1
    assert all(words_in(piece.text) <= MOST for piece in chunks_of("and so on " * 5_000, "u"))


def test_short_sections_are_one_piece_under_the_headings_that_they_share():
    text = "# Bees\n\n## Queen\n\nShe lays.\n\n## Drone `d`\n\nHe flies.\n\n# Wasps\n\n" + SENTENCE * 30
    first, *rest = chunks_of(text, "u")
    assert (first.headings, first.text) == (
        ("Bees",),
        "## Queen\n\nShe lays.\n\n## Drone `d`\n\nHe flies.",
    )
    assert {piece.headings for piece in rest} == {("Wasps",)}


def test_headings_of_pieces_are_text():
    (piece,) = chunks_of("# The `vector\\<int>` \\& more\n\nwords", "u")
    assert piece.headings == ("The vector<int> & more",)


@pytest.fixture
def site(tmp_path) -> Site:
    return crawled(tmp_path / "one", PAGE)


def crawled(folder, page: str) -> Site:
    site = Site(folder)
    site.pages["/"] = page
    site.crawl()
    return site


def exported(site: Site, target) -> list[dict]:
    ran = thresher("export", str(site.crawl_folder.path), "-f", "markdown", "-o", str(target))
    assert (ran.code, ran.err) == (0, f"1 page in {target}\n")
    return [json.loads(line) for line in (target / "chunks.jsonl").read_text().splitlines()]


def test_every_piece_repeats_the_headings_above_it(site, tmp_path):
    chunks = exported(site, tmp_path / "md")
    assert {tuple(chunk["headings"]) for chunk in chunks} == {
        ("Bees",),
        ("Bees", "Hive"),
        ("Bees", "Hive", "Comb"),
    }
    assert [chunk["n"] for chunk in chunks] == list(range(1, len(chunks) + 1))
    (page,) = (tmp_path / "md" / "pages" / "bees.example").iterdir()
    assert page.read_text().startswith(f'---\nurl: "{site.url("/")}"\ntitle: "Bees"\n')


def test_a_target_called_zip_holds_the_same_files(site, tmp_path):
    exported(site, tmp_path / "md")
    ran = thresher("export", str(site.crawl_folder.path), "-f", "markdown", "-o", str(tmp_path / "md.zip"))
    assert (ran.code, ran.err) == (0, f"1 page in {tmp_path / 'md.zip'}\n")
    with ZipFile(tmp_path / "md.zip") as package:
        names = {each.filename for each in package.infolist()}
        chunks = package.read("chunks.jsonl")
    files = {
        path.relative_to(tmp_path / "md").as_posix()
        for path in (tmp_path / "md").rglob("*.*")
        if path.is_file()
    }
    assert names == files
    assert chunks == (tmp_path / "md" / "chunks.jsonl").read_bytes()


def test_ids_are_the_same_in_two_crawls_and_new_where_the_text_is(site, tmp_path):
    edited = PAGE.replace("<h3>Comb</h3>", "<h3>Comb</h3><p>Something new.</p>")
    first, again, changed = (
        {chunk["id"]: chunk for chunk in exported(each, tmp_path / name)}
        for name, each in {
            "a": site,
            "b": crawled(tmp_path / "again", PAGE),
            "c": crawled(tmp_path / "changed", edited),
        }.items()
    )
    assert first.keys() == again.keys()
    assert {first[id_]["headings"][-1] for id_ in first.keys() - changed.keys()} == {"Comb"}


def test_a_page_that_is_not_archived_is_taken_from_its_text(tmp_path):
    thresher("crawl", "beekeeping", "--pages", "5", "-o", str(tmp_path / "bees"))
    ran = thresher("export", str(tmp_path / "bees"), "-f", "markdown", "-o", str(tmp_path / "md"))
    assert ran.code == 0
    assert len((tmp_path / "md" / "chunks.jsonl").read_text().splitlines()) >= 5
