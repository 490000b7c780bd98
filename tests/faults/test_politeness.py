"""Hosts are left alone for as long as they ask, secrets stay at home, and one host's troubles are its own."""

import asyncio

import pytest

from tests.faults.conftest import HASTY, waits_nothing
from tests.faults.server import FaultServer, in_turn, page, raw, redirect, reset, silence
from thresher.core.errors import HostUnreachable, Stalled, TimedOut
from thresher.core.records import Url
from thresher.core.url import host_of
from thresher.fetch.client import Validators
from thresher.fetch.limits import Backoff
from thresher.fetch.request_headers import secret_lines

BUSY = {"429": "429 Too Many Requests", "503": "503 Service Unavailable"}


@pytest.mark.parametrize("status", BUSY)
async def test_a_busy_host_is_asked_again_when_it_says(live, status):
    naps: list[float] = []
    busy = page(b"", BUSY[status], Retry_After="7")
    async with FaultServer({"/a": in_turn(busy, busy, page(b"there"))}) as server:
        fetched = await live(sleep=waits_nothing(naps)).get(server.candidate("/a"))
    assert (fetched.body, naps) == (b"there", [0.0, 7.0, 7.0])


async def test_a_wait_beyond_our_patience_ends_the_visit_and_rests_the_host(live):
    naps: list[float] = []
    busy = page(b"", BUSY["429"], Retry_After="99999999999")
    async with FaultServer({"/a": busy}) as server:
        fetched = await live(sleep=waits_nothing(naps)).get(server.candidate("/a"))
    assert (fetched.status, fetched.retry_after, naps) == (429, 3600.0, [0.0])
    assert server.asked() == ["/robots.txt", "/a"]


async def test_waits_grow_and_tries_end(live):
    naps: list[float] = []
    async with FaultServer({"/a": page(b"", "500 Oops")}) as server:
        fetched = await live(waits=Backoff(backoff=3), sleep=waits_nothing(naps)).get(server.candidate("/a"))
    assert (fetched.status, naps) == (500, [0.0, 3.0, 6.0])
    assert server.asked().count("/a") == 3


async def test_no_retry_is_faster_than_the_delay(live):
    naps: list[float] = []
    async with FaultServer({"/a": in_turn(reset, page())}) as server:
        await live(waits=Backoff(backoff=0.1), delay=5.0, sleep=waits_nothing(naps)).get(
            server.candidate("/a")
        )
    assert naps == [5.0, 5.0]


async def test_a_host_that_went_silent_is_left_alone_for_a_while_since_we_asked(live):
    """It may still be busy with what we asked, so asking on would be two requests at once."""
    ticks = iter(range(0, 1000, 5))  # every look at the clock finds it five seconds later
    async with FaultServer({"/a": silence(), "/b": silence(b"HTTP/1.1 200 OK\r\n\r\nhalf")}) as server:
        web = live(limits=HASTY, waits=Backoff(after_timeout=45), now=lambda: float(next(ticks)))
        with pytest.raises(TimedOut) as caught:
            await web.get(server.candidate("/a"))
        with pytest.raises(Stalled) as stalled:
            await web.get(server.candidate("/b"))
    assert (caught.value.rest, stalled.value.rest) == (40.0, 40.0)
    assert server.asked().count("/a") == 2 and server.asked().count("/b") == 1


async def test_a_host_that_fails_visit_after_visit_is_asked_only_once_more(live):
    async with FaultServer({"/a": reset}) as server:
        web = live()
        for _ in range(12):
            with pytest.raises(HostUnreachable):
                await web.get(server.candidate("/a"))
    assert server.asked().count("/a") == 10 * 3 + 2


async def test_a_hanging_host_slows_nobody_else(live):
    """Seven hosts finish all their pages while the eighth has not answered its first."""
    hosts = tuple(f"127.77.0.{number}" for number in range(1, 9))
    pages = {f"/{number}": page() for number in range(20)}
    async with FaultServer(pages | {"127.77.0.8/robots.txt": silence()}, hosts) as server:
        web = live()

        async def visit_all(host: str) -> int:
            return sum([(await web.get(server.candidate(path, host))).status == 200 for path in pages])

        hanging = asyncio.create_task(visit_all("127.77.0.8"))
        counts = await asyncio.gather(*map(visit_all, hosts[:7]))
        assert counts == [20] * 7 and not hanging.done()
        hanging.cancel()
        await asyncio.gather(hanging, return_exceptions=True)
    assert server.asked("127.77.0.8") == ["/robots.txt"]


