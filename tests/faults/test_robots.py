"""robots.txt comes first, once, and its word holds whatever state its file is in."""

import asyncio
import gzip

import pytest

from tests.faults.conftest import HASTY, waits_nothing
from tests.faults.server import OUTSIDE, FaultServer, endless, page, raw, redirect, reset, robots, silence
from thresher.core.errors import FetchError, HostParked, RobotsForbidden, RobotsUnreachable
from thresher.core.records import Candidate

RULES = "User-agent: *\nDisallow: /private\n"
OK = b"HTTP/1.1 200 OK\r\n"

ALL, RULED, NONE = {"/a": "200", "/private/b": "200"}, {"/a": "200", "/private/b": "no"}, {"/a": "no"}
FILES = {
    "a plain file": (page(RULES.encode()), RULED),
    "no file": (page(b"", "404 Not Found"), ALL),
    "a file behind a password": (page(b"", "401 Unauthorized"), ALL),
    "too many requests": (page(b"", "429 Too Many Requests"), NONE),
    "a broken server": (page(b"", "500 Oops"), NONE),
    "silence": (silence(), NONE),
    "a reset": (reset, NONE),
    "a file drop by drop": (endless(OK + b"\r\n", b"#", 0.02), NONE),
    "a file without end": (endless(OK + b"\r\n" + RULES.encode(), b"#" * 4096 + b"\n"), RULED),
    "a file that breaks off": (raw(OK + b"Content-Length: 999\r\n\r\n" + RULES.encode()), RULED),
    "a packed file": (page(gzip.compress(RULES.encode()), Content_Encoding="gzip"), RULED),
    "a bomb": (page(gzip.compress(bytes(20_000_000)), Content_Encoding="gzip"), ALL),
    "a byte order mark": (page(b"\xef\xbb\xbf" + RULES.encode()), RULED),
    "old line ends": (page(RULES.replace("\n", "\r").encode()), RULED),
    "rubbish first": (page(bytes(range(256)) + b"\n" + RULES.encode()), RULED),
    "a welcome page": (page(b"<html><body>Welcome: everybody</body></html>"), ALL),
    "a redirect": (redirect("/moved"), RULED),
    "a redirect in a circle": (redirect("/robots.txt"), ALL),
    "a redirect to nowhere": (redirect("http://[::1"), ALL),
    "a redirect out of bounds": (redirect(f"http://{OUTSIDE}:PORT/robots.txt"), NONE),
}


@pytest.mark.parametrize("file", FILES)
async def test_the_state_of_the_file_decides(live, file):
    answer, expected = FILES[file]
    pages = {path: page() for path in ("/a", "/private/b")}
    async with FaultServer({"/robots.txt": answer, "/moved": page(RULES.encode()), **pages}) as server:
        if "out of bounds" in file:
            server.answers["/robots.txt"] = redirect(f"http://{OUTSIDE}:{server.port}/robots.txt")
        web = live(limits=HASTY)
        for path, verdict in expected.items():
            assert await word(web, server.candidate(path)) == verdict
    assert server.asked(OUTSIDE) == []
    assert set(server.asked()) - {"/robots.txt", "/moved"} == {
        path for path in expected if expected[path] == "200"
    }


async def word(web, candidate: Candidate) -> str:
    try:
        return str((await web.get(candidate)).status)
    except RobotsForbidden:
        return "no"


async def test_sixteen_forbidden_urls_of_a_cold_host_at_once_and_none_is_fetched(live):
    async with FaultServer(robots("User-agent: *\nDisallow: /\n")) as server:
        web = live(per_host=16)
        tries = [web.get(server.candidate(f"/page{number}")) for number in range(16)]
        answers = await asyncio.gather(*tries, return_exceptions=True)
    assert {type(answer) for answer in answers} == {RobotsForbidden}
    assert server.asked() == ["/robots.txt"]


async def test_robots_is_asked_once_however_many_wait_for_it(live):
    async with FaultServer(robots(RULES) | {f"/{number}": page() for number in range(16)}) as server:
        web = live()
        await asyncio.gather(*(web.get(server.candidate(f"/{number}")) for number in range(16)))
    assert server.asked()[0] == "/robots.txt"
    assert server.asked().count("/robots.txt") == 1
    assert server.most_at_once["127.77.0.1"] == 1


