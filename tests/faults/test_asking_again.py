"""A look at a page on the wire: a server whose page has not changed need not send it again."""

import asyncio

from tests.faults.server import ALLOWED, FaultServer, Request
from thresher.build import run
from thresher.build.revisit import revisit
from thresher.engine.revisit import RevisitTask
from thresher.settings.load import read
from thresher.store.folder import CrawlFolder

PAGE = b"<html><title>Bees</title><p>The queen and her honey bees stay at home all winter.</p></html>"


async def page(request: Request, writer: asyncio.StreamWriter) -> None:
    """Answer 304 to whoever has the page."""
    if request.headers.get("if-none-match") == '"7"':
        writer.write(b'HTTP/1.1 304 Not Modified\r\nETag: "7"\r\n\r\n')
        return
    head = f'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: "7"\r\nContent-Length: {len(PAGE)}\r\n\r\n'
    writer.write(head.encode() + PAGE)


async def test_a_page_we_have_is_asked_for_under_conditions_from_the_second_look_on(tmp_path):
    """The crawl keeps no validators; the first revisit learns them, the second uses them."""
    async with FaultServer({"/": page}) as server:
        folder = CrawlFolder(tmp_path / "crawl")
        web = {"kind": "live", "allow_networks": [ALLOWED], "delay": 0.0}
        asked = [("topic", "bees"), ("seeds", (server.url("/"),)), ("web", web)]
        await run(read(None, asked), folder)
        for _ in range(2):
            result = await revisit(
                folder, RevisitTask(once=True), read(folder.settings, [("stop", {"pages": 0})])
            )
            assert (result.revisits, result.changed, result.outcomes) == (1, 0, {"unchanged": 1})
        conditions = [each.headers.get("if-none-match", "") for each in server.log if each.target == "/"]
        assert conditions == ["", "", '"7"']
    store = folder.open()
    statuses = [visit.status for visit in store.history(server.url("/"))]
    store.close()
    assert statuses == [200, 200, 304]