async def test_many_hosts_at_one_address_share_its_slots(live):
    """*.localhost names are many hosts at one address."""

    async def slow(request, writer):
        await asyncio.sleep(0.02)
        await page()(request, writer)

    async with FaultServer({f"/{number}": slow for number in range(9)}, ("127.0.0.1",)) as server:
        web = live(allow_networks=["127.0.0.1"], per_address=2)
        visits = [web.get(server.candidate(f"/{number}", f"h{number}.localhost")) for number in range(9)]
        await asyncio.gather(*visits)
    assert server.most_at_once["127.0.0.1"] == 2


async def test_credentials_are_for_their_origin_only(live):
    hosts = ("127.77.0.1", "127.77.0.2")
    async with FaultServer({"/a": redirect("http://127.77.0.2/b"), "/b": page()}, hosts) as server:
        secret = {host_of(server.url("/")): "user:SECRET"}
        web = live(secrets=secret_lines(secret, {}))
        await web.get(server.candidate("/a"))
        await web.get(server.candidate("/b", "127.77.0.2"))
    sent = {request.address for request in server.log if "authorization" in request.headers}
    assert sent == {"127.77.0.1"}


async def test_headers_are_for_their_origin_only_and_not_kept(live):
    async with FaultServer({"/a": page()}, ("127.77.0.1", "127.77.0.2")) as server:
        web = live(secrets=secret_lines({}, {host_of(server.url("/")): {"X-Key": "SECRET"}}))
        kept = [await web.get(server.candidate("/a")), await web.get(server.candidate("/a", "127.77.0.2"))]
    assert {each.address for each in server.log if "x-key" in each.headers} == {"127.77.0.1"}
    assert not any(b"SECRET" in each.request for each in kept)


async def test_cookies_are_off_by_default(live):
    async with FaultServer({"/a": page(Set_Cookie="a=1"), "/b": page()}) as server:
        web = live()
        await web.get(server.candidate("/a"))
        await web.get(server.candidate("/b"))
    assert not any("cookie" in request.headers for request in server.log)


async def test_a_cookie_wall_lets_those_with_cookies_pass(live):
    async def wall(request, writer):
        answer = page(b"inside") if request.headers.get("cookie") == "wall=1" else turned_away
        await answer(request, writer)

    turned_away = page(b"", "302 Found", Location="/a", Set_Cookie="wall=1")
    async with FaultServer({"/a": wall}) as server:
        assert (await live().get(server.candidate("/a"))).status == 302
        assert (await live(cookies=True).get(server.candidate("/a"))).body == b"inside"


async def test_a_conditional_request_is_answered_with_not_modified(live):
    async def answer(request, writer):
        known = request.headers.get("if-none-match") == '"v1"'
        await (raw(b"HTTP/1.1 304 Not Modified\r\n\r\n") if known else page(b"news", ETag='"v2"'))(
            request, writer
        )

    async with FaultServer({"/a": answer}) as server:
        web = live(copies=Copied({"/a": Validators(etag='"v1"')}))
        assert (await web.get(server.candidate("/a"))).status == 304
        assert (await live().get(server.candidate("/a"))).body == b"news"


class Copied(dict[str, Validators]):
    """Copies of pages, by the end of their URLs."""

    def validators(self, url: Url) -> Validators | None:
        return next((known for path, known in self.items() if url.endswith(path)), None)


@pytest.mark.parametrize("poison", ['"a b\rX-Injected: yes"', '"a\0"', '"a\nb"'])
async def test_a_validator_that_would_end_a_line_is_not_sent(live, poison):
    """An older version took such values from sites, and they may lie in a database still."""
    async with FaultServer({"/a": page(b"news")}) as server:
        web = live(copies=Copied({"/a": Validators(poison, poison)}))
        fetched = await web.get(server.candidate("/a"))
    assert b"If-" not in fetched.request and fetched.body == b"news"
