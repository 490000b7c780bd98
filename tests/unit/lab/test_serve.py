"""A recorded web over HTTP: as recorded, the same for everybody, and nothing that a client sends ends it."""

import asyncio
import re
import socket
import subprocess
import sys
from contextlib import ExitStack

import pytest

from tests.command_line import thresher
from tests.unit.served_examples import BEES, get, make_served_corpus, say, while_served
from thresher.build.crawl import run as crawl
from thresher.core.errors import UsageError
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder
from thresher_lab.corpus import Corpus
from thresher_lab.replay import play
from thresher_lab.score import Access, LogEnd, read_log
from thresher_lab.served_web import Addresses, HostNames, RequestKind, addresses_of, with_delay
from thresher_lab.setup import ReplayPlan, stage

pytestmark = pytest.mark.posix
resource = pytest.importorskip("resource")


@pytest.fixture
def corpus(tmp_path):
    return make_served_corpus(tmp_path / "web")


def asked(lines):
    return [line for line in lines if isinstance(line, Access)]


def one(corpus, request, **how):
    """Say one thing to a server of its own; return the answer and the line of its log."""
    answer, _, lines = while_served(corpus, lambda server: say(server.port, request), **how)
    return answer, asked(lines)[0]


@pytest.mark.parametrize("strategy", ["breadth_first", "best_first", "thresher"])
def test_a_crawl_through_it_visits_the_pages_of_a_replay_in_its_order(tmp_path, strategy):
    corpus = make_served_corpus(tmp_path / "web", robots=False, mixed=False)
    with stage(corpus, cache=tmp_path / "cache") as place:
        played = play(place, ReplayPlan("bees", strategy, 20, model="name", in_turn=True)).steps
    seeds = [url.replace("https:", "http:") for url in corpus.seeds("bees", ("hub", "ordinary", "offtopic"))]

    async def through(server):
        web = {"proxy": f"http://127.0.0.1:{server.port}", "proxy_resolves": True, "delay": 0.0}
        web |= {"concurrency": 1, "wait_for_better": 0.0}
        judge = {} if strategy == "thresher" else {"name": "cosine", "threshold": 0.1}
        scope = {"rules": False, "obey_nofollow": False}
        asks = [("topic", "Bees"), ("seeds", tuple(seeds)), ("strategy", strategy), ("pages", 20)]
        settings = read(None, [*asks, ("web", web), ("judge", judge), ("scope", scope)])
        return await crawl(settings, CrawlFolder(tmp_path / "crawl"))

    _, _, lines = while_served(corpus, through)
    pages = [line.url for line in asked(lines) if line.kind is RequestKind.PAGE]
    assert pages == [step.url for step in played if step.cost]
    assert len(pages) == 7


def test_what_was_recorded_under_https_is_served_under_http_and_reads_the_same(corpus):
    answer, line = one(corpus, get("http://bees.test/hub"))
    assert b'href="http://bees.test/old-b"' in answer and b'href="http://other.test/e"' in answer
    assert b"see https://bees.test/a" in answer  # what a reader sees stays
    assert b"strict-transport" not in answer.lower()
    assert (line.url, line.kind) == (f"{BEES}hub", RequestKind.PAGE)


def test_a_redirect_is_served_and_one_that_only_changed_the_scheme_is_gone(corpus):
    answer, line = one(corpus, get("http://bees.test/old-b"))
    assert answer.startswith(b"HTTP/1.1 301") and b"location: http://bees.test/b\r\n" in answer
    assert line.kind is RequestKind.MOVED
    assert one(corpus, get("http://bees.test/d"))[1].kind is RequestKind.PAGE


def test_what_is_not_there_and_what_is_hidden_are_404_and_counted_apart(corpus):
    answer, line = one(corpus, get("http://elsewhere.test/x"))
    assert answer.startswith(b"HTTP/1.1 404") and line.kind is RequestKind.ABSENT
    answer, line = one(corpus, get("http://other.test/e"), hard=True)
    assert answer.startswith(b"HTTP/1.1 404") and line.kind is RequestKind.HIDDEN


def test_a_host_is_also_served_to_who_asks_it_by_its_name(corpus):
    request = "GET /hub HTTP/1.1\r\nHost: bees.test\r\nConnection: close\r\n\r\n"
    assert one(corpus, request)[1].url == f"{BEES}hub"


def test_who_ignores_robots_txt_is_served_and_counted(corpus):
    answer, line = one(corpus, get("http://bees.test/private/f"))
    assert answer.startswith(b"HTTP/1.1 200") and line.forbidden
    assert not one(corpus, get("http://bees.test/a"))[1].forbidden


