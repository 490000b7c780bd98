"""A web of two hosts under https, as a corpus that can be served, and a client that speaks raw HTTP to it.

hub -> a, old-b (a redirect to b), gone (not recorded), http://bees.test/d, https://other.test/e, private/f
a -> c      b -> d       e -> https://bees.test/c       d: http was recorded as a redirect to https
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from thresher.warc.capture import HttpExchange
from thresher.warc.files import LocalVolume
from thresher.warc.writer import WarcWriter
from thresher_lab.corpus import Corpus
from thresher_lab.score import AccessLog, Line, Served, read_log
from thresher_lab.served_web import addresses_of, served
from thresher_lab.web_server import ServerLimits, WebServer

BEES, OTHER = "https://bees.test/", "https://other.test/"
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
LINKS = {
    f"{BEES}hub": ("/a", f"{BEES}old-b", "/gone", "http://bees.test/d", f"{OTHER}e", "/private/f"),
    f"{BEES}a": ("c", "//bees.test/hub"),
    f"{BEES}b": ("/d",),
    f"{BEES}c": (),
    f"{BEES}d": (),
    f"{BEES}private/f": (),
    f"{OTHER}e": (f"{BEES}c",),
}
RELEVANT = [f"{BEES}{name}" for name in "abcd"] + [f"{OTHER}e"]


def make_served_corpus(folder: Path, robots: bool = True, mixed: bool = True) -> Corpus:
    """Write the folder and open it; with `mixed` schemes, or everything under https."""
    writer = WarcWriter(LocalVolume(folder), now=lambda: 0.0)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nStrict-Transport-Security: max-age=9\r\n\r\n"
    for url, links in LINKS.items():
        words = "bees and honey" if url in RELEVANT else "nothing of the kind, see https://bees.test/a"
        anchors = "".join(f'<p>to <a href="{link}">{link}</a></p>' for link in links)
        anchors = anchors if mixed else anchors.replace("http:", "https:")
        page = f"<html><title>{url[-1]}</title><body><p>{words}</p>{anchors}</body></html>"
        writer.write(HttpExchange(url, 1.0, head, page.encode()))
    moved = b"HTTP/1.1 301 Moved\r\nLocation: %s\r\n\r\n"
    writer.write(HttpExchange(f"{BEES}old-b", 1.0, moved % b"https://bees.test/b"))
    if mixed:
        writer.write(HttpExchange("http://bees.test/d", 1.0, moved % b"https://bees.test/d"))
    if robots:
        plain = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
        writer.write(HttpExchange(f"{BEES}robots.txt", 1.0, plain, ROBOTS))
    writer.close()
    seeds = {"hub": f"{BEES}hub", "ordinary": f"{BEES}a", "offtopic": f"{OTHER}e"}
    topic = {"id": "bees", "path": "Country/Bees", "keywords": ["honey", "wax", "hive"], "seeds": seeds}
    (folder / "topics.jsonl").write_text(json.dumps(topic) + "\n")
    (folder / "relevant").mkdir()
    (folder / "relevant" / "bees.txt").write_text("".join(f"{url}\n" for url in RELEVANT))
    (folder / "hard_exclude.txt").write_text(f"{OTHER}e\n")
    return Corpus(folder)


Act = Callable[[WebServer], Awaitable[Any]]


def while_served(corpus: Corpus, act: Act, crawl_delay: float = 0.0, hard: bool = False, **how: Any) -> Any:
    """Serve a corpus while something is done; return what came of it, the server, and its log."""
    log = corpus.path.parent / "access.jsonl"
    plain, limits = how.pop("plain", False), ServerLimits(**how.pop("limits", {}))

    def hides(corpus: Corpus) -> Any:
        return corpus.hidden("hard" if hard else "easy")

    async def run(server: WebServer) -> Any:
        ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(server.run(0, ready.set_result))
        await ready
        try:
            return await act(server)
        finally:
            server.stop("the test is over")
            await serving

    with served([corpus], hides, crawl_delay, corpus.path.parent / "cache") as web, log.open("wb") as file:
        books = AccessLog(file, Served((corpus.name,), web.pages))
        server = WebServer(web, books, limits, plain=addresses_of(web.hosts) if plain else {}, **how)
        came = asyncio.run(run(server))
        books.close(server.reason, 0.0, dict(web.faults))
    lines: list[Line] = list(read_log(log))
    return came, server, lines


async def say(port: int, text: str | bytes, address: str = "127.0.0.1", patience: float = 0.3) -> bytes:
    """Say something to the server and return all that it answers until it hangs up or falls silent."""
    reader, writer = await asyncio.open_connection(address, port)
    writer.write(text.encode() if isinstance(text, str) else text)
    came = b""
    with suppress(TimeoutError, ConnectionError):
        while piece := await asyncio.wait_for(reader.read(1 << 16), patience):
            came += piece
    writer.close()
    return came


def get(url: str, agent: str = "tester/1") -> str:
    """Return a request as a client sends it to its proxy."""
    return f"GET {url} HTTP/1.1\r\nHost: x\r\nUser-Agent: {agent}\r\nConnection: close\r\n\r\n"
