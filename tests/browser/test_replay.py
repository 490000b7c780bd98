"""A WACZ file of ours is replayed by replaywebpage, with the text that the pages had."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from tests.browser.conftest import Tab
from tests.command_line import thresher
from tests.unit.changing_site import Site, html

PLAYER = Path(__file__).resolve().parents[2] / ".venv" / "replaywebpage" / "package"
EMBEDDED = (
    '<!doctype html><script src="/ui.js"></script><replay-web-page style="display: block; height: 600px"'
    ' source="/bees.wacz" url="{}" replayBase="/replay/" embed="replayonly"></replay-web-page>'
)
STORY = "The queen bees keep warm all winter long, and honey is what they live on until spring comes."


class Ranges(SimpleHTTPRequestHandler):
    """Files, and parts of files: a package is read here and there."""

    def do_GET(self) -> None:
        asked = self.headers.get("range", "").removeprefix("bytes=")
        if not asked:
            return super().do_GET()
        data = Path(self.translate_path(self.path)).read_bytes()
        first, _, last = asked.partition("-")
        start = int(first) if first else len(data) - int(last)
        part = data[start : int(last) + 1] if first and last else data[start:]
        self.send_response(206)
        self.send_header("content-range", f"bytes {start}-{start + len(part) - 1}/{len(data)}")
        self.send_header("content-length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Three pages, one of them Chinese, as a package beside the player."""
    if not (PLAYER / "sw.js").exists():
        pytest.skip("replaywebpage is not here: 'make browser' takes it from npm")
    site = Site(tmp_path)
    site.pages["/"] = html("Bees &amp; honey", "All bees.", links=("/a", "/zh"))
    site.pages["/a"] = html("A", *([STORY] * 20), links=("/",))
    site.pages["/zh"] = html("蜜蜂", "蜜蜂在花丛中采集花蜜，蜂王在蜂巢里产卵，工蜂照顾幼虫。" * 5)
    with ThreadPoolExecutor() as elsewhere:  # this thread has the loop of the browser
        elsewhere.submit(site.crawl).result()
    place = tmp_path / "served"
    (place / "replay").mkdir(parents=True)
    for name, targets in {"ui.js": ("ui.js", "replay/ui.js"), "sw.js": ("replay/sw.js",)}.items():
        for target in targets:
            copy(PLAYER / name, place / target)
    ran = thresher("export", str(site.crawl_folder.path), "-o", str(place / "bees.wacz"))
    assert ran.code == 0, ran.err
    return site


@pytest.fixture
def root(site: Site) -> Iterator[str]:
    """The address at which the package is served."""
    place = str(site.folder / "served")
    with ThreadingHTTPServer(("127.0.0.1", 0), lambda *asked: Ranges(*asked, directory=place)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.timeout(180)
@pytest.mark.parametrize("path", ["/", "/a", "/zh"])
def test_a_page_is_replayed_with_the_text_it_had(site: Site, root: str, browser: Any, path: str):
    tab = Tab(browser.new_page())
    tab.watch(root)
    tab.page.set_content(site.pages[path])
    wanted = tab.page.evaluate("document.body.innerText").split()
    (site.folder / "served" / "index.html").write_text(EMBEDDED.format(site.url(path)))
    tab.page.goto(f"{root}/index.html")
    assert replayed(tab.page, site.url(path)).split() == wanted and wanted
    assert tab.foreign == [], "the player asked elsewhere"
    tab.page.close()


def replayed(page: Any, url: str) -> str:
    """Return what the frame of a replayed page shows, as soon as it shows anything."""
    for _ in range(120):
        page.wait_for_timeout(500)
        for frame in page.frames:
            if frame.url.endswith(f"mp_/{url}") and (text := frame.evaluate("document.body?.innerText")):
                return str(text)
    raise AssertionError(f"no frame shows {url}: {[frame.url for frame in page.frames]}")