def test_a_delay_is_asked_for_in_robots_txt_and_haste_is_counted(corpus):
    async def hastily(server):
        robots = await say(server.port, get("http://bees.test/robots.txt"))
        for name in ("a", "b"):
            await say(server.port, get(f"http://bees.test/{name}"))
        await asyncio.sleep(0.25)
        await say(server.port, get("http://bees.test/c"))
        await say(server.port, get("http://other.test/e"))
        return robots

    robots, _, lines = while_served(corpus, hastily, crawl_delay=0.2)
    assert b"Crawl-delay: 0.2" in robots and b"Disallow: /private/" in robots
    assert [line.hasty for line in asked(lines)] == [False, False, True, False, False]


def test_a_delay_is_asked_of_every_group_and_one_of_its_own_stays():
    assert with_delay(b"", 2) == b"User-agent: *\nCrawl-delay: 2\n"
    body = b"User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: *\nCrawl-delay: 9\n"
    assert with_delay(body, 2).split(b"\n")[2] == b"Crawl-delay: 2"
    assert with_delay(body, 2).count(b"Crawl-delay: 9") == 1


def test_latencies_follow_from_their_seed(corpus):
    took = [one(corpus, get("http://bees.test/a"), latency=0.02, luck=luck)[1].took for luck in (1, 1, 2)]
    assert took[0] == took[1] != took[2] and took[0] > 0


ODD: dict[str, tuple[str | bytes, RequestKind, int]] = {
    "a tunnel": ("CONNECT bees.test:443 HTTP/1.1\r\nHost: bees.test\r\n\r\n", RequestKind.CONNECT, 405),
    "a form": ("POST http://bees.test/a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", RequestKind.ODD, 405),
    "another scheme": ("GET ftp://bees.test/a HTTP/1.1\r\n\r\n", RequestKind.ODD, 400),
    "no URL": ("GET http://[::1:::/ HTTP/1.1\r\n\r\n", RequestKind.ODD, 400),
    "no request": (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", RequestKind.ODD, 400),
    "another version": ("GET http://bees.test/a HTTP/3\r\n\r\n", RequestKind.ODD, 400),
    "a head without end": (b"GET http://bees.test/a HTTP/1.1\r\nX: " + b"x" * 40_000, RequestKind.ODD, 431),
}


@pytest.mark.parametrize("name", ODD)
def test_what_makes_no_sense_is_refused_and_counted_and_the_next_is_served(corpus, name):
    request, kind, status = ODD[name]

    async def both(server):
        return await say(server.port, request), await say(server.port, get("http://bees.test/a"))

    (odd, sane), _, lines = while_served(corpus, both)
    assert odd.startswith(f"HTTP/1.1 {status} ".encode()) and sane.startswith(b"HTTP/1.1 200")
    assert [line.kind for line in asked(lines)] == [kind, RequestKind.PAGE]


ABSURD = ("a" * 20_000, "%00%ff%%%", "../../../../etc/passwd", "?" + "&x[]=1" * 3_000, "\xc3\xa4")


@pytest.mark.parametrize("path", ABSURD)
def test_an_absurd_url_is_just_not_there(corpus, path):
    request = f"GET http://bees.test/{path} HTTP/1.1\r\nConnection: close\r\n\r\n".encode("latin-1")
    answer, line = one(corpus, request)
    assert answer.startswith(b"HTTP/1.1 404") and line.kind is RequestKind.ABSENT


def test_requests_that_come_at_once_are_answered_in_their_order(corpus):
    requests = "".join(f"GET http://bees.test/{name} HTTP/1.1\r\n\r\n" for name in "abc")
    answer, _, lines = while_served(corpus, lambda server: say(server.port, requests), latency=0.01)
    assert re.findall(rb"<title>(.)", answer) == [b"a", b"b", b"c"]
    assert [line.url[-1] for line in asked(lines)] == ["a", "b", "c"]


def test_a_crowd_is_sent_away_and_those_who_were_first_are_served(corpus):
    async def crowd(server):
        first = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(8)]
        turned_away = [await say(server.port, get("http://bees.test/a")) for _ in range(5)]
        first[0][1].write(get("http://bees.test/a").encode())
        served = await first[0][0].read()
        for _, writer in first:
            writer.close()
        return turned_away, served

    (turned_away, served), server, _ = while_served(corpus, crowd, limits={"connections": 8})
    assert all(answer.startswith(b"HTTP/1.1 503") for answer in turned_away) and server.crowded == 5
    assert served.startswith(b"HTTP/1.1 200")


