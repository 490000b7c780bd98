"""Takes a picture of every screen in every state: `python -m tests.browser.pictures FOLDER [MILLION]`.

MILLION is a folder that benchmarks/bench_serve.py made. Who changes a screen looks at all before and after.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.conftest import Served, Tab, browsing, serving, tab_of
from tests.unit.serve_examples import crawl_in
from thresher.core.enums import Outcome
from thresher.core.progress import Finish, FinishKind
from thresher.core.records import Candidate, Page, Topic, Url, Visit
from thresher.search.index import catch_up
from thresher.settings.load import read, written
from thresher.store.folder import CrawlFolder

FULL = "failed: The disk of bees is full. Everything saved so far is safe: make room, then resume it."
SCREENS = {
    "all": "/", "new": "/new", "compare": "/compare?ids=bees,breadth", "search": "/search?q=honey",
    "overview": "/c/bees/overview", "pages": "/c/bees/pages?q=honey", "why": "/c/bees/why",
    "changes": "/c/bees/changes", "hosts": "/c/bees/hosts", "topic": "/c/bees/topic",
    "exports": "/c/bees/exports", "hostile": "/c/hostile/pages?q=onerror", "hostile-why": "/c/hostile/why",
    "chinese": "/c/zh/pages?q=蜂王", "chinese-overview": "/c/zh/overview",
    "nothing-found": "/c/bees/pages?q=zeppelin",
    "full": "/c/full/overview", "empty": "/c/empty/overview", "failed": "/c/failed/overview",
    "broken": "/c/broken/overview", "nowhere": "/c/nowhere/overview",
}  # fmt: skip
LOOKS = {
    "light": ("light", 1360),
    "dark": ("dark", 1360),
    "phone": ("light", 390),
    "phone-dark": ("dark", 390),
}
CHINESE = (
    ("蜂王怎样产卵", "蜂王每天产卵一千五百粒以上。工蜂给她喂蜂王浆，她的寿命比工蜂长得多，可以活三到五年。"),
    ("春天的养蜂日记", "三月里油菜花开了，蜂群开始壮大。检查蜂箱要轻，先喷一点烟，再看蜂王在不在。"),
    ("怎样看蜂蜜的好坏", "好的蜂蜜不一定不结晶。椴树蜜结晶以后是白色的，细得像猪油；放在温水里又会化开。"),
    ("城市屋顶上的蜂箱", "在屋顶上养蜂要先问邻居。蜂王若是温和的品种，蜂群就不爱蜇人；水源要放在近处。"),
    ("臺灣的龍眼蜜", "龍眼花開的時候，蜂農把蜂箱搬到山下。蜂王產卵最多的季節也是採蜜的季節。"),
)  # fmt: skip


def main(place: str, million: str = "") -> None:
    """Make the crawls, and take every picture in light, dark and on a phone."""
    from playwright.sync_api import sync_playwright

    out = Path(place)
    out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as made,
        sync_playwright() as playwright,
        browsing(playwright) as browser,
    ):
        crawls(Path(made))
        for revisit, (theme, width) in LOOKS.items():
            with serving(Path(made)) as served:
                tab = tab_of(browser, served, theme, width)
                for name, path in SCREENS.items():
                    take(tab, f"{served.root}{path}", out / f"{name}-{revisit}.png")
                lost(tab, served, out / f"lost-{revisit}.png")
            if million:
                of_million(browser, Path(million), revisit, out)


def take(tab: Tab, address: str, file: Path) -> None:
    """Open a screen, type what a person would, and write what is seen."""
    tab.go(address)
    if address.endswith("/new"):
        tab.page.fill("input[name=topic]", "机器学习" if "dark" in file.name else "basketball training")
        tab.page.wait_for_selector("[data-understood] pre")
    tab.page.wait_for_timeout(400)
    tab.page.screenshot(path=file, full_page=True)


def lost(tab: Tab, served: Served, file: Path) -> None:
    """End the server under an open screen."""
    tab.go(f"{served.root}/c/bees/overview")
    served.process.terminate()
    tab.page.wait_for_selector(".banner")
    tab.page.screenshot(path=file, full_page=True)


def of_million(browser: Any, place: Path, revisit: str, out: Path) -> None:
    """Take the screens of a crawl of a million pages."""
    with serving(place) as served:
        tab = tab_of(browser, served, *LOOKS[revisit])
        for screen in ("overview", "pages", "hosts", "topic"):
            take(tab, f"{served.root}/c/million/{screen}", out / f"million-{screen}-{revisit}.png")


def crawls(place: Path) -> None:
    """Make a crawl for every state."""
    demo = place / "demo"
    subprocess.run(
        [sys.executable, "-m", "thresher", "demo", "--seed", "1"], cwd=place, check=True, capture_output=True
    )
    (demo / "thresher").rename(place / "bees")
    (demo / "breadth_first").rename(place / "breadth")
    shutil.rmtree(demo)
    shutil.copytree(place / "bees", place / "full")
    with opened(CrawlFolder(place / "full")) as store:
        store.facts.finish = Finish(FinishKind.FAILED, FULL)
    crawl_in(place / "hostile")
    chinese(CrawlFolder(place / "zh"))
    begun(CrawlFolder(place / "empty"), "urban trees").close()
    (place / "failed").mkdir()
    (place / "failed" / "crawl.log").write_text("No address of the seeds could be reached.\n")
    (place / "broken").mkdir()
    (place / "broken" / "crawl.db").write_bytes(b"not a database" * 300)


@contextmanager
def opened(folder: CrawlFolder) -> Iterator[Any]:
    """Open a crawl to change it."""
    store = folder.resume()
    try:
        yield store
    finally:
        store.close()


def begun(folder: CrawlFolder, topic: str) -> Any:
    """Begin a crawl without a page."""
    store = folder.create(written(read(None, [("topic", topic), ("seeds", ("http://trees.example/",))])))
    store.facts.topic, store.facts.threshold = Topic(topic, {topic: 1.0}), 0.5
    store.facts.strategy, store.facts.judge = "thresher", "question"
    return store


def chinese(folder: CrawlFolder) -> None:
    """Make a crawl of Chinese pages."""
    store = begun(folder, "养蜂")
    for number, (title, text) in enumerate(CHINESE):
        url = Url(f"http://fengnong.example/{number}")
        page = Page(url, title, f"{text}\n{text}", f"{text}\n{text}", "zh")
        visit = Visit(
            Candidate(url, 0.5, depth=number),
            Outcome.FETCHED,
            1_790_000_000.0 + number,
            page,
            0.9 - number / 8,
        )
        store.add(visit)
    store.close()
    catch_up(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
