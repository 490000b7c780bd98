"""A crawl that is kept fresh: what a revisit finds is kept as a version, followed, and told."""

import asyncio
import json
from itertools import count, pairwise

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.unit.changing_site import DAY, Site, html
from thresher.core.clock import SteadyClock
from thresher.core.progress import NOTHING_LEFT, FinishKind
from thresher.engine.revisit import RevisitTask
from thresher.export.wording import moment
from thresher.store.labels import Labels
from thresher.strategies.learned.strategy import Thresher

STORY = ("The queen bees keep warm all winter long.", "Honey is what they live on until spring comes.")
FOOT = "Last updated 2024-01-01 10:00, 1 234 visitors"


@pytest.fixture
def site(tmp_path):
    site = Site(tmp_path)
    site.pages["/"] = html("Bees", *STORY, links=("/a", "/b", "/c"))
    for name in "abc":
        site.pages[f"/{name}"] = html(f"Page {name}", f"All about honey, part {name}.", *STORY, FOOT)
    site.crawl()
    return site


def changes(site, path):
    store = site.store()
    try:
        return [version for version in store.versions() if version.url == site.url(path)]
    finally:
        store.close()


def test_a_look_at_a_page_that_has_not_changed_leaves_it_as_it_is(site):
    result = site.revisit()
    assert (result.revisits, result.changed, result.substantive) == (4, 0, 0)
    assert result.outcomes == {"unchanged": 4}
    assert site.kinds("/a") == [""]


def cancel_everything() -> str:
    for task in asyncio.all_tasks():
        task.cancel()
    return ""


def test_a_cancelled_revisit_leaves_alone_why_the_crawl_ended(site):
    site.pages["/a"] = cancel_everything
    with pytest.raises(asyncio.CancelledError):
        site.revisit()
    store = site.store()
    facts = store.facts
    store.close()
    assert facts.finish == NOTHING_LEFT
    assert facts.revisit_finish and facts.revisit_finish.kind is FinishKind.CANCELLED
    site.pages["/a"] = html("Page a")
    assert site.revisit().finish is FinishKind.NOTHING_LEFT


def test_labels_are_heard_in_a_revisit_too(site, monkeypatch):
    heard = []

    def on_labels(strategy, labels, memory):
        heard.append(dict(labels))
        return []

    monkeypatch.setattr(Thresher, "on_labels", on_labels)
    Labels(site.crawl_folder.labels).add({site.url("/a"): True, site.url("/b"): False})
    site.revisit()
    assert heard == [{site.url("/a"): True, site.url("/b"): False}]


def test_a_changed_page_becomes_a_new_version_with_a_diff(site):
    site.pages["/a"] = html("Page a", "All about honey, part a.", *STORY, "The bees swarmed today.", FOOT)
    result = site.revisit()
    assert (result.changed, result.substantive) == (1, 1)
    (version,) = changes(site, "/a")
    assert version.kind.value == "text" and version.diff == "+ The bees swarmed today."
    store = site.store()
    page = store.page(site.url("/a"))
    store.close()
    assert page is not None and "swarmed" in page.text


def test_a_new_version_still_knows_the_link_that_led_to_its_page(site):
    site.pages["/a"] = html("Page a", *STORY, "The bees swarmed today.")
    site.revisit()
    store = site.store()
    newest = {visit.candidate.url: visit for visit in store.pages()}[site.url("/a")]
    store.close()
    assert newest.candidate.via is not None and newest.candidate.via.source == site.url("/")
    assert newest.candidate.depth == 1


def test_a_page_first_found_by_a_link_marked_nofollow_is_looked_at(site):
    site.pages["/"] = str(site.pages["/"]).replace('<a href="/a">', '<a rel="nofollow" href="/a">')
    site.revisit()
    site.revisit()
    assert site.asked.count("/a") == 1


def test_a_date_that_runs_on_is_a_version_but_no_news(site):
    site.pages["/a"] = str(site.pages["/a"]).replace("2024-01-01 10:00, 1 234", "2024-02-02 11:00, 1 300")
    result = site.revisit()
    assert (result.changed, result.substantive) == (1, 0)
    assert site.kinds("/a") == ["boilerplate"]


