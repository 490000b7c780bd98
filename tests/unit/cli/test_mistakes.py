"""What a new user gets wrong, and what he is told: one sentence, and what to do next."""

import errno
import shutil
import socket
from contextlib import closing
from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher import crawl
from thresher.cli import main as command_line
from thresher.core.errors import UnknownName
from thresher.topic.question import did_you_mean
from thresher_practice import demo


@pytest.fixture(scope="module")
def here(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("here")
    assert thresher("crawl", "beekeeping", "--pages", "15", "-o", str(place / "beekeeping")).code == 0
    return place


@pytest.fixture(autouse=True)
def _there(here, monkeypatch):
    monkeypatch.chdir(here)


MISTAKES = {
    "a misspelt folder to search": (["search", "beekeping", "honey"], "Did you mean 'beekeeping'?"),
    "a misspelt folder to judge again": (
        ["label", "--apply", "beekeping"],
        "No crawl in beekeping. Did you mean 'beekeeping'?",
    ),
    "a misspelt folder to serve": (
        ["serve", "beekeping"],
        "No crawl in beekeping. Did you mean 'beekeeping'?",
    ),
    "a table of labels without its flag": (
        ["label", "beekeeping", "mine.csv"],
        "A table of labels goes with --csv: thresher label beekeeping --csv mine.csv",
    ),
    "a page without a label": (
        ["label", "beekeeping", "http://a.test/robots.txt"],
        "Expected yes or no after the URL.",
    ),
    "why without a page": (["why", "beekeeping"], "Why which page? Write its URL after beekeeping."),
    "two options that are near": (
        ["export", "beekeeping", "--relevent"],
        "No such option '--relevent'. Did you mean '--min-relevance', '--relevant'? See",
    ),
    "an address behind a blank in the topic": (
        ["crawl", "tea http://x.test/"],
        "http://x.test/ is not a topic. Did you mean: thresher crawl tea --seed http://x.test/",
    ),
    "an address with a blank in it": (
        ["crawl", "tea", "--seed", "http://exa", "mple"],
        "Does 'mple' belong to the address http://exa or to the topic? Quote them together.",
    ),
    "more pages than there are": (
        ["crawl", "beekeeping", "--pages", "99999999999999999999"],
        "Setting stop.pages: expected a whole number of at most 1000000000.",
    ),
    "a table of labels that is not there": (
        ["label", "beekeeping", "--csv", "no.csv"],
        "No file no.csv here; it takes a URL and yes or no in each line.",
    ),
    "an open quotation mark": (
        ["search", "beekeeping", '"queen'],
        'A quotation mark is open in "queen: close it, or leave it out.',
    ),
    "this folder, which holds no crawl": (["report", "."], "No crawl in this folder."),
    "a file that is not there": (["settings", "mine.toml"], "'thresher topic new' writes one to begin with."),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_sentence_with_what_to_do_next(mistake):
    arguments, words = MISTAKES[mistake]
    ran = thresher(*arguments)
    assert ran.code != 0
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


FILES = {
    "seeds.txt": (b"", "seeds.txt has no address in it; give one URL a line."),
    "bytes.txt": (b"\xff\xfe\x00", "bytes.txt is not UTF-8 text; seeds are URLs, one a line."),
    "words.txt": (
        b"# mine\nhttp://a.test/ a page\n",
        "words.txt, line 2: words behind the address: 'http://a.test/ a page'.",
    ),
}
SETTINGS = {
    'topic = "x"\n[limits]\npages = 5\n': "No section 'limits'. Did you mean 'stop'?",
    'tpic = "x"\n': "No setting 'tpic'. Did you mean 'topic'?",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_seeds_that_cannot_be_used_says_so(name, here):
    content, words = FILES[name]
    (here / name).write_bytes(content)
    ran = thresher("crawl", "tea", "--seeds", name)
    assert (ran.code, ran.err) == (2, f"{words}\n")


@pytest.mark.parametrize("text", SETTINGS)
def test_a_file_of_settings_with_an_unknown_name_says_which_was_meant(text, here):
    (here / "mine.toml").write_text(text, encoding="utf-8")
    ran = thresher("crawl", "mine.toml")
    assert (ran.code, ran.err) == (4, f"{SETTINGS[text]}\n")


def test_python_is_told_which_setting_was_meant():
    with pytest.raises(UnknownName, match="Did you mean 'pages'"):
        crawl("beekeeping", page=5)


def test_a_folder_whose_crawl_brought_no_page_is_taken_over(here):
    asked = ["crawl", "tea", "-o", "kettle", "--allow-network", "127.0.0.0/8", "--seed"]
    assert thresher(*asked, "http://127.0.0.1:1/").code == 1
    ran = thresher(*asked, "http://127.0.0.1:2/")
    assert "127.0.0.1:2" in ran.err and "holds a crawl already" not in ran.err
    assert thresher("crawl", "beekeeping", "-o", "beekeeping").err.startswith("beekeeping holds a crawl")


def test_a_database_that_is_cut_off_names_what_reads_the_archive(here):
    shutil.copytree(here / "beekeeping", here / "cut")
    with (here / "cut" / "crawl.db").open("r+b") as file:
        file.truncate(20_000)
    assert "'thresher check'" in thresher("report", "cut").err


@pytest.mark.parametrize("name", ["Bases de datos", "in der Nähe", "regresión lineal"])
def test_a_name_in_a_language_without_a_dictionary_is_no_slip(name):
    assert did_you_mean(name) == name


@pytest.mark.parametrize("verb", [[], ["topic"], ["lab"]])
def test_a_command_without_its_verb_shows_them_line_by_line(verb):
    ran = thresher(*verb)
    assert (ran.code, ran.err) == (2, "")
    assert len(ran.out.splitlines()) > 10
    assert ran.out.startswith("Usage: thresher")


def test_words_that_begin_like_a_crawl_are_words(here):
    assert "beekeepers" not in thresher("search", "beekeepers", "swarm").err


def test_a_file_in_place_of_the_folder_is_named_as_one(here):
    (here / "cider").write_text("mine", encoding="utf-8")
    ran = thresher("crawl", "cider")
    expected = "cider cannot be a crawl folder: there is a file of that name. Choose another with -o.\n"
    assert (ran.code, ran.err) == (2, expected)


def test_a_crawl_whose_seeds_all_failed_says_how_to_start_from_another(here):
    ran = thresher("crawl", "tea", "--seed", "http://127.0.0.1:1/")
    assert ran.code == 1
    assert ran.out.endswith("Start from another page: thresher resume tea --seed URL\n")


def test_a_host_that_is_down_has_failed_and_forbids_nothing(here):
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    haste = ["--set", "web.backoff=0", "--allow-network", "127.0.0.1"]
    ran = thresher("crawl", "oolong", "--seed", f"http://127.0.0.1:{port}/", *haste)
    assert ran.code == 1
    assert "1 request: 1 failed." in ran.out
    assert "brought no page (failed): " in ran.err
    assert "forbidden" not in ran.out + ran.err


def test_a_full_disk_is_called_one(monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(command_line.thresher, "main", full)
    ran = thresher("report", "beekeeping")
    assert (ran.code, ran.err.splitlines()) == (
        1,
        ["The disk is full. Make room, then give the command again; what a crawl has stored is safe."],
    )


def test_a_demo_that_cannot_reach_itself_says_so(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "LOOPBACK", "10.0.0.1")  # so that no address of this machine is allowed
    ran = thresher("demo")
    assert ran.code == 2
    assert ran.err.rstrip().endswith(
        "'thresher crawl beekeeping' crawls the practice web without any network."
    )
