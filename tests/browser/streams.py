"""Ten tabs of Chromium that watch one crawl while it is paused, resumed and killed: no gap and no leak.

python -m tests.browser.streams --minutes 3

As tests/faults/streams.py, with the screens' own script in place of clients in Python. Three tabs lose their
network now and then. Every tab must have been told of every visit since its first one, once and in order.
"""

import asyncio
from itertools import pairwise
from typing import Any

from aiohttp import ClientSession, ClientTimeout
from playwright.async_api import Browser, async_playwright

from tests.browser.conftest import CHROMIUM
from tests.faults.streams import CLIENTS, GROWTH, RESTLESS, Server, becomes, run, steer

OFFLINE = (15.0, 3.0)  # seconds with a network, and without
HEAP = 12e6  # bytes of script that a tab may have more at the end
LISTENS = """
  window.seen = [];
  const ask = fetch;
  window.fetch = async (...asked) => {
    const answer = await ask(...asked);
    if (!answer.ok || !String(asked[0]).includes("/events")) return answer;
    const [theirs, ours] = answer.body.tee();
    note(ours.pipeThrough(new TextDecoderStream()).getReader()).catch(() => {});
    return new Response(theirs, { status: answer.status, headers: answer.headers });
  };
  async function note(reader) {
    for (let text = ""; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      const messages = (text + value).split("\\n\\n");
      text = messages.pop();
      const visits = messages.filter((message) => message.includes("event: visit"));
      window.seen.push(...visits.map((message) => Number(/id: (\\d+)/.exec(message)[1])));
    }
  }
"""


class Tab:
    """One tab at the overview, and what went wrong in it."""

    def __init__(self, page: Any) -> None:
        self.page, self.wrong = page, list[str]()
        page.on("pageerror", lambda error: self.wrong.append(str(error)))

    @classmethod
    async def opened(cls, browser: Browser, server: Server) -> "Tab":
        """Open the overview with the token."""
        page = await (await browser.new_context()).new_page()
        await page.add_init_script(LISTENS)
        tab = cls(page)
        await page.goto(f"{server.address}/#token={server.token}")
        await page.wait_for_selector("main h1")
        await page.goto(f"{server.address}/c/bees/overview")
        await page.wait_for_selector("main h1")
        return tab

    async def seen(self) -> list[int]:
        """Return the visits it was told of."""
        return list(await self.page.evaluate("window.seen"))

    async def heap(self) -> float:
        """Return the bytes of its script, after what is not used was swept away."""
        session = await self.page.context.new_cdp_session(self.page)
        await session.send("HeapProfiler.collectGarbage")
        return float((await session.send("Runtime.getHeapUsage"))["usedSize"])

    async def lose_network(self) -> None:
        """Be without a network now and then, until cancelled."""
        while True:
            for seconds, offline in zip(OFFLINE, (True, False), strict=True):
                await asyncio.sleep(seconds)
                await self.page.context.set_offline(offline)


async def watched(server: Server, seconds: float) -> int:
    """Watch the crawl in all tabs while it is steered; return 0 if all went well."""
    headers = {"Authorization": f"Bearer {server.token}"}
    async with (
        ClientSession(server.address, headers=headers, timeout=ClientTimeout(total=None)) as session,
        async_playwright() as playwright,
    ):
        await becomes(session, "running")
        before = server.files()
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tabs = [await Tab.opened(browser, server) for _ in range(CLIENTS)]
        tasks = [asyncio.create_task(tab.lose_network()) for tab in tabs[:RESTLESS]]
        memory, heaps = server.memory(), [await tab.heap() for tab in tabs]
        wrong = await steer(session, seconds)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for tab in tabs[:RESTLESS]:
            await tab.page.context.set_offline(False)
        await asyncio.sleep(20)  # who was away comes back, and the last visits are told
        seen = [await tab.seen() for tab in tabs]
        grown = max([await tab.heap() - heap for tab, heap in zip(tabs, heaps, strict=True)])
        served = server.memory() - memory
        await browser.close()
        await asyncio.sleep(2)
        open_now = server.files()
    wrong += [line for tab in tabs for line in tab.wrong]
    return told(seen, wrong, (memory, served, grown), (before, open_now))


def told(
    seen: list[list[int]], wrong: list[str], bytes: tuple[float, float, float], files: tuple[int, int]
) -> int:
    """Say how it went; return 0 if all went well."""
    memory, served, grown = bytes
    last = max(numbers[-1] for numbers in seen)
    gaps = sum(one + 1 != two for numbers in seen for one, two in pairwise(numbers))
    short = sum(numbers[-1] != last for numbers in seen)
    print(
        f"{min(map(len, seen)):,} to {max(map(len, seen)):,} visits in each of {len(seen)} tabs, "
        f"{gaps} gaps, {short} behind; server {memory / 1e6:.0f} MB {served / 1e6:+.1f} MB, script of a tab "
        f"{grown / 1e6:+.1f} MB at most; files {files[0]}, then {files[1]}; {wrong or 'all steered'}"
    )
    return int(bool(gaps or short or wrong) or served > GROWTH or grown > HEAP or files[1] > files[0] + 4)


if __name__ == "__main__":
    raise SystemExit(run("tests.browser.streams", __doc__, watched))
