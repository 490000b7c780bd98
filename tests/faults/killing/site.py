"""Two small sites on loopback whose pages are each linked from one page only, so that no loss is hidden."""

import asyncio
import gzip
import random
import threading
import time
from collections import Counter
from types import TracebackType
from typing import Self

ADDRESSES = ("127.77.1.1", "127.77.1.2")
NETWORK = "127.77.0.0/16"
PAUSE = 0.002  # seconds before each answer, so that several requests are under way at any moment
REPEATED = (
    b"<html><title>Common</title><p>The same words on several pages, kept once in the archive.</p></html>"
)

Url = str
Outcome = str


class Sites:
    """Both sites while the context lasts, in a thread of their own; `hits` counts requests by URL."""

    def __init__(self, pages: int, addresses: tuple[str, ...] = ADDRESSES) -> None:
        self.pages, self.port, self.addresses = pages, 0, addresses
        self.hits: Counter[Url] = Counter()
        self.answered: list[float] = []  # moments at which a page had been sent
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def seeds(self) -> list[Url]:
        return [self.url(address, 0) for address in self.addresses]

    def url(self, address: str, number: int, ending: str = "") -> Url:
        return f"http://{address}:{self.port}/page/{number}{ending}"

    def expected(self) -> dict[Url, Outcome]:
        """Return how the one visit of each URL ends."""
        ends: dict[Url, Outcome] = {}
        for address in self.addresses:
            for number in range(self.pages):
                moved, gone = self._kind(number) == "moved", self._kind(number) == "gone"
                ends[self.url(address, number)] = "moved" if moved else "gone" if gone else "fetched"
                if moved:
                    ends[self.url(address, number, "/here")] = "fetched"
        return ends

    def _kind(self, number: int) -> str:
        """Return what a page is: most are pages, some of the leaves are something else."""
        if 2 * number + 1 < self.pages:
            return "page"
        return {0: "repeated", 1: "moved", 2: "gone"}.get(number % 12, "page")

    async def _listen(self) -> None:
        self._servers, self._visitors = [], set[asyncio.Task[None]]()
        for address in self.addresses:
            server = await asyncio.start_server(self._welcome, address, self.port)
            self.port = server.sockets[0].getsockname()[1]
            self._servers.append(server)

    async def _hang_up(self) -> None:
        for server in self._servers:
            server.close()
        for visitor in self._visitors:
            visitor.cancel()
        await asyncio.gather(*self._visitors, return_exceptions=True)

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visitor = asyncio.current_task()
        assert visitor is not None
        self._visitors.add(visitor)
        visitor.add_done_callback(self._visitors.discard)
        address = writer.get_extra_info("sockname")[0]
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                text = head.decode("latin-1")
                writer.write(await self._answer(address, path := text.split(" ")[1], text))
                await writer.drain()
                if path.startswith("/page/"):
                    self.answered.append(time.monotonic())
        except (OSError, EOFError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _answer(self, address: str, path: str, head: str = "") -> bytes:
        if not path.startswith("/page/"):
            return response("404 Not Found", b"")
        self.hits[f"http://{address}:{self.port}{path}"] += 1
        await asyncio.sleep(PAUSE)
        number = int(path.split("/")[2])
        kind = "page" if path.endswith("/here") else self._kind(number)
        if kind == "moved":
            return response("302 Found", b"", f"Location: {path}/here\r\n")
        if kind == "gone":
            return response("404 Not Found", b"<p>gone</p>")
        return page(REPEATED if kind == "repeated" else self._body(address, number), number)

    def _body(self, address: str, number: int) -> bytes:
        """Write a page of words of its own, with links to its children, its parent and both homes."""
        dice = random.Random(f"{address} {number}")
        words = ["".join(dice.choices("abcdefghijklmnop", k=7)) for _ in range(80)]
        children = [each for each in (2 * number + 1, 2 * number + 2) if each < self.pages]
        targets = [self.url(address, each) for each in (*children, (number - 1) // 2 if number else 0)]
        links = " ".join(f'<a href="{target}">honey {words[0]}</a>' for target in [*targets, *self.seeds])
        return f"<html><title>Page {number}</title><p>{' '.join(words)}</p>{links}</html>".encode()


def page(body: bytes, number: int) -> bytes:
    """Return a page as it is sent, every third one packed."""
    if number % 3:
        return response("200 OK", body)
    return response("200 OK", gzip.compress(body, mtime=0), "Content-Encoding: gzip\r\n")


def response(status: str, body: bytes, headers: str = "") -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
