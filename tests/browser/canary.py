"""A server on loopback that counts what reaches it, in every way a page has of reaching one."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

HERE = Path(__file__).parent
WAYS = (
    *("img", "css", "font", "script", "import", "iframe", "object", "video", "bg", "preload", "prefetch"),
    *("fetch", "xhr", "beacon", "ping", "eventsource", "websocket", "form", "download", "popup", "favicon"),
    *("worker", "workersocket", "sharedworker", "serviceworker", "viasw", "navigate"),
    *("speculated", "prerendered"),
)
"""The 29 ways, each named for the path that it asks for."""

TYPES = {"css": "text/css", "script": "text/javascript", "import": "text/javascript"}


@dataclass
class Canary(asyncio.DatagramProtocol):
    """What arrived: paths by HTTP, datagrams by UDP, bare connections by TCP."""

    port: int = 0
    udp: int = 0
    tcp: int = 0
    paths: set[str] = field(default_factory=set)
    datagrams: int = 0
    connections: int = 0

    @property
    def page(self) -> str:
        return f"http://localhost:{self.port}/page"

    def reached(self) -> set[str]:
        """Every way in which something arrived."""
        found = {path for path in self.paths if path in WAYS}
        return found | ({"udp"} if self.datagrams else set()) | ({"tcp"} if self.connections else set())

    def html(self) -> str:
        text = (HERE / "hostile.html").read_text()
        for name, port in (("CANARY", self.port), ("UDP", self.udp), ("TCP", self.tcp)):
            text = text.replace(f":{name}", f":{port}")
        return text

    async def answer(self, request: web.Request) -> web.StreamResponse:
        name = request.path.strip("/")
        if name == "page":
            return web.Response(text=self.html(), content_type="text/html")
        if name == "sw.js":
            script = (HERE / "hostile_worker.js").read_text().replace(":CANARY", f":{self.port}")
            return web.Response(text=script, content_type="text/javascript")
        self.paths.add(name)
        if name == "download":
            return web.Response(body=b"x" * 100, headers={"Content-Disposition": "attachment"})
        return web.Response(text="", content_type=TYPES.get(name, "text/html"))

    def datagram_received(self, data: bytes, address: object) -> None:
        self.datagrams += 1

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        writer.close()


@asynccontextmanager
async def canary() -> AsyncIterator[Canary]:
    """Listen in all three ways for as long as the context lasts."""
    bird, loop = Canary(), asyncio.get_running_loop()
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", bird.answer)
    runner = web.AppRunner(application)
    await runner.setup()
    listening = socket.create_server(("127.0.0.1", 0))
    await web.SockSite(runner, listening).start()
    transport, _ = await loop.create_datagram_endpoint(lambda: bird, local_addr=("127.0.0.1", 0))
    bare = await asyncio.start_server(bird.connected, "127.0.0.1", 0)
    bird.port, bird.udp = listening.getsockname()[1], transport.get_extra_info("sockname")[1]
    bird.tcp = bare.sockets[0].getsockname()[1]
    try:
        yield bird
    finally:
        transport.close()
        bare.close()
        await runner.cleanup()
