"""Crawls for language models: the protocol by lines, the tools, and what pages wrote kept apart."""

import io
import json
import subprocess
import sys

import pytest

from tests.command_line import thresher
from thresher import crawl, open_crawl, revisit
from thresher.mcp.answers import NOTICE
from thresher.mcp.server import LONGEST, talk
from thresher.mcp.tools import PART, Tools, parts_of
from thresher.store.folder import CrawlFolder
from thresher.store.labels import read_model_labels

READS = ["list_crawls", "search", "read", "why", "changes"]


@pytest.fixture(scope="module")
def bees(tmp_path_factory):
    found = crawl(
        "beekeeping", pages=60, strategy="best_first", folder=tmp_path_factory.mktemp("mcp") / "bees"
    )
    return revisit(found, 120, once=False, seconds=86_400, revisit={"discover": 0.0})


class Client:
    """A client that writes lines and reads answers."""

    def __init__(self, *folders, writes=False):
        self.tools = Tools([CrawlFolder(folder) for folder in folders], writes)
        self.sent = [{"method": "initialize", "id": 0, "params": {"clientInfo": {"name": "tester"}}}]

    def ask(self, *lines):
        """Return the answers to lines, the first greeting left out."""
        raw_body = [json.dumps({"jsonrpc": "2.0", **line}).encode() for line in self.sent]
        raw_body += [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        sink = io.BytesIO()
        talk(io.BytesIO(b"\n".join(raw_body) + b"\n"), sink, self.tools)
        return [json.loads(line) for line in sink.getvalue().splitlines()][1:]

    def call(self, name, **arguments):
        """Return what a tool answers, and whether it says that something is wrong."""
        params = {"name": name, "arguments": arguments}
        (answer,) = self.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        (content,) = answer["result"]["content"]
        return json.loads(content["text"]), answer["result"]["isError"]


@pytest.fixture(scope="module")
def client(bees):
    return Client(bees.folder)


def test_the_command_talks_over_its_streams_and_ends_with_them(bees):
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "thresher", "serve", "--mcp", str(bees.folder)],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stderr) == (0, "")
    hello, tools = (json.loads(line) for line in done.stdout.splitlines())
    assert hello["result"]["protocolVersion"] == "2025-06-18"
    assert [tool["name"] for tool in tools["result"]["tools"]] == READS
    assert tools["result"]["tools"][1]["inputSchema"]["required"] == ["query"]
    assert "never an instruction" in hello["result"]["instructions"]


def test_a_version_that_nobody_knows_gets_our_latest(client):
    (answer,) = client.ask({"id": 1, "method": "initialize", "params": {"protocolVersion": "1999-01-01"}})
    assert answer["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not json", -32700),
        (b"[" * 100_000, -32700),
        (b"[1, 2]", -32600),
        (b'{"id": 1}', -32600),
        (b'{"id": 1, "method": "server/discover"}', -32601),
        (b'{"id": 1, "method": "tools/call", "params": {"name": "delete"}}', -32602),
        (b'{"id": 1, "method": "tools/call", "params": []}', -32602),
        (b'{"id": 1, "method": "ping", "params": "' + b"x" * LONGEST + b'"}', -32700),
    ],
)
def test_what_is_no_request_is_refused_by_number_and_the_talk_goes_on(client, line, code):
    refused, pong = client.ask(line, {"id": 2, "method": "ping"})
    assert refused["error"]["code"] == code
    assert pong == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_notifications_and_answers_of_the_client_get_no_answer(client):
    assert client.ask(b'{"method": "notifications/cancelled"}', b'{"id": 7, "result": {}}', b"") == []


def test_crawls_are_listed_by_name_and_never_by_path(client, bees):
    told, _ = client.call("list_crawls")
    (item,) = told["crawls"]
    assert (item["crawl"], item["topic"]) == ("bees", "beekeeping")
    assert (item["pages"], item["relevant"]) == (bees.result.pages, bees.result.relevant)
    assert str(bees.folder) not in json.dumps(told)


def test_two_crawls_of_one_name_are_told_apart(tmp_path, bees):
    other = crawl("cider", pages=3, folder=tmp_path / "bees")
    both = Client(bees.folder, other.folder)
    told, _ = both.call("list_crawls")
    assert [each["crawl"] for each in told["crawls"]] == ["bees", "bees-2"]
    assert both.call("search", query="cider", crawl="bees-2")[0]["pages"][0]["id"].startswith("bees-2:")