def test_the_links_of_a_changed_page_are_followed_within_the_budget(site):
    site.pages["/new"] = html("New", "Fresh honey from the queen and her bees.")
    site.pages["/"] = html("Bees", *STORY, "See what is new.", links=("/a", "/b", "/c", "/new"))
    result = site.revisit(errand=RevisitTask(budget=8, once=True, discover=0.5))
    assert (result.discovered, result.relevant) == (1, 1)
    assert "/new" in site.asked
    store = site.crawl_folder.revisit()
    home, other = store.watched(site.url("/")), store.watched(site.url("/a"))
    store.close()
    assert (
        home is not None and home.brought > 0.1
    )  # it led to something relevant, and weighs more from now on
    assert other is not None and other.brought == 0.0


def test_the_links_of_a_page_that_says_nofollow_by_now_are_left_alone(site):
    site.pages["/new"] = html("New", "Fresh honey from the queen and her bees.")
    told = html("Bees", *STORY, "See what is new.", links=("/a", "/b", "/c", "/new"))
    site.pages["/"] = told.replace("<head>", '<head><meta name="robots" content="nofollow">')
    site.revisit(errand=RevisitTask(budget=8, once=True, discover=0.5))
    assert "/new" not in site.asked


def test_a_page_that_leaves_the_topic_is_marked_and_stays(site):
    site.pages["/a"] = html("Page a", "All about railways and the timetable of the night train.")
    site.revisit()
    (version,) = changes(site, "/a")
    assert version.was > 0.1 > version.relevance
    store = site.store()
    assert store.page(site.url("/a")) is not None
    store.close()


def test_a_missing_page_has_vanished_after_three_looks_and_may_come_back(site):
    kept = site.pages.pop("/a")
    for _ in range(3):
        site.revisit()
    assert site.kinds("/a") == ["", "", "vanished"]
    site.pages["/a"] = kept
    site.revisit()
    assert site.kinds("/a")[-1] == "back"


def test_a_page_that_is_gone_by_its_own_word_needs_no_second_look(site):
    site.answers["/a"] = (410, {})
    site.revisit()
    assert site.kinds("/a") == ["vanished"]


def test_a_soft_404_is_a_missing_page(site):
    site.pages["/a"] = html("Page not found", "The page you asked for was not found.")
    for _ in range(3):
        site.revisit()
    assert site.kinds("/a")[-1] == "vanished"


def test_a_page_that_fails_is_broken_after_five_looks(site):
    site.answers["/a"] = (500, {})
    for _ in range(5):
        site.revisit()
    assert site.kinds("/a") == ["", "", "", "", "broken"]


def test_a_page_that_moved_for_good_is_said_to_once_and_its_new_place_is_asked(site):
    site.pages["/moved-here"] = str(site.pages["/a"])
    site.answers["/a"] = (301, {"location": "/moved-here"})
    site.revisit(errand=RevisitTask(budget=10, once=True, discover=0.3))
    assert site.kinds("/a") == ["moved"]
    assert "/moved-here" in site.asked
    site.revisit()
    assert site.kinds("/a") == ["moved", ""]


def test_what_differs_on_each_load_is_learned_and_counts_no_more(site):
    numbers = count()
    advertisement = "buy one, get {} words of poetry for the priority of rope and soap and tar"
    site.pages["/a"] = lambda: html("Page a", *STORY, advertisement.format("x" * next(numbers)), "The end.")
    for _ in range(3):
        site.revisit()
    assert site.kinds("/a")[-1] == "noise"
    for _ in range(3):
        site.revisit()
    assert site.kinds("/a")[-3:] == ["noise"] * 3
    assert len(changes(site, "/a")) == 3


