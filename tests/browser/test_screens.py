"""The screens as a person uses them: by keyboard, in light and dark, on a phone, in Chinese, live."""

import csv
import os
import shutil
import signal
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Tab, serving, tab_of
from thresher.search.index import catch_up
from thresher.store.folder import CrawlFolder

OF_A_CRAWL = ("overview", "pages?q=bees", "why", "changes", "hosts", "requests", "topic", "exports")
SCREENS = [
    *(
        "/",
        "/new",
        "/compare",
        "/compare?ids=bees,hostile",
        "/search?q=honey",
        "/c/hostile/pages",
        "/c/nowhere/overview",
    ),
    *(f"/c/bees/{name}" for name in OF_A_CRAWL),
]
LOOKS = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]

pytestmark = pytest.mark.timeout(600)


def violations(tab: Tab) -> list[str]:
    """Return what axe-core finds."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    found = axe.Axe().run(tab.page).response["violations"]
    return [
        f"{each['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
        for each in found
        for node in each["nodes"][:3]
    ]


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_the_tour_finds_no_violation_no_console_error_no_other_address_and_no_sideways_scroll(
    made, browser, theme, width
):
    problems = {}
    with serving(made) as served:
        tab = tab_of(browser, served, theme, width)
        for screen in SCREENS:
            tab.go(f"{served.root}{screen}")
            tab.page.wait_for_timeout(200)
            beside = tab.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            problems[screen] = violations(tab) + ([f"scrolls {beside} px sideways"] if beside > 0 else [])
        assert {screen: found for screen, found in problems.items() if found} == {}
        assert [line for line in tab.console if "status of 404" not in line] == []
        assert tab.foreign == []
        assert tab.dialogs == []


def test_what_the_policy_refuses_would_be_seen_in_the_console(made, browser):
    with serving(made) as served:
        tab = tab_of(browser, served)
        tab.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<b onclick=\"1\">x</b>')")
        tab.page.click("b >> nth=-1")
        assert any("Content Security Policy" in line for line in tab.console)


def test_every_screen_is_reached_by_keyboard_alone(made, browser):
    with serving(made) as served:
        tab = tab_of(browser, served, path="/c/bees/overview")
        for key, name in {
            "p": "pages",
            "c": "changes",
            "h": "hosts",
            "t": "topic",
            "e": "exports",
            "w": "why",
            "o": "overview",
        }.items():
            tab.page.keyboard.press("g")
            tab.page.keyboard.press(key)
            tab.page.wait_for_url(f"**/{name}*")
            tab.settled()
        tab.page.keyboard.press("?")
        tab.page.wait_for_selector("#keys")
        tab.page.keyboard.press("Escape")
        tab.page.wait_for_selector("#keys", state="hidden")
        tab.page.keyboard.press("/")
        tab.page.wait_for_function("document.activeElement.name === 'q'")


def labels(place: Path) -> list[list[str]]:
    file = place / "bees" / "labels.csv"
    return list(csv.reader(file.read_text().splitlines())) if file.exists() else []


def test_y_and_n_take_effect_at_once_u_takes_back_and_another_tab_agrees(place, browser):
    with serving(place) as served:
        tab = tab_of(browser, served, path="/c/bees/pages?q=bees")
        tab.page.wait_for_selector(".reader")
        tab.page.keyboard.press("n")
        tab.page.wait_for_selector(".effect >> text=You said")
        assert [row[1] for row in labels(place)] == ["no"]
        assert tab.page.is_visible("li[aria-selected=true] .tag.no")
        other = tab_of(browser, served, path="/c/bees/pages?filter=refused")
        assert other.page.locator(".hits > li").count() == 1
        tab.page.keyboard.press("j")
        tab.page.wait_for_function
        tab.page.wait_for_selector(".hits > li:nth-child(2)[aria-selected=true]")
        tab.page.wait_for_timeout(700)
        tab.page.keyboard.press("y")
        tab.page.wait_for_selector(".effect b.yes")
        assert [row[1] for row in labels(place)] == ["no", "yes"]
        tab.page.keyboard.press("u")
        tab.page.wait_for_selector(".effect >> text=Taken back")
        assert [row[1] for row in labels(place)] == ["no"]


def test_a_crawl_with_a_chinese_name_opens_on_every_screen(made, browser, tmp_path):
    (tmp_path / "crawls").mkdir()
    shutil.copytree(made / "bees", tmp_path / "crawls" / "养蜂")
    with serving(tmp_path / "crawls") as served:
        tab = tab_of(browser, served)
        tab.page.click("a.topicname")
        tab.settled()
        for screen in ("overview", "pages", "topic"):
            tab.go(f"{served.root}/c/养蜂/{screen}")
            assert tab.page.locator(".trouble").count() == 0
        tab.page.wait_for_timeout(500)
        assert tab.page.locator(".banner").count() == 0 and tab.console == []


@pytest.mark.parametrize("word", ["蜂王", "蜂", "產卵", "产卵"])
def test_chinese_is_found_marked_and_read(made, browser, word):
    with serving(made) as served:
        tab = tab_of(browser, served, path=f"/c/hostile/pages?q={word}")
        tab.page.wait_for_selector(".prose mark")
        assert tab.page.locator(".hits mark").count() > 0
        assert tab.page.locator(".prose p:lang(zh)").count() > 0


def test_typing_through_an_input_method_does_not_search_half_words(made, browser):
    with serving(made) as served:
        tab = tab_of(browser, served, path="/c/hostile/pages")
        box = "[data-find-here] input"
        tab.page.dispatch_event(box, "compositionstart")
        tab.page.fill(box, "feng")
        tab.page.wait_for_timeout(700)
        assert "q=" not in tab.page.url
        tab.page.fill(box, "蜂王")
        tab.page.dispatch_event(box, "compositionend")
        tab.page.wait_for_url("**q=%E8%9C%82%E7%8E%8B*")


def test_figures_grow_without_reload_and_a_lost_server_is_said_and_found_again(place, browser):
    from tests.unit.serve.test_api import grow

    with serving(place) as served:
        tab = tab_of(browser, served, path="/c/bees/overview")
        shown = tab.page.inner_text(".figure:nth-child(2) b")
        tab.page.wait_for_timeout(1500)
        grow(place / "bees", 7)
        tab.page.wait_for_selector(f".figure:nth-child(2) b >> text={int(shown) + 7}", timeout=30_000)
        port = served.port
        served.process.kill()
        tab.page.wait_for_selector(".banner >> text=does not answer", timeout=5_000)
    with serving(place, port=port):
        tab.page.wait_for_selector(".banner", state="detached", timeout=20_000)


def test_a_crawl_is_begun_paused_and_resumed_from_the_screen(place, browser):
    with serving(place) as served:
        tab = tab_of(browser, served, path="/new")
        tab.page.fill("input[name=topic]", "cider")
        tab.page.wait_for_selector("[data-understood] b >> text=cider")
        tab.page.fill("input[name=pages]", "100000")
        tab.page.click("text=Start")
        tab.page.wait_for_url("**/c/cider/overview")
        tab.page.wait_for_selector(".figures", timeout=60_000)
        tab.page.wait_for_timeout(1000)
        process = int((place / "cider" / "crawl.lock").read_text())
        tab.page.click("[data-to=paused]")
        tab.page.wait_for_selector("[data-to=running]", timeout=60_000)
        assert ends(process)  # when it has let go of the folder it still writes its report
        tab.page.click(".controls [data-to=running]")
        tab.page.wait_for_selector("[data-to=stopped]", timeout=60_000)
        process = int((place / "cider" / "crawl.lock").read_text())
        served.process.kill()
        assert alive(process)
        os.kill(process, signal.SIGTERM)


def ends(process: int) -> bool:
    """Tell whether a process ends within half a minute."""
    for _ in range(300):
        if not alive(process):
            return True
        time.sleep(0.1)
    return False


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{process}/stat").read_text(encoding="utf-8").split()[2]


def test_a_bad_folder_says_what_happened_what_is_safe_and_what_to_do(place, browser):
    (place / "bad").mkdir()
    (place / "bad" / "crawl.db").write_text("not a database, whatever it is called" * 100)
    with serving(place) as served:
        tab = tab_of(browser, served)
        assert tab.page.is_visible("text=cannot be read")
        tab.go(f"{served.root}/c/bad/overview")
        assert tab.page.locator(".trouble dt").all_inner_texts() == [
            "What happened",
            "What is safe",
            "What to do",
        ]
        (place / "bees" / "search.db").unlink()
        tab.go(f"{served.root}/c/bees/pages?q=bees")
        for _ in range(40):
            if tab.page.locator(".hits > li").count():
                break
            time.sleep(0.5)
            tab.go(f"{served.root}/c/bees/pages?q=bees")
        assert tab.page.locator(".hits > li").count() > 0


def as_unread(page: Any, pages: int) -> None:
    """Let the server say of every crawl that 200 pages of it are not counted yet."""

    def answer(route: Any) -> None:
        told = route.fetch().json()
        for crawl in told["items"]:
            crawl.update(pages=pages, relevant=pages, behind=200)
        route.fulfill(json=told)

    page.route("**/api/v1/crawls*", answer)


@pytest.mark.parametrize("screen", ["overview", "pages", "topic", "hosts"])
def test_a_crawl_that_is_not_counted_yet_says_that_it_is_read_instead_of_zeros(made, browser, screen):
    with serving(made) as served:
        tab = tab_of(browser, served)
        as_unread(tab.page, 0)
        tab.go(f"{served.root}/c/bees/{screen}")
        assert tab.page.inner_text("main h2") == "Reading 200 pages …"
        assert not tab.page.locator("main .figure, main .hits, main table").count()
        tab.go(f"{served.root}/")
        assert "reading 200 pages …" in tab.page.inner_text(".crawls")
        tab.page.unroute_all()
        as_unread(tab.page, 1200)
        tab.go(f"{served.root}/c/bees/{screen}")
        assert "these figures are of the first 1,200" in tab.page.inner_text("[data-reading]")


def test_crawls_of_one_topic_are_compared_unless_others_are_named(place, browser):
    shutil.copytree(place / "bees", place / "bees-again-with-a-name-that-is-much-longer")
    with serving(place) as served:
        tab = tab_of(browser, served, width=1280, path="/compare")
        chosen = tab.page.locator(".chip[aria-current]").all_inner_texts()
        assert sorted(chosen) == ["bees", "bees-again-with-a-name-that-is-much-longer"]
        assert tab.page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
        cells = tab.page.locator(".bars td, .list td").evaluate_all(
            "all => all.filter(e => e.getBoundingClientRect().right > innerWidth).length"
        )
        assert cells == 0
        tab.go(f"{served.root}/compare?ids=hostile")
        assert "It takes two crawls" in tab.page.inner_text("main")


def test_a_list_does_not_repeat_the_host_and_the_day_of_the_row_above(made, browser):
    with serving(made) as served:
        tab = tab_of(browser, served, path="/c/bees/pages")
        hosts = tab.page.locator(".hits .host").all_inner_texts()
        rows = tab.page.locator(".hits > li").count()
        assert 0 < len(hosts) <= rows
        assert all(one != other for one, other in pairwise(hosts))


def test_a_phone_has_the_other_screens_at_the_top(made, browser):
    with serving(made) as served:
        tab = tab_of(browser, served, width=390, path="/c/bees/overview")
        assert tab.page.locator(".others").bounding_box()["y"] < 120


def test_words_are_applied_without_the_threshold_that_the_judge_found(place, browser):
    catch_up(CrawlFolder(place / "bees"))  # what it suggests is told by the index
    with serving(place) as served:
        tab = tab_of(browser, served, path="/c/bees/topic")
        tab.page.click("[data-add] >> nth=0")
        tab.page.click("[data-apply]")
        tab.page.wait_for_selector("text=pages were judged anew")
    asked = CrawlFolder(place / "bees").asked()
    assert asked.topic.keywords
    assert asked.judge.threshold is None
