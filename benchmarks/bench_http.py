"""What one request costs: our client beside aiohttp's, and our reader of responses beside those of others.

python benchmarks/bench_http.py
"""

import asyncio
import gzip
import multiprocessing
import time
from collections.abc import Awaitable, Callable

import aiohttp

from tests.fuzz.peers import by_aiohttp, by_h11, ours
from thresher.core.records import Candidate
from thresher.core.url import parse
from thresher.fetch.client import HttpClient
from thresher.fetch.guard import Guard

HOST, REQUESTS = "127.77.0.1", 2_000
PAGE = gzip.compress(b"".join(b"<p>Line %d of a page that is packed.</p>" % number for number in range(700)))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n"
MORE = b"".join(b"X-%d: a header like any other\r\n" % number for number in range(10))
LENGTH = HEAD + MORE + b"Content-Length: %d\r\n\r\n%b" % (len(PAGE), PAGE)
CHUNKED = HEAD + MORE + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(PAGE), PAGE)


def serve(port: "multiprocessing.Queue[int]") -> None:
    """Answer every request with the same page, in a process of its own."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(LENGTH)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def forever() -> None:
        server = await asyncio.start_server(answer, HOST, 0)
        port.put(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(forever())


async def cost(name: str, ask: Callable[[], Awaitable[object]]) -> None:
    for _ in range(200):
        await ask()
    begun = time.process_time()
    for _ in range(REQUESTS):
        await ask()
    print(f"  {name:28} {1e6 * (time.process_time() - begun) / REQUESTS:6.0f} us a request")


async def clients(port: int) -> None:
    url = parse(f"http://{HOST}:{port}/page")
    exchange = HttpClient(Guard(["127.77.0.0/16"]))
    await cost("ours", lambda: exchange.ask(Candidate(url)))
    await exchange.close()
    async with aiohttp.ClientSession() as session:

        async def ask() -> bytes:
            async with session.get(url, allow_redirects=False) as answer:
                return await answer.read()

        await cost("aiohttp", ask)


def readers() -> None:
    for name, data in (("by length", LENGTH), ("in chunks", CHUNKED)):
        for peer in (ours, by_h11, by_aiohttp):
            begun = time.process_time()
            for _ in range(REQUESTS):
                peer(data)
            took = 1e6 * (time.process_time() - begun) / REQUESTS
            print(f"  {peer.__name__.removeprefix('by_'):10} {name:17} {took:6.0f} us a response")


def main() -> None:
    port: multiprocessing.Queue[int] = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(port,), daemon=True)
    server.start()
    print(f"{REQUESTS:,} requests for a page of {len(PAGE):,} bytes, gzip, over kept connections:")
    asyncio.run(clients(port.get(timeout=20)))
    print("the response alone, without a socket, still packed:")
    readers()
    server.terminate()


if __name__ == "__main__":
    main()
