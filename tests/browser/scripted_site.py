"""A site on loopback that is nothing without its scripts: one shell for every page, and an API behind it.

It has what such sites have: routes of the client, data that is fetched and then shown, rows that load when
they come into view, shadow roots, and a list that grows for whoever scrolls.
"""

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

SHELL = """<!doctype html><html lang=en><head><title>Hive</title><script src=/app.js defer></script></head>
<body><div id=app></div><noscript>You need to enable JavaScript to run this app.</noscript></body></html>"""
APP = (Path(__file__).parent / "scripted_site.js").read_text()

ROUTES, FETCHED, LAZY, SHADOW, SCROLLED = 8, 8, 10, 5, 18
BATCH = 6  # rows of the list that grows, for each scroll

PAGES = frozenset(
    {"/", "/lazy", "/shadow", "/scroll"}
    | {f"/route/{number}" for number in range(1, ROUTES + 1)}
    | {f"/fetched/{number}" for number in range(1, FETCHED + 1)}
    | {f"/lazy/{number}" for number in range(1, LAZY + 1)}
    | {f"/shadow/{number}" for number in range(1, SHADOW + 1)}
    | {f"/scroll/{number}" for number in range(1, SCROLLED + 1)}
)
"""Every page of the site."""


@dataclass
class ScriptedSite:
    """The site, what was asked of it, and by whom."""

    port: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    agents: set[str] = field(default_factory=set)
    robots: str = "User-agent: *\nDisallow: /api/secret\n"

    @property
    def home(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    async def answer(self, request: web.Request) -> web.Response:
        path = request.path
        self.asked[path] += 1
        self.agents.add(request.headers.get("User-Agent", ""))
        if path == "/robots.txt":
            return web.Response(text=self.robots)
        if path == "/app.js":
            return web.Response(text=APP, content_type="text/javascript")
        if path.startswith("/api/"):
            return web.json_response(self.data(path, request.query.get("from", "0")))
        if path not in PAGES:
            return web.Response(status=404, text="nothing here")
        return web.Response(text=SHELL, content_type="text/html")

    def data(self, path: str, start: str) -> object:
        """Return what the API says."""
        if path == "/api/scroll":
            first = int(start) + 1
            return [f"/scroll/{number}" for number in range(first, min(first + BATCH, SCROLLED + 1))]
        return {"title": f"Bees {path[5:]}", "text": f"Beekeeping {path[5:]}: " + "honey of the hive. " * 20}


@asynccontextmanager
async def scripted_site() -> AsyncIterator[ScriptedSite]:
    """Serve the site for as long as the context lasts."""
    site, application = ScriptedSite(), web.Application()
    application.router.add_get("/{path:.*}", site.answer)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    listening = socket.create_server(("127.0.0.1", 0))
    await web.SockSite(runner, listening).start()
    site.port = listening.getsockname()[1]
    try:
        yield site
    finally:
        await runner.cleanup()


if __name__ == "__main__":

    async def main() -> None:
        async with scripted_site() as site:
            print(site.home, flush=True)
            await asyncio.sleep(600)

    asyncio.run(main())