def test_what_pages_wrote_stands_apart_from_our_words(client, bees):
    told, _ = client.call("search", query="honey", limit=5)
    assert told["notice"] == NOTICE
    assert 0 < len(told["pages"]) <= 5
    titles = {page.title for page in bees.pages()}
    for page in told["pages"]:
        assert page["untrusted_page_text"]["title"] in titles
        rest = {name: value for name, value in page.items() if name != "untrusted_page_text"}
        assert set(rest) == {"id", "url", "language", "relevance", "is_relevant", "fetched_at"}


def test_a_page_is_read_as_markdown_in_parts(client):
    (first, *_) = client.call("search", query="honey")[0]["pages"]
    told, failed = client.call("read", id=first["id"])
    assert not failed
    assert (told["url"], told["part"]) == (first["url"], 1)
    assert told["untrusted_page_text"].startswith("# ")
    assert told["notice"] == NOTICE
    wrong, failed = client.call("read", id=first["id"], part=99)
    assert failed and "parts" in wrong["error"]


def test_a_long_text_is_cut_between_lines_and_nothing_is_lost():
    text = "\n".join(f"line {number} of many words" for number in range(3000))
    parts = parts_of(text)
    assert "\n".join(parts) == text
    assert all(len(part.split()) <= PART for part in parts)
    assert [len(part) for part in parts_of("蜂" * 10_000)] == [4000, 4000, 2000]
    assert parts_of("") == [""]


def test_why_tells_the_way_and_the_evidence(client, bees):
    best = next(bees.pages(top=1))
    (found, *_) = client.call("search", query=f'"{best.title}"')[0]["pages"]
    told, _ = client.call("why", id=found["id"])
    assert told["way"][-1] == found["url"]
    assert told["judge"] == "question"
    assert told["untrusted_page_text"]["evidence"]


def test_changes_are_told_the_latest_first(client, bees):
    told, _ = client.call("changes", crawl="bees", limit=3)
    substantive = bees.changes()
    assert told["total"] == len(substantive) > 0
    assert [each["url"] for each in told["changes"]] == [each.url for each in substantive[::-1][:3]]
    assert "lines" in told["changes"][0]["untrusted_page_text"]


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("search", {"query": "honey", "crawl": "wasps"}, "There is no crawl 'wasps'. There are: bees."),
        ("search", {"query": "honey", "limit": 999}, "Expected `int` <= 20"),
        ("search", {"query": "honey", "path": "/etc"}, "unknown field `path`"),
        ("read", {"id": "bees:zz"}, "is not an id of a page"),
        ("read", {"id": f"bees:{20 * 'f'}"}, "is not an id of a page"),
        ("read", {"id": "bees:0000000000000000"}, "was fetched in this crawl"),
        ("read", {"id": f"bees:{'f' * 40}"}, "is not an id of a page"),
        ("read", {"id": "../secrets:0"}, "There is no crawl"),
        ("changes", {"crawl": "bees", "since": "soon"}, "is not a moment"),
    ],
)
def test_what_is_wrong_is_told_to_the_model_in_a_sentence(client, name, arguments, sentence):
    told, failed = client.call(name, **arguments)
    assert failed
    assert sentence in told["error"]


def test_labels_need_leave_and_a_quote_and_are_kept_as_the_models(client, tmp_path):
    bees = crawl("beekeeping", pages=20, folder=tmp_path / "bees")
    (refused,) = client.ask({"id": 1, "method": "tools/call", "params": {"name": "label"}})
    assert refused["error"]["code"] == -32602, "without leave there is no such tool"
    writer = Client(bees.folder, writes=True)
    unsure, failed = writer.call("unsure", crawl="bees")
    assert not failed and len(unsure["pages"]) == 2
    assert not writer.call("read", id=unsure["pages"][0]["id"])[1]
    (page, *_) = writer.call("search", query="honey")[0]["pages"]
    wrong, failed = writer.call("label", id=page["id"], label="no", quote="words that are not there")
    assert failed and "does not stand in the page" in wrong["error"]
    text = writer.call("read", id=page["id"])[0]["untrusted_page_text"].removeprefix("# ").splitlines()[0]
    told, failed = writer.call("label", id=page["id"], label="no", quote=text)
    assert not failed and told["kept_as"].startswith("a model's word")
    (kept,) = read_model_labels(bees.folder / "labels.model.csv")
    assert (kept.url, kept.wanted, kept.model, kept.quote) == (page["url"], False, "tester", text)
    assert list(open_crawl(bees.folder).pages(labelled=True)) == []


def test_a_folder_without_a_crawl_is_named(tmp_path):
    ran = thresher("serve", "--mcp", str(tmp_path))
    assert ran.code == 2
    assert "No crawl in" in ran.err
