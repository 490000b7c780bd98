"""Attacks in a real browser, each with its control: without the wall it must succeed."""

import csv
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.browser.conftest import browsing, serving, tab_of
from tests.browser.server import TOKEN

pytestmark = pytest.mark.timeout(300)

URL = "http://h1.example/p1"


class Canary(BaseHTTPRequestHandler):
    """Notes who came by, and answers with a page of the attacker's."""

    seen: list[str] = []  # noqa: RUF012 -- shared on purpose
    page = b""

    def do_GET(self) -> None:
        self.seen.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page)

    do_POST = do_GET  # noqa: N815 -- the name that the library calls

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def canary() -> Iterator[ThreadingHTTPServer]:
    Canary.seen, Canary.page = [], b""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Canary)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def labels(place: Path) -> list[list[str]]:
    file = place / "hostile" / "labels.csv"
    return list(csv.reader(file.read_text().splitlines())) if file.exists() else []


NO_CHECKS = "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests"


@pytest.mark.parametrize("walls", [(), ("checks_host", "checks_token")])
def test_a_name_that_is_pointed_at_us_reads_nothing(place, playwright, walls):
    with (
        serving(place, *walls) as served,
        browsing(playwright, "--host-resolver-rules=MAP evil.example 127.0.0.1", NO_CHECKS) as browser,
    ):
        tab = tab_of(browser, None)
        answer = tab.page.goto(f"http://evil.example:{served.port}/")
        read = tab.page.evaluate("fetch('/api/v1/crawls').then(a => a.text()).catch(String)")
        assert (answer.status, "honey" in read) == ((200, True) if walls else (421, False))


ATTACK = """<script>
const target = "%s", body = JSON.stringify({url: "%s", label: "yes"});
(async () => {
  const tries = [
    () => fetch(target, {method: "POST", mode: "no-cors", body}),
    () => fetch(target, {method: "POST", mode: "no-cors", credentials: "include", body: new Blob([body])}),
    () => fetch(target, {method: "POST", headers: {"Content-Type": "application/json"}, body}),
    () => navigator.sendBeacon(target, body),
  ];
  for (const each of tries) { try { await each(); } catch (error) {} }
  document.title = "done";
})();
</script>"""


@pytest.mark.parametrize("walls", [(), ("checks_token", "checks_origin")])
def test_a_page_of_another_port_changes_nothing(place, playwright, canary, walls):
    with serving(place, *walls) as served, browsing(playwright, NO_CHECKS) as browser:
        target = f"{served.root}/api/v1/crawls/hostile/labels"
        Canary.page = (ATTACK % (target, URL)).encode()
        tab_of(browser, served)  # the victim has the screens open, with the token
        tab = tab_of(browser, None)
        tab.page.goto(f"http://127.0.0.1:{canary.server_port}/")
        for _ in range(50):
            if tab.page.title() == "done":
                break
            tab.page.wait_for_timeout(200)
        assert (len(labels(place)) > 0) is bool(walls)


def test_the_token_is_wiped_from_the_address_and_is_in_no_cookie(place, browser):
    with serving(place) as served:
        tab = tab_of(browser, served)
        assert TOKEN not in tab.page.url
        assert tab.page.context.cookies() == []
        assert tab.page.evaluate("localStorage.getItem('thresher-token')") == TOKEN
        assert tab.page.evaluate("document.referrer") == ""


@pytest.mark.parametrize("token", ["", "wrong", TOKEN[:-1]])
def test_without_the_right_token_the_screen_says_what_to_do(place, browser, token):
    with serving(place) as served:
        tab = tab_of(browser, None)
        tab.page.goto(f"{served.root}/#token={token}")
        tab.settled()
        assert "thresher serve" in tab.page.inner_text("main")
        assert "honey" not in tab.page.inner_text("body")


def test_another_port_cannot_read_the_token(place, browser, canary):
    with serving(place) as served:
        tab = tab_of(browser, served)
        tab.page.goto(f"http://127.0.0.1:{canary.server_port}/")
        assert tab.page.evaluate("localStorage.getItem('thresher-token')") is None


def test_hostile_words_are_shown_as_text_on_every_screen(place, browser):
    with serving(place) as served:
        tab = tab_of(browser, served)
        key = ""
        for path in (
            "/c/hostile/pages?q=",
            "/c/hostile/overview",
            "/c/hostile/why",
            "/c/hostile/topic",
            "/search?q=png",
        ):
            tab.go(f"{served.root}{path}")
            key = key or tab.page.locator("li:has(.odd)").first.get_attribute("data-key") or ""
            assert tab.page.locator("main img").count() == 0
        tab.go(f"{served.root}/c/hostile/pages?sel={key}")
        tab.page.wait_for_selector(".reader .odd")
        assert "U+202E" in tab.page.inner_text(".reader .title")
        assert "<img src=x onerror=alert(1)>" in tab.page.inner_text(".reader .title")
        tab.page.keyboard.press("3")
        tab.go(f"{served.root}/c/hostile/why?key={key}")
        assert (tab.dialogs, tab.foreign) == ([], [])


@pytest.mark.parametrize(
    "inside",
    ["<script>alert(1)</script>", '<a href="javascript:alert(1)"/>', '<rect onclick="alert(1)"/>', "<b"],
)
def test_a_picture_with_anything_but_shapes_and_words_is_not_drawn(place, browser, inside):
    with serving(place) as served:
        tab = tab_of(browser, served)
        draws = "(svg) => import('/static/text.js').then((text) => String(text.picture(svg)))"
        shape = '<svg xmlns="http://www.w3.org/2000/svg">{}</svg>'
        assert "<circle" in tab.page.evaluate(draws, shape.format('<circle r="1"/>'))
        assert tab.page.evaluate(draws, shape.format(inside)) == ""


def test_unescaped_words_would_fire_the_alert(browser):
    """The control: the same words, drawn without care."""
    tab = tab_of(browser, None)
    tab.page.set_content("<img src=x onerror=alert(1)>")
    tab.page.wait_for_timeout(500)
    assert tab.dialogs == ["1"]


@pytest.mark.parametrize("walls", [(), ("isolates_copies",)])
def test_an_archived_copy_runs_loads_and_reads_nothing(place, playwright, canary, walls):
    rules = f"--host-resolver-rules=MAP evil.example 127.0.0.1:{canary.server_port}"
    with serving(place, *walls) as served, browsing(playwright, rules, NO_CHECKS) as browser:
        tab = tab_of(browser, served, path="/c/hostile/pages?q=number*")
        tab.page.wait_for_selector(".reader")
        tab.page.keyboard.press("2")
        frame = tab.page.wait_for_selector("iframe")
        assert frame.get_attribute("sandbox") == ""
        tab.page.wait_for_timeout(800)
        address = tab.page.url.split("/c/")[0] + frame.get_attribute("src")
        alone = tab_of(browser, None)
        alone.page.goto(address)
        alone.page.wait_for_timeout(1200)
        assert bool(Canary.seen) is bool(walls)
        if not walls:
            assert "Honey from the" in alone.page.inner_text("body")
            assert alone.dialogs == []