def test_plain_hosts_have_addresses_of_their_own_and_nothing_leads_off_the_machine(corpus):
    async def plainly(server):
        address = server.plain["bees.test"]
        hub = await say(server.port, "GET /hub HTTP/1.1\r\nConnection: close\r\n\r\n", address)
        moved = await say(server.port, "GET /old-b HTTP/1.1\r\nConnection: close\r\n\r\n", address)
        return address, hub, moved

    (address, hub, moved), server, lines = while_served(corpus, plainly, plain=True)
    other = server.plain["other.test"]
    assert f'href="http://{other}:{server.port}/e"'.encode() in hub
    assert f'href="http://{address}:{server.port}/d"'.encode() in hub
    assert f"location: http://{address}:{server.port}/b\r\n".encode() in moved
    assert [line.url for line in asked(lines)] == [f"{BEES}hub", f"{BEES}old-b"]


def test_links_to_hosts_that_were_not_recorded_lead_to_an_address_where_nothing_is():
    view = Addresses(80, addresses_of(["a.test"]))
    assert view.page(b'<a href="https://far.test/x">') == b'<a href="http://127.0.0.2:80/far.test/x">'
    assert view.meant("127.0.0.2", "/far.test/x") == "far.test/x"
    assert view.value("0; url=//A.test/y") == "0; url=http://127.0.1.1:80/y"


def test_only_references_are_rewritten():
    page = b'<p title="at https://a">https://a <a class=x href=https://a/?u=https://b>\n<meta content="0;URL=https://a/">'
    wanted = b'<p title="at https://a">https://a <a class=x href=http://a/?u=https://b>\n<meta content="0;URL=http://a/">'
    assert HostNames().page(page) == wanted
    assert HostNames().feed(b"<loc>https://a/</loc>") == b"<loc>http://a/</loc>"


def test_it_stops_by_itself_and_says_why(corpus, tmp_path):
    log = tmp_path / "access.jsonl"
    ended = thresher("lab", "serve", str(corpus.path), "--idle", "0.1", "--log", str(log))
    assert ended.code == 0 and "nothing was asked for 0.1 seconds" in ended.out
    assert isinstance(list(read_log(log))[-1], LogEnd)


def test_it_stops_with_the_page_that_fills_the_budget(corpus):
    async def many(server):
        for name in "abcd":
            await say(server.port, get(f"http://bees.test/{name}"))
            if server.reason:
                return server.reason
        return ""

    reason, _, lines = while_served(corpus, many, limits={"pages": 2})
    assert reason == "the budget of 2 pages is spent" and len(asked(lines)) == 2


def test_of_a_damaged_corpus_the_rest_is_served_and_the_damage_is_named(corpus):
    archive = next(corpus.path.glob("*.warc.gz"))
    archive.write_bytes(archive.read_bytes()[:-200])
    _, line = one(Corpus(corpus.path), get("http://bees.test/hub"))
    assert line.kind is RequestKind.PAGE
    _, server, lines = while_served(
        Corpus(corpus.path), lambda server: say(server.port, get("http://x.test/"))
    )
    assert server.web.faults and lines[-1].faults


def test_a_corpus_without_a_page_is_refused_in_a_sentence(corpus):
    next(corpus.path.glob("*.warc.gz")).write_bytes(b"not an archive")
    with pytest.raises(UsageError, match="thresher lab check"):
        one(Corpus(corpus.path), get("http://bees.test/hub"))


def test_an_archive_that_changes_under_the_server_costs_pages_and_no_more(corpus):
    async def change(server):
        archive = next(corpus.path.glob("*.warc.gz"))
        archive.write_bytes(b"gone" * 10)
        return await say(server.port, get("http://bees.test/a"))

    answer, server, lines = while_served(corpus, change)
    assert answer.startswith(b"HTTP/1.1 404") and asked(lines)[0].kind is RequestKind.DAMAGED
    assert server.web.faults


def test_ten_thousand_connections_at_once_end_nothing(corpus):
    """Each is a file on either side: where fewer may be open, as many as may be."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    most = min(10_000, hard - 1_000)
    command = [sys.executable, "-m", "thresher", "lab", "serve", str(corpus.path), "--idle", "30"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, ExitStack() as crowd:
        assert server.stdout
        place = ("127.0.0.1", int(server.stdout.readline().rpartition(":")[2]))
        for _ in range(most):
            crowd.enter_context(socket.create_connection(place))
        answer = asyncio.run(say(place[1], get("http://bees.test/a"), patience=20.0))
        server.terminate()
        told = server.stdout.read()
    assert answer.startswith(b"HTTP/1.1 200") and server.returncode == 0
    assert "Asked: 1 page" in told