def test_a_page_with_news_at_every_look_is_cleared_by_a_second_load_and_stays_news(site):
    for number in range(5):
        site.pages["/a"] = html(
            "Page a", *STORY, f"Changes of the hive: {'very ' * number}good honey.", "End."
        )
        site.revisit()
    assert len([version for version in changes(site, "/a") if version.substantive]) == 5


def test_the_archive_keeps_a_revisit_record_of_what_has_not_changed(site):
    site.answers["/b"] = (304, {"etag": '"1"'})
    site.revisit()
    kinds = {}
    for file in sorted(site.crawl_folder.archive.glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "revisit":
                    headers = record.rec_headers
                    kinds[headers["WARC-Target-URI"]] = headers["WARC-Profile"].rpartition("/")[2]
                    assert headers["WARC-Refers-To-Date"] and headers["WARC-Payload-Digest"]
    assert kinds[site.url("/a")] == "identical-payload-digest"
    assert kinds[site.url("/b")] == "server-not-modified"


def test_looks_are_no_harvest(site):
    store = site.store()
    before = store.tally(0.1)
    store.close()
    site.pages["/a"] = html("Page a", *STORY, "Something else entirely.")
    site.revisit()
    store = site.store()
    after = store.tally(0.1)
    store.close()
    assert (before.outcomes, before.relevant) == (after.outcomes, after.relevant)


def test_the_budget_of_a_day_is_spent_over_the_day(site):
    result = site.revisit(errand=RevisitTask(budget=48), stop={"seconds": 2 * DAY})
    assert 90 <= result.revisits <= 96
    store = site.store()
    times = [revisit.at for revisit in store.revisits()]
    store.close()
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) > 600  # two an hour, spaced


def test_a_clock_set_back_loses_nothing_and_makes_no_storm(site):
    site.revisit(days=400)
    site.now -= 399 * DAY
    result = site.revisit(days=0.0, errand=RevisitTask(budget=4), stop={"seconds": 3 * DAY})
    assert 10 <= result.revisits <= 12
    store = site.store()
    assert len({revisit.url for revisit in store.revisits()}) == 4
    store.close()


@pytest.mark.posix
def test_every_relevant_change_is_told_once_to_the_command(site, tmp_path):
    heard = tmp_path / "heard.jsonl"
    script = tmp_path / "hook.sh"
    script.write_text(f"#!/bin/sh\ncat >> {heard}\necho >> {heard}\n")
    script.chmod(0o755)
    site.pages["/a"] = html("Page a", "All about honey, part a.", *STORY, "The bees swarmed today.", FOOT)
    site.pages["/b"] = str(site.pages["/b"]).replace("1 234", "1 235")
    site.revisit(revisit={"command": str(script)})
    site.revisit(revisit={"command": str(script)})
    told = [json.loads(line) for line in heard.read_text().splitlines()]
    assert [each["url"] for each in told] == [site.url("/a")]
    assert told[0]["diff"] == "+ The bees swarmed today."


def test_a_change_of_the_whole_host_is_no_news_on_any_of_its_pages(tmp_path):
    site = Site(tmp_path)
    names = [f"/{number}" for number in range(25)]
    site.pages["/"] = html("Bees", *STORY, links=tuple(names))
    for name in names:
        site.pages[name] = html(
            f"Page {name}", f"Honey {name}.", f"The hive of {name} stands in the sun.", "Join us in May"
        )
    site.crawl()
    for name in names:
        site.pages[name] = str(site.pages[name]).replace("Join us in May", "Join us in June")
    site.pages["/3"] = str(site.pages["/3"]).replace("in the sun", "in the shade")
    result = site.revisit()
    assert (result.changed, result.substantive) == (25, 1)
    assert [version.url for version in changes(site, "/3") if version.substantive] == [site.url("/3")]


def listing(site, dates):
    """A sitemap with the date of each page."""
    rows = "".join(
        f"<url><loc>{site.url(path)}</loc><lastmod>{moment(at)}</lastmod></url>" for path, at in dates.items()
    )
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'