async def test_one_who_gives_up_does_not_take_the_others_along(live):
    async with FaultServer(robots(RULES) | {"/a": page()}) as server:
        web = live()
        first = asyncio.create_task(web.get(server.candidate("/a")))
        await asyncio.sleep(0)
        second = asyncio.create_task(web.get(server.candidate("/a")))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).status == 200
    assert server.asked().count("/robots.txt") == 1


async def test_the_rules_of_another_host_are_read_there_but_count_here(live):
    hosts = ("127.77.0.1", "127.77.0.2")
    async with FaultServer({"/a": page(), "/private/b": page()}, hosts) as server:
        server.answers["127.77.0.1/robots.txt"] = redirect(f"http://127.77.0.2:{server.port}/theirs.txt")
        server.answers["/theirs.txt"] = page(RULES.encode())
        web = live()
        assert await word(web, server.candidate("/private/b")) == "no"
        assert await word(web, server.candidate("/private/b", "127.77.0.2")) == "200"


async def test_robots_counts_anew_when_a_host_recovers(live):
    now = [1_000_000.0]
    async with FaultServer({"/robots.txt": page(b"", "503 Busy"), "/a": page()}) as server:
        web = live(now=lambda: now[0])
        with pytest.raises(RobotsUnreachable) as caught:
            await web.get(server.candidate("/a"))
        assert caught.value.rest == 600.0
        server.answers["/robots.txt"] = page(RULES.encode())
        now[0] += 601
        assert (await web.get(server.candidate("/a"))).status == 200


async def test_a_file_is_believed_for_a_day(live):
    now = [1_000_000.0]
    async with FaultServer(robots(RULES) | {"/a": page()}) as server:
        web = live(now=lambda: now[0])
        for seconds in (0, 86_000, 800):
            now[0] += seconds
            await web.get(server.candidate("/a"))
    assert server.asked().count("/robots.txt") == 2


async def test_crawl_delay_is_asked_of_the_frontier(live):
    async with FaultServer(robots("User-agent: *\nCrawl-delay: 2.5\n") | {"/a": page()}) as server:
        fetched = await live().get(server.candidate("/a"))
    assert fetched.retry_after == 2.5


async def test_a_host_that_asks_for_a_day_between_requests_is_parked(live):
    async with FaultServer(robots("User-agent: *\nCrawl-delay: 86400\n") | {"/a": page()}) as server:
        with pytest.raises(HostParked, match="86400 seconds between requests"):
            await live().get(server.candidate("/a"))
    assert server.asked() == ["/robots.txt"]


async def test_our_own_name_beats_the_star(live):
    text = "User-agent: *\nDisallow: /\n\nUser-agent: Thresher\nDisallow: /private\n"
    async with FaultServer(robots(text) | {"/a": page()}) as server:
        web = live(agent="thresher/0.1 (+https://example.org/bot)")
        assert await word(web, server.candidate("/a")) == "200"
        assert await word(web, server.candidate("/private/b")) == "no"
    assert {request.headers["user-agent"] for request in server.log} == {
        "thresher/0.1 (+https://example.org/bot)"
    }


async def test_the_first_page_waits_for_robots_as_for_any_request(live):
    naps: list[float] = []
    async with FaultServer(robots(RULES) | {"/a": page()}) as server:
        await live(delay=1.5, sleep=waits_nothing(naps)).get(server.candidate("/a"))
    assert naps == [1.5]


async def test_a_refusal_is_a_sentence(live):
    async with FaultServer(robots(RULES)) as server:
        with pytest.raises(FetchError) as caught:
            await live().get(server.candidate("/private/b"))
    assert str(caught.value) == "robots.txt says Disallow: /private (line 2)"


async def test_sitemaps_are_named_beside_a_seed_when_they_are_wanted(live):
    text = f"{RULES}Sitemap: /map.xml\nSitemap: javascript:alert(1)\n"
    async with FaultServer(robots(text) | {"/a": page()}) as server:
        assert (await live(sitemaps=True).get(server.candidate("/a"))).sitemaps == (server.url("/map.xml"),)
        assert (await live().get(server.candidate("/a"))).sitemaps == ()
