"""Many small sites that see how they are treated: how many at once, how soon again, and who enters where."""

import asyncio
import time
from collections import Counter

from tests.faults.killing.site import Outcome, Sites, Url, response

ROBOTS = b"User-agent: *\nDisallow: /closed/\n"
CLOSED = 10  # one page in so many links to a room that robots.txt closes


class WatchfulSites(Sites):
    """Sites with rules, which count what they see of each host."""

    def __init__(self, pages: int, hosts: int, latency: float = 0.01) -> None:
        super().__init__(pages, tuple(f"127.77.2.{number + 1}" for number in range(hosts)))
        self.latency = latency
        self.most_at_once = self.violations = self.before_robots = 0
        self.shortest_gap = 1e9
        self._at_once: Counter[str] = Counter()
        self._last: dict[str, float] = {}
        self._asked_rules: set[str] = set()

    def expected(self) -> dict[Url, Outcome]:
        closed = {
            f"http://{address}:{self.port}/closed/{number}": "forbidden"
            for address in self.addresses
            for number in range(0, self.pages, CLOSED)
            if self._kind(number) == "page"
        }
        return super().expected() | closed

    async def _answer(self, address: str, path: str, head: str = "") -> bytes:
        self._enter(address, path)
        try:
            await asyncio.sleep(self.latency)
            if path == "/robots.txt":
                self._asked_rules.add(address)
                return response("200 OK", ROBOTS)
            return await super()._answer(address, path, head)
        finally:
            self._at_once[address] -= 1
            self._last[address] = time.monotonic()

    def _enter(self, address: str, path: str) -> None:
        now = time.monotonic()
        self._at_once[address] += 1
        self.most_at_once = max(self.most_at_once, self._at_once[address])
        if address in self._last:
            self.shortest_gap = min(self.shortest_gap, now - self._last[address])
        self.violations += path.startswith("/closed/")
        self.before_robots += path != "/robots.txt" and address not in self._asked_rules

    def _body(self, address: str, number: int) -> bytes:
        body = super()._body(address, number)
        if number % CLOSED:
            return body
        return body.replace(b"</html>", f'<a href="/closed/{number}">honey</a></html>'.encode())