@pytest.fixture
def listed(tmp_path):
    """A site of six pages and a sitemap that was crawled, too."""
    site, names = Site(tmp_path), [f"/{number}" for number in range(6)]
    for name in names:
        site.pages[name] = html(f"Page {name}", f"Honey {name}.", *STORY)
    site.pages["/"] = html("Bees", *STORY, links=(*names, "/sitemap.xml"))
    site.pages["/sitemap.xml"] = listing(site, dict.fromkeys(names, site.now - 100 * DAY))
    site.answers["/sitemap.xml"] = (200, {"content-type": "application/xml"})
    site.crawl()
    return site, names


def trust(site):
    store = site.store()
    try:
        return store.trusts()["http://bees.example"]
    finally:
        store.close()


def read_sitemap(site, dates):
    """Let the sitemap say something new, and make a pass; the next pass tells whether it was right."""
    site.pages["/sitemap.xml"] = listing(site, dates)
    site.revisit()


def test_the_dates_of_a_sitemap_are_trusted_after_they_proved_right(listed):
    site, names = listed
    for turn in range(6):
        site.pages["/1"] = html("Page /1", "Honey /1.", *STORY, f"Edition {'again ' * turn}of the day.")
        dates = dict.fromkeys(names, site.now - 100 * DAY) | {"/1": site.now + DAY}
        read_sitemap(site, dates)
    assert trust(site).dates
    site.pages["/4"] = html("Page /4", "Honey /4.", *STORY, "Something happened.")
    read_sitemap(site, dict.fromkeys(names, site.now - 100 * DAY) | {"/4": site.now + 2 * DAY})
    site.revisit(errand=RevisitTask(budget=1, once=True))
    assert site.asked == ["/4"]  # of eight pages the one that the sitemap names


def test_a_sitemap_that_always_says_now_is_never_trusted(listed):
    site, names = listed
    for _ in range(4):
        read_sitemap(site, dict.fromkeys(names, site.now + 2 * DAY))
    assert trust(site).wrong >= 6
    assert not trust(site).dates


def test_a_new_etag_for_the_same_page_is_noted_and_no_change(site):
    numbers = count()
    for _ in range(3):
        site.answers["/a"] = (200, {"etag": f'"{next(numbers)}"'})
        site.revisit()
    assert site.kinds("/a") == ["", "", ""]
    assert trust(site).fickle == 2


def test_a_server_that_says_unmodified_of_a_changed_page_is_found_out(site):
    site.answers["/a"] = (200, {"etag": '"same"'})
    site.revisit()
    site.answers["/a"] = (304, {"etag": '"same"'})
    for _ in range(10):
        site.revisit()
    site.pages["/a"] = html("Page a", *STORY, "This has changed long ago.")
    site.answers["/a"] = (200, {"etag": '"same"'})
    site.revisit()
    assert site.kinds("/a")[-1] == "text"
    assert not trust(site).validators


async def test_a_hook_on_the_web_hears_of_a_change_and_is_told_again_if_it_did_not_listen(site, tmp_path):
    heard: list[bytes] = []
    statuses = ["500 Oh no", "204 Heard"]

    async def listen(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        heard.append(await reader.readexactly(int(head.partition("content-length: ")[2].split("\r")[0])))
        writer.write(f"HTTP/1.1 {statuses[len(heard) - 1]}\r\nContent-Length: 0\r\n\r\n".encode())
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    site.pages["/a"] = html("Page a", "All about honey, part a.", *STORY, "The bees swarmed today.", FOOT)
    for _ in range(3):
        allowed = {"allow_networks": ["127.0.0.0/8"]}
        await asyncio.to_thread(site.revisit, revisit={"webhook": address}, web=allowed)
    server.close()
    assert len(heard) == 2
    assert [json.loads(each)["url"] for each in heard] == [site.url("/a")] * 2


def test_a_clock_that_jumps_while_we_run_is_not_noticed(monkeypatch):
    clock = SteadyClock()
    before = clock.now()
    for jump in (-3600.0, 365 * DAY):
        monkeypatch.setattr("time.time", lambda jump=jump: before + jump)
        assert 0 <= clock.now() - before < 60
