"""The practice web over HTTP: the same bytes, on loopback only, with a count of what visitors do."""

import asyncio
import socket
from contextlib import suppress

import pytest

from tests.unit.practice_crawl import web_of
from thresher_practice import PracticeServer, serve
from thresher_practice.site_plan import Evolution

WEB = web_of(1)
SITE = next(site for site in WEB.atlas.sites.values() if site.disallowed)
Reply = tuple[int, dict[str, str], bytes]


async def ask(port: int, *requests: tuple[str, str], method: str = "GET", **headers: str) -> list[Reply]:
    """Ask for (host, path) after (host, path) on one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    replies = []
    try:
        for host, path in requests:
            lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
            lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
            writer.write("\r\n".join([*lines, "", ""]).encode())
            replies.append(await _reply(reader, with_body=method != "HEAD"))
    finally:
        writer.close()
    return replies


async def _reply(reader: asyncio.StreamReader, with_body: bool) -> Reply:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in head[1:-2])
    size = int(headers.get("content-length", 0)) if with_body else 0
    return int(head[0].split()[1]), headers, await reader.readexactly(size)


def place(server: PracticeServer, address: str) -> tuple[str, str]:
    name, _, path = address.partition("/")
    return f"{name}.localhost:{server.port}", f"/{path}"


async def test_the_server_sends_the_bytes_of_the_web_but_for_the_port():
    server = serve(WEB)
    sample = [*list(WEB.atlas.pages)[::150], *list(WEB.atlas.moved)[:3], *list(WEB.atlas.gone)[:3]]
    async with server as port:
        replies = await ask(port, *(place(server, address) for address in sample))
        for address, (status, headers, body) in zip(sample, replies, strict=True):
            expected = WEB.answer(address)
            assert (status, body.replace(f":{port}/".encode(), b"/")) == (expected.status, expected.body)
            assert headers["date"]
        assert all(f".localhost:{port}/" in url for url in server.web.pages)


async def test_one_connection_serves_many_requests_until_one_says_close():
    server = serve(WEB)
    async with server as port:
        host, path = place(server, f"{SITE.name}/")
        assert [reply[0] for reply in await ask(port, *[(host, path)] * 5)] == [200] * 5
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await ask(port, (host, path), (host, path), connection="close")


async def test_head_has_the_headers_and_no_body():
    server = serve(WEB)
    async with server as port:
        where = place(server, f"{SITE.name}/")
        [(status, headers, body)] = await ask(port, where, method="HEAD")
        [(_, expected, _)] = await ask(port, where)
        assert (status, headers, body) == (200, expected, b"")


async def test_a_page_already_known_is_not_sent():
    server = serve(WEB)
    address = next(address for address, page in WEB.atlas.pages.items() if page.change is Evolution.STILL)
    async with server as port:
        [(_, headers, _)] = await ask(port, place(server, address))
        replies = await ask(port, *[place(server, address)] * 2, If_None_Match=headers["etag"])
        assert [(status, body) for status, _, body in replies] == [(304, b"")] * 2


async def test_a_request_that_names_the_whole_url_is_answered_too():
    """As a proxy is asked; so *.localhost need not be resolved."""
    server = serve(WEB)
    async with server as port:
        [(status, _, body)] = await ask(port, ("proxy", server.web.pages[0]))
        assert (status, body) == (200, server.web.answer(server.web.address(server.web.pages[0])).body)


async def test_strangers_and_odd_methods_are_turned_away():
    server = serve(WEB)
    async with server as port:
        [(status, _, _)] = await ask(port, ("elsewhere.localhost", "/"))
        assert (status, server.strangers) == (421, 1)
        [(status, headers, _)] = await ask(port, place(server, f"{SITE.name}/"), method="POST")
        assert (status, headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("noise", [b"\x16\x03\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"x" * 100_000])
async def test_who_does_not_speak_http_is_hung_up_on(noise):
    server = serve(WEB)
    async with server as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(noise)
        with suppress(ConnectionResetError):  # when bytes we sent were still unread
            assert await reader.read() == b""
        writer.close()
        [(status, _, _)] = await ask(port, place(server, f"{SITE.name}/"))
        assert status == 200


async def test_impolite_visitors_are_counted():
    server = serve(WEB, pause=0.05)
    closed = next(address for address in WEB.atlas.forbidden if address.startswith(f"{SITE.name}/"))
    async with server as port:
        home, private = place(server, f"{SITE.name}/"), place(server, closed)
        await asyncio.gather(ask(port, home), ask(port, home), ask(port, private))
        counts = server.counts[SITE.name]
        assert (counts.requests, counts.early, counts.violations, counts.most_at_once) == (3, 3, 1, 3)


async def test_polite_visitors_are_not():
    server = serve(WEB, pause=0.01)
    async with server as port:
        robots, home = place(server, f"{SITE.name}/robots.txt"), place(server, f"{SITE.name}/")
        await ask(port, robots, home, home)
        counts = server.counts[SITE.name]
        assert (counts.robots, counts.requests, counts.early, counts.violations) == (1, 2, 0, 0)
        assert counts.most_at_once == 1
        assert counts.shortest_gap >= 0


async def test_nothing_but_loopback_is_bound_and_nothing_stays_open():
    server = serve(WEB)
    async with server as port:
        assert [each.getsockname() for each in server._server.sockets] == [("127.0.0.1", port)]
        idle = await asyncio.open_connection("127.0.0.1", port)
    assert await idle[0].read() == b""
    idle[1].close()
    with socket.socket() as again, pytest.raises(ConnectionRefusedError):
        again.connect(("127.0.0.1", port))
