"""Draws docs/images/serve.png, the picture of docs/use/serve.md: the demo in Debian's Chromium.

python scripts/take_screenshot.py DEMO
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "images" / "serve.png"
SIZE = {"width": 1280, "height": 800}


def main(folder: str) -> None:
    """Serve the folder, open the overview of its best crawl, and take the picture."""
    server = subprocess.Popen(
        [sys.executable, "-m", "thresher", "serve", folder, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout
        address = server.stdout.readline().rpartition(" at ")[2].strip()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--hide-scrollbars"]
            )
            take(browser, address)
            browser.close()
    finally:
        server.terminate()
        server.wait(10)
    print(f"Wrote {PICTURE}.")


def take(browser: Any, address: str) -> None:
    """Take the picture once the index has caught up."""
    page = browser.new_context(viewport=SIZE, color_scheme="light").new_page()
    page.goto(address)
    page.wait_for_selector("main h1")
    for _ in range(120):
        page.goto(f"{address.partition('/#')[0]}/c/thresher/overview")
        page.wait_for_selector(".figures")
        if page.inner_text(".figure:nth-child(2) b") != "0":
            break
        page.wait_for_timeout(500)
    page.wait_for_timeout(500)
    page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "demo")
