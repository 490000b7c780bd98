"""No strategy leaves depth, nofollow or traps: straight, resumed and revisited."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from thresher.build.crawl import run
from thresher.build.revisit import revisit
from thresher.build.webs import WebContext
from thresher.core.clock import VirtualClock
from thresher.core.enums import Request
from thresher.core.interfaces import Web
from thresher.core.records import Candidate, Fetched, Topic, Visit
from thresher.engine.revisit import RevisitTask
from thresher.settings.load import read
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder
from thresher.strategies import ALL_STRATEGIES

HOST = "http://a.test"
TOPIC = Topic("bees", {"bee": 1.0, "hive": 0.5}, seeds=(f"{HOST}/",))
DEEPEST = 2
PAGES = 120
NOFOLLOW = '<meta name="robots" content="nofollow">'
MOST_OF_A_TRAP = 60  # pages; without a rule they never end


def _prose(path: str) -> str:
    return " ".join(f"The bee of hive {path} flew {n} rods to field {path}{n} and back." for n in range(8))


class ClosedWeb(Web):
    """A home page that leads to pages whose links are not to be followed, down a well, and into a trap."""

    async def get(self, candidate: Candidate) -> Fetched:
        path = candidate.url.removeprefix(HOST)
        head, text, links = self._page(path)
        body = f"<html><head>{head}</head><body><main><p>{text}</p></main>{links}</body></html>"
        return Fetched(candidate, candidate.url, 200, (("content-type", "text/html"),), body.encode())

    async def close(self) -> None:
        pass

    def _page(self, path: str) -> tuple[str, str, str]:
        if path == "/":
            on = _links("/wish", "/well/1", "/trap/0", "/plain")
            return "", _prose(path), on + '<a rel="nofollow" href="/secret/3">bee hive</a>'
        if path == "/wish":
            return NOFOLLOW, _prose(path), _links("/secret/1", "/secret/2")
        kind, _, number = path[1:].partition("/")
        if kind == "trap":
            return (
                "",
                "The same bee again. " * 40,
                _links(*(f"/trap/{3 * int(number) + n}" for n in (1, 2, 3))),
            )
        if kind == "well":
            return "", _prose(path), _links(f"/well/{int(number) + 1}")
        return "", _prose(path), ""


def _links(*paths: str) -> str:
    return " ".join(f'<a href="{path}">bee hive</a>' for path in paths)


class Crawled:
    """A strategy's crawl of the closed web, which may be cut off and taken up again."""

    def __init__(self, folder: Path, strategy: str) -> None:
        self.folder, self.strategy = CrawlFolder(folder / strategy), strategy
        self.world = WebContext(ClosedWeb(), VirtualClock(1.7e9), TOPIC)

    def run(self, pages: int, resume: bool = False) -> None:
        asyncio.run(run(self._settings(pages), self.folder, world=self.world, resume=resume))

    def revisit(self) -> None:
        asyncio.run(revisit(self.folder, RevisitTask(once=True), self._settings(0), world=self.world))

    def visits(self) -> list[Visit]:
        """Return the requests for pages; a question about one fetches nothing."""
        store = self.folder.open()
        try:
            return [visit for visit in store.visits() if visit.candidate.kind is not Request.BACKLINKS]
        finally:
            store.close()

    def paths(self, beginning: str) -> set[str]:
        paths = {visit.candidate.url.removeprefix(HOST) for visit in self.visits()}
        return {path for path in paths if path.startswith(beginning)}

    def _settings(self, pages: int) -> Settings:
        asked = {"topic": "bees", "strategy": self.strategy, "web": {"delay": 0.0, "kind": "live"}}
        settings = read(None, [*asked.items(), ("seeds", (f"{HOST}/",)), ("pages", pages)])
        return replace(settings, scope=replace(settings.scope, depth=DEEPEST, domains=("a.test",)))


@pytest.fixture(params=sorted(ALL_STRATEGIES))
def crawled(request: pytest.FixtureRequest, tmp_path: Path) -> Crawled:
    return Crawled(tmp_path, request.param)


@pytest.mark.parametrize("stops", [(PAGES,), (2, 4, PAGES)], ids=["straight", "resumed"])
def test_no_strategy_leaves_depth_nofollow_or_traps(crawled: Crawled, stops: tuple[int, ...]) -> None:
    for number, pages in enumerate(stops):
        crawled.run(pages, resume=number > 0)
    assert crawled.paths("/secret") == set()
    assert max(visit.candidate.depth for visit in crawled.visits()) <= DEEPEST
    assert len(crawled.paths("/trap")) <= MOST_OF_A_TRAP
    crawled.revisit()
    assert crawled.paths("/secret") == set()
    assert max(visit.candidate.depth for visit in crawled.visits()) <= DEEPEST


def test_a_trap_without_a_limit_of_depth_is_left_by_the_strategy_that_learns(tmp_path: Path) -> None:
    crawl = Crawled(tmp_path, "thresher")
    settings = crawl._settings(600)
    settings = replace(settings, scope=replace(settings.scope, depth=0, exclude=("/well/",)))
    asyncio.run(run(settings, crawl.folder, world=crawl.world))
    assert 3 <= len(crawl.paths("/trap")) <= MOST_OF_A_TRAP
