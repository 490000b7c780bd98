"""Every screen of a crawl of a million pages in Debian's Chromium: milliseconds until it stands.

python benchmarks/bench_screens.py [PAGES [FOLDER]]

Each screen is loaded as from a bookmark, with an empty cache, and reached from another by the address; it
stands when its heading is there and nothing says "one moment" any more. The crawls are those of
bench_serve.py: one of so many pages, and beside it one of a tenth, to compare.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench_serve import CrawlFolder, ask, make
from playwright.sync_api import sync_playwright

ROUNDS = 5
ONE = "/c/million"
SCREENS = {
    "All crawls": "/", "New crawl": "/new", "Compare": "/compare?ids=million,other",
    "Search": "/search?q=honey+barrel",
    "Overview": f"{ONE}/overview", "Pages": f"{ONE}/pages", "Pages, one word": f"{ONE}/pages?q=honey",
    "Pages, two words": f"{ONE}/pages?q=honey+barrel", "Pages, unsure": f"{ONE}/pages?filter=unsure",
    "Pages of a host": f"{ONE}/pages?host=h7.example", "Why": f"{ONE}/why", "Changes": f"{ONE}/changes",
    "Hosts": f"{ONE}/hosts", "Topic": f"{ONE}/topic", "Exports": f"{ONE}/exports",
}  # fmt: skip
STANDS = (
    "() => document.querySelector('main h1') && !document.querySelector('.waiting')"
    " && (!document.querySelector('.hits > li') || document.querySelector('.reader, .hits.plain'))"
)


def main(pages: int = 1_000_000, place: str = "") -> None:
    """Make the crawls, serve them, and print a line for each screen."""
    root = Path(place or tempfile.mkdtemp(prefix="bench-screens-"))
    for name, count in {"million": pages, "other": pages // 10}.items():
        if not (root / name / "search.db").exists():
            make(CrawlFolder(root / name), count)
    command = [sys.executable, "-m", "thresher", "serve", str(root), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        address = server.stdout.readline().rpartition(" at ")[2].strip()
        with sync_playwright() as playwright:
            arguments = ["--no-sandbox", "--disk-cache-size=1"]
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
            measure(browser, address)
            browser.close()
        status = Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8").splitlines()
        print("memory of the server: " + next(line for line in status if line.startswith("VmHWM")))
    finally:
        server.terminate()
        server.wait(10)


def measure(browser: Any, address: str) -> None:
    """Print the median and the worst of some rounds for each screen, loaded and reached."""
    root, _, token = address.partition("/#token=")
    ask(root, token, "/crawls")
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(address)
    page.wait_for_function(STANDS)
    print(f"{'loaded: median, worst':>24} {'reached: median, worst':>24}  ms")
    for name, path in SCREENS.items():
        loaded = sorted(load(page, root + path) for _ in range(ROUNDS))
        page.goto(f"{root}/new")
        page.wait_for_function(STANDS)
        reached = sorted(reach(page, path) for _ in range(ROUNDS))
        told = "".join(f"{times[ROUNDS // 2]:17.0f} {times[-1]:6.0f} " for times in (loaded, reached))
        print(f"{told}  {name}", flush=True)


def load(page: Any, address: str) -> float:
    """Return how long a screen takes as from a bookmark, by the browser's own clock."""
    page.goto("about:blank")
    page.goto(address, wait_until="commit")
    page.wait_for_function(STANDS, polling="raf")
    return float(page.evaluate("performance.now()"))


def reach(page: Any, path: str) -> float:
    """Return how long a screen takes from another one."""
    go = """async ([path, stands]) => {
      const painted = () => new Promise((done) => requestAnimationFrame(done));
      const go = (to) => { history.pushState(null, "", to); dispatchEvent(new PopStateEvent("popstate")); };
      const isThere = eval(stands);
      go(path === "/new" ? "/" : "/new");
      await painted();
      while (!isThere()) await painted();
      const began = performance.now();
      go(path);
      for (document.querySelector("main h1")?.remove(); !isThere();) await painted();
      return performance.now() - began;
    }"""
    return float(page.evaluate(go, [path, STANDS]))


if __name__ == "__main__":
    main(*(int(each) if each.isdecimal() else each for each in sys.argv[1:]))  # type: ignore[arg-type]
