"""The verb `seeds`: places to start from, out of lists, endpoints and earlier crawls."""

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.command_line import Ran
from tests.command_line import thresher as run
from tests.stopwatch import cpu_seconds
from thresher.build.seeds import as_fetched, links_of_list
from thresher.core.errors import DocumentBroken
from thresher.core.records import Url

BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>Bookmarks</TITLE><DL><p>
<DT><A HREF="https://hives.example/">Beekeeping for beginners</A>
<DT><A HREF="https://trains.example/">Steam trains</A></DL>"""
OPML = """<?xml version="1.0"?><opml version="2.0"><body>
<outline text="Bees" title="The beekeeping blog" xmlUrl="https://blog.example/feed" htmlUrl="https://blog.example/"/>
<outline text="folder"><outline text="Cakes" xmlUrl="https://cake.example/feed"/></outline></body></opml>"""
AWESOME = """# Awesome beekeeping
- [Hive tools](https://tools.example/a_(b)) - what a beekeeper needs
- [Beekeeping wiki](https://wiki.example/bees) – everything on beekeeping
- [Knitting](https://wool.example/)
"""
SEARCHED = {
    "results": [
        {"url": "https://found.example/beekeeping", "title": "Beekeeping", "content": "on hives"},
        {"url": "nonsense", "title": "Beekeeping"},
        {"url": "https://hives.example/", "title": "Beekeeping for beginners"},
    ]
}
INDEXED = '{"url": "https://farm.example/beekeeping/1"}\n{"url": "https://farm.example/beekeeping/2"}\n'
PAGES = {
    "/bees": "<title>Bees</title><p>beekeeping beekeeping beekeeping and hives",
    "/cake": "<title>Cake</title><p>beekeeping is no cake, cake is cake and cake and cake",
}

thresher = partial(run, "seeds", "beekeeping")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            body = {"/search": json.dumps(SEARCHED), "/index": INDEXED, "/broken": "<html>"}.get(path)
            body = body or PAGES.get(path, "")
            self.send_response(200 if body else 404)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def urls(ran: Ran) -> list[str]:
    assert ran.code == 0, ran.err
    return [line for line in ran.out.splitlines() if not line.startswith("#")]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("bookmarks.html", BOOKMARKS, ["https://hives.example/"]),
        ("feeds.opml", OPML, ["https://blog.example/"]),
        ("README.md", AWESOME, ["https://tools.example/a_(b)", "https://wiki.example/bees"]),
        (
            "plain.txt",
            "see https://x.example/beekeeping, and https://y.example/",
            ["https://x.example/beekeeping"],
        ),
    ],
)
def test_a_list_that_people_keep_gives_the_links_with_the_topics_words(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text)
    assert urls(thresher("--from", name)) == expected


def test_what_several_sources_name_comes_first_and_each_is_named(tmp_path, endpoint):
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS)
    ran = thresher(
        "--from", "bookmarks.html", "--search", f"{endpoint}/search", "--allow-network", "127.0.0.0/8"
    )
    assert urls(ran) == ["https://hives.example/", "https://found.example/beekeeping"]
    assert f"from bookmarks.html, search at {endpoint}/search" in ran.out.splitlines()[0]


def test_the_key_of_an_endpoint_is_not_written_into_the_seeds(endpoint):
    asked = f"{endpoint.replace('//', '//me:word@')}/search?key=topsecret"
    ran = thresher("--search", asked, "--allow-network", "127.0.0.0/8")
    assert "topsecret" not in ran.out and "word" not in ran.out


def test_an_index_is_asked_about_domains(endpoint):
    asked = ["--index", f"{endpoint}/index", "--allow-network", "127.0.0.0/8"]
    assert thresher(*asked).err.startswith("An index is asked about domains")
    assert urls(thresher(*asked, "--domain", "farm.example"))[0] == "https://farm.example/beekeeping/1"


def test_an_endpoint_that_does_not_answer_in_json_is_named_and_left_out(endpoint):
    ran = thresher("--search", f"{endpoint}/broken", "--allow-network", "127.0.0.0/8")
    assert ran.code == 2
    assert "did not answer in JSON" in ran.err


def test_the_seed_detector_of_ratna_reads_the_pages_and_says_which_won(tmp_path, endpoint):
    (tmp_path / "list.txt").write_text(
        f"[beekeeping and cake]({endpoint}/cake)\n[beekeeping]({endpoint}/bees)\n"
    )
    ran = thresher("--from", "list.txt", "--rank", "tfidf", "--allow-network", "127.0.0.0/8")
    assert urls(ran) == [f"{endpoint}/bees", f"{endpoint}/cake"]
    assert ran.out.startswith("# tf-idf ")


def test_an_earlier_crawl_suggests_its_hubs_and_the_file_is_one_that_seeds_takes():
    assert run("crawl", "beekeeping", "--pages", "40", "-o", "before").code == 0
    ran = thresher("--crawl", "before", "-o", "seeds.txt", "--top", "3")
    assert ran.out == "3 places to start from in seeds.txt. Go on: --seeds seeds.txt\n"
    taken = run(
        "crawl", "beekeeping", "--seeds", "seeds.txt", "--set", "web.kind=practice", "--pages", "5", "-o", "x"
    )
    assert taken.code == 0, taken.err


def test_nothing_is_asked_that_is_not_named():
    ran = thresher()
    assert (ran.code, ran.out) == (2, "")
    assert "Say where to look" in ran.err


def test_opml_that_declares_entities_is_refused():
    bomb = b'<?xml version="1.0"?><!DOCTYPE opml [<!ENTITY a "b">]><opml><body/></opml>'
    with pytest.raises(DocumentBroken):
        links_of_list(as_fetched(Url("http://a.org/"), bomb))


def test_a_list_that_nearly_has_links_takes_no_longer_than_one_that_has():
    links = as_fetched(Url("http://a.test/"), ("[a](http://" + "a" * 1990 + ") ").encode() * 200)
    nearly = as_fetched(Url("http://a.test/"), ("[a](http://" + "a" * 1990 + "  ").encode() * 200)
    assert cpu_seconds(lambda: links_of_list(nearly)) < 6 * cpu_seconds(lambda: links_of_list(links)) + 0.02
