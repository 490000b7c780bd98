"""Pages of our own making, rendered in a browser that is ended in the end."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from thresher.core.records import BrowserRendering, Candidate, Fetched, Url
from thresher.fetch.browser.chromium import Renderer
from thresher.fetch.browser.isolation import SubRequest
from thresher.fetch.browser.tab import PageLimits

PAGE = Url("http://site.example/page")


def page(html: str, url: Url = PAGE, **headers: str) -> Fetched:
    shown = (("content-type", "text/html; charset=utf-8"), *headers.items())
    return Fetched(Candidate(url), url, 200, shown, html.encode(), head=b"HTTP/1.1 200 OK\r\n\r\n")


async def nothing(part: SubRequest) -> Fetched:
    return Fetched(Candidate(part.url), part.url, 404, head=b"HTTP/1.1 404 Not Found\r\n\r\n")


@asynccontextmanager
async def rendering(**limits: float) -> AsyncIterator[Callable[..., Awaitable[BrowserRendering]]]:
    """Give what renders pages, and end the browser in the end."""
    renderer = Renderer(limits=PageLimits(**limits))  # type: ignore[arg-type]

    async def render(
        html: str, ask: Callable[[SubRequest], Awaitable[Fetched]] = nothing
    ) -> BrowserRendering:
        return await renderer.render(page(html), ask)

    try:
        yield render
    finally:
        await renderer.close()
