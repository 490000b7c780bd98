"""The API: one table of routes, what each answers, paging, events that resume, problems in sentences."""

import asyncio
import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from aiohttp import ClientSession

from tests.command_line import thresher
from tests.unit.serve_examples import BEARER, crawl_in, served
from thresher.core.enums import Outcome
from thresher.core.records import Candidate, Page, Url, Visit
from thresher.report.figures import figures_of
from thresher.serve.processes import Processes, holder, is_held
from thresher.serve.requests import NewState, Problem
from thresher.serve.routes import ROUTES, document, in_path, table
from thresher.store.database import Lock
from thresher.store.folder import CrawlFolder

CRAWLS = "/api/v1/crawls"
DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture
def place(tmp_path):
    crawl_in(tmp_path / "bees")
    return tmp_path


async def got(client: ClientSession, path: str, status: int = 200) -> dict:
    answer = await client.get(path, headers=BEARER)
    assert answer.status == status, await answer.text()
    return await answer.json()


async def sent(client: ClientSession, path: str, body: dict, status: int) -> dict:
    answer = await client.post(path, json=body, headers=BEARER)
    assert answer.status == status, await answer.text()
    return await answer.json()


def test_every_route_is_in_openapi_and_in_the_documents():
    described = {
        (method.upper(), path) for path, methods in document()["paths"].items() for method in methods
    }
    assert described == {(route.method, route.path) for route in ROUTES}
    assert table() in (DOCS / "reference" / "api.md").read_text(), "the routes have changed: make docs"


def test_openapi_is_valid():
    validator = pytest.importorskip(
        "openapi_spec_validator", reason="openapi-spec-validator is not installed"
    )
    validator.validate(document())
    broken = document()
    del broken["info"]["title"]
    with pytest.raises(Exception, match="title"):
        validator.validate(broken)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_name_in_a_path_is_asked_for(route):
    assert set(in_path(route)) <= set(route.ask.__struct_fields__)


async def test_the_list_has_state_figures_and_a_sparkline(place):
    async with served(place) as client:
        (crawl,) = (await got(client, CRAWLS))["items"]
    figures = figures_of(CrawlFolder(place / "bees"))
    assert (crawl["id"], crawl["name"], crawl["state"]) == ("bees", "honey", "cut off")
    assert (crawl["pages"], crawl["relevant"]) == (figures.pages, figures.relevant)
    assert crawl["sparkline"]


async def test_an_overview_has_the_figures_of_the_report(place):
    async with served(place) as client:
        told = await got(client, f"{CRAWLS}/bees")
        curve = await got(client, f"{CRAWLS}/bees/curve")
    figures = figures_of(CrawlFolder(place / "bees"))
    assert {row["name"]: row["count"] for row in told["outcomes"]} == figures.outcomes
    assert curve["points"][-1] == [figures.pages, figures.relevant]


async def test_pages_are_paged_without_gap_or_repetition_in_every_order(place):
    for sort in ("best", "new", "unsure"):
        seen, after = [], ""
        async with served(place) as client:
            for _ in range(9):
                found = await got(client, f"{CRAWLS}/bees/pages?sort={sort}&limit=2&after={after}")
                seen += [item["visit"] for item in found["items"]]
                if not (after := found["next"]):
                    break
        assert sorted(seen) == [1, 2, 3, 4, 5, 6], sort


async def test_filters_are_those_of_a_search(place):
    async with served(place) as client:
        relevant = await got(client, f"{CRAWLS}/bees/pages?relevant=yes&sort=new")
        host = await got(client, f"{CRAWLS}/bees/pages?q=honey&host=h1.example")
        chinese = await got(client, f"{CRAWLS}/bees/pages?q=蜂王")
    assert [item["visit"] for item in relevant["items"]] == [6, 5, 4]
    assert {item["host"] for item in host["items"]} == {"http://h1.example"}
    assert chinese["items"][0]["snippet"][1] == "蜂王"


async def test_a_page_has_text_links_with_their_state_and_versions(place):
    async with served(place) as client:
        key = (await got(client, f"{CRAWLS}/bees/pages?q=number*"))["items"][0]["key"]
        page = await got(client, f"{CRAWLS}/bees/pages/{key}?q=honey")
        why = await got(client, f"{CRAWLS}/bees/pages/{key}/why")
    assert page["paragraphs"][0][1] == "Honey"
    assert page["links"][0]["state"] in ("fetched", "never asked for")
    assert page["versions"][0]["has_copy"]
    assert why["way"][-1]["url"] == page["url"]
    assert why["evidence"][0]["name"] == "honey"


async def test_a_label_takes_effect_at_once_and_is_taken_back(place):
    url = "http://h1.example/p1"
    async with served(place) as client:
        yes = await sent(client, f"{CRAWLS}/bees/labels", {"url": url, "label": "yes"}, 200)
        assert (yes["turned_in"], yes["learns"]) == (1, False)
        assert "labelled no, too" in yes["needs"]
        assert (await got(client, f"{CRAWLS}/bees"))["crawl"]["relevant"] == 4
        no = await sent(client, f"{CRAWLS}/bees/labels", {"url": "http://h2.example/p5", "label": "no"}, 200)
        assert (no["turned_out"], no["learns"], no["said_yes"], no["said_no"]) == (1, True, 1, 1)
        await sent(client, f"{CRAWLS}/bees/labels", {"url": url, "label": None}, 200)
        assert (await got(client, f"{CRAWLS}/bees/pages?label=yes"))["total"] == 0
        assert (await got(client, f"{CRAWLS}/bees/pages?label=no"))["total"] == 1
        await sent(client, f"{CRAWLS}/bees/labels", {"url": "http://never.example/", "label": "yes"}, 404)


async def test_hosts_topic_trial_comparison_wishes_and_search(place):
    crawl_in(place / "more", 3)
    async with served(place) as client:
        hosts = await got(client, f"{CRAWLS}/bees/hosts?limit=2")
        rest = await got(client, f"{CRAWLS}/bees/hosts?limit=9&after={hosts['next']}")
        names = [host["host"] for host in hosts["items"] + rest["items"]]
        assert len(names) == len(set(names)) == 4
        assert rest["items"][-1]["state"] == "closed by robots.txt"
        topic = await got(client, f"{CRAWLS}/bees/topic")
        assert sum(topic["histogram"]) == 6
        lower = await sent(client, f"{CRAWLS}/bees/topic/try", {"threshold": 0.1}, 200)
        assert (lower["turned_in"], lower["relevant"]) == (2, 5)
        words = await sent(client, f"{CRAWLS}/bees/topic/try", {"keywords": {"zebra": 1.0}}, 200)
        assert (words["turned_out"], words["judged"]) == (3, 6)
        both = await got(client, "/api/v1/compare?ids=bees,more")
        assert (both["shared"], both["union"], [side["only"] for side in both["sides"]]) == (0, 3, [3, 0])
        assert (await got(client, f"{CRAWLS}/bees/suggestions"))["items"]
        found = await got(client, "/api/v1/search?q=honey&limit=50")
        assert {item["crawl"] for item in found["items"]} == {"bees", "more"}


async def test_requests_are_listed_by_outcome_and_host_and_hosts_by_their_errors(place):
    async with served(place) as client:
        every = await got(client, f"{CRAWLS}/bees/requests?limit=5")
        rest = await got(client, f"{CRAWLS}/bees/requests?after={every['next']}")
        visits = [item["visit"] for item in every["items"] + rest["items"]]
        assert visits == list(range(len(visits), 0, -1))
        errors = await got(client, f"{CRAWLS}/bees/requests?outcome=errors")
        assert [(item["url"], item["outcome"]) for item in errors["items"]] == [
            ("http://closed.example/", "forbidden")
        ]
        hosts = await got(client, f"{CRAWLS}/bees/hosts?sort=failed&limit=1")
        assert [(host["host"], host["failed"]) for host in hosts["items"]] == [("http://closed.example", 1)]
        of_host = await got(client, f"{CRAWLS}/bees/requests?host=http://h0.example")
        assert {item["url"].split("/")[2] for item in of_host["items"]} == {"h0.example"}
        await got(client, f"{CRAWLS}/bees/requests?outcome=odd", 400)


async def test_another_threshold_is_applied_to_every_page_and_the_index_follows(place):
    async with served(place) as client:
        path = f"{CRAWLS}/bees/topic"
        answer = await client.put(path, json={"threshold": 0.05}, headers=BEARER)
        assert answer.status == 200, await answer.text()
        done = await answer.json()
        assert done["judged"] == 6
        for _ in range(100):
            topic = await got(client, path)
            if (topic["threshold"], topic["relevant"]) == (0.05, done["relevant"]):
                break
            await asyncio.sleep(0.1)
        assert (topic["threshold"], topic["relevant"]) == (0.05, done["relevant"])
        lock = Lock(place / "bees" / "crawl.lock")
        assert (await client.put(path, json={"threshold": 0.5}, headers=BEARER)).status == 409
        lock.release()


async def test_a_topic_is_understood_while_typing(place):
    async with served(place) as client:
        told = await sent(
            client, "/api/v1/topics/understand", {"topic": "篮球", "seeds": ["http://10.0.0.1/"]}, 200
        )
    assert told["wanted"] == [["篮球"]]
    assert "lanqiu" in told["spellings"]
    assert "Basketball" in told["nodes"][0]
    assert "basketball" in [word["word"] for word in told["near"]]
    assert "10.0.0.1" in told["bad_seeds"][0]
    assert told["command"].startswith("thresher crawl '篮球' --seed ")


async def test_exports_are_made_by_a_child_and_downloaded(place):
    async with served(place) as client:
        made = await sent(client, f"{CRAWLS}/bees/exports", {"format": "csv", "relevant": True}, 202)
        for _ in range(200):
            (item,) = (await got(client, f"{CRAWLS}/bees/exports"))["items"]
            if item["state"] != "making":
                break
            await asyncio.sleep(0.1)
        assert (item["state"], item["name"]) == ("ready", made["name"])
        file = await client.get(f"{CRAWLS}/bees/exports/{made['name']}", headers=BEARER)
        assert len((await file.text()).splitlines()) == 4
        assert "attachment" in file.headers["Content-Disposition"]
        await got(client, f"{CRAWLS}/bees/exports/..%2fcrawl.db", 400)
        await sent(client, f"{CRAWLS}/bees/exports", {"format": "exe"}, 400)


@pytest.mark.posix
@pytest.mark.parametrize("damage", ["foreign", "cut", "old", "rights"])
async def test_a_bad_folder_says_what_happened_what_is_safe_and_what_to_do(place, damage):
    bad = place / "bad"
    shutil.copytree(place / "bees", bad)
    database = bad / "crawl.db"
    if damage == "foreign":
        database.write_text("not a database, whatever it is called" * 100)
    elif damage == "cut":
        database.write_bytes(database.read_bytes()[:20000])
        for rest in bad.glob("crawl.db-*"):
            rest.unlink()
    elif damage == "old":
        import sqlite3

        database.with_name("crawl.sums").unlink(missing_ok=True)  # as if it had been written so
        connection = sqlite3.connect(database)
        connection.execute("PRAGMA user_version = 99")
        connection.close()
    elif os.getuid() == 0:
        pytest.skip("root may read everything")
    else:
        database.chmod(0)
    async with served(place) as client:
        items = {item["id"]: item for item in (await got(client, CRAWLS))["items"]}
        assert items["bees"]["state"] == "cut off"
        assert items["bad"]["state"] == "unreadable"
        assert all(items["bad"]["problem"][name] for name in ("detail", "safe", "next"))
        assert (await client.get(f"{CRAWLS}/bad", headers=BEARER)).status in (422, 500)
        assert (await got(client, "/api/v1/search?q=honey"))["total"] > 0


async def test_unknown_names_are_refused_by_name(place):
    async with served(place) as client:
        assert "colour" in (await got(client, f"{CRAWLS}/bees/pages?colour=red", 400))["detail"]
        problem = await got(client, f"{CRAWLS}/nowhere", 404)
        assert set(problem) == {"type", "title", "status", "detail", "safe", "next"}


async def lines(client: ClientSession, path: str, last: str, wanted: int, meanwhile=None) -> list[dict]:
    """Return the visits that a stream tells, and do something once it stands."""
    headers = {**BEARER, **({"Last-Event-ID": last} if last else {})}
    seen: list[dict] = []
    name = ""
    async with asyncio.timeout(20), client.get(path, headers=headers) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        async for raw in answer.content:
            line = raw.decode().strip()
            if line.startswith("event: "):
                name = line[7:]
                if name == "state" and meanwhile:
                    meanwhile()
                    meanwhile = None
            elif line.startswith("data: ") and name == "visit":
                seen.append(json.loads(line[6:]))
                if len(seen) >= wanted:
                    return seen
    return seen


async def test_a_stream_resumes_after_the_last_event_without_gap(place):
    async with served(place) as client:
        resumed = await lines(client, "/api/v1/events?crawl=bees", "2", 5)
        assert [visit["number"] for visit in resumed] == [3, 4, 5, 6, 7]
        fresh = await lines(client, "/api/v1/events?crawl=bees", "", 2, lambda: grow(place / "bees", 2))
        assert [visit["number"] for visit in fresh] == [8, 9]


def grow(place: Path, visits: int) -> None:
    store = CrawlFolder(place).resume()
    for number in range(visits):
        url = Url(f"http://new.example/{time.time_ns()}-{number}")
        store.add(Visit(Candidate(url), Outcome.FETCHED, time.time(), Page(url, "New", "honey"), 0.9, 200))
    store.close()


async def test_figures_follow_a_crawl_that_another_process_writes(place):
    async with served(place) as client:
        await got(client, f"{CRAWLS}/bees")
        grow(place / "bees", 5)
        for _ in range(100):
            crawl = (await got(client, f"{CRAWLS}/bees"))["crawl"]
            if crawl["pages"] == 11:
                break
            await asyncio.sleep(0.1)
        assert (crawl["pages"], crawl["behind"]) == (11, 0)


async def test_feeds_open_by_a_key_of_their_own(place):
    async with served(place) as client:
        key = (await got(client, f"{CRAWLS}/bees"))["feed"]
        for form in ("atom", "json"):
            assert (await client.get(f"{CRAWLS}/bees/changes.{form}?key={key}")).status == 200
            assert (await client.get(f"{CRAWLS}/bees/changes.{form}?key=x", headers=BEARER)).status == 401


async def test_metrics_and_health(place):
    async with served(place) as client:
        assert (await (await client.get("/healthz")).json())["status"] == "ok"
        text = await (await client.get("/metrics", headers=BEARER)).text()
    assert 'thresher_pages{crawl="bees"} 6' in text.splitlines()


@pytest.mark.posix
async def test_a_crawl_is_begun_paused_resumed_and_stopped_and_outlives_the_server(tmp_path):
    """States told = lock file = process, on the practice web."""
    async with served(tmp_path) as client:
        asked = {"topic": "beekeeping", "pages": 100_000}
        begun = await sent(client, CRAWLS, asked, 201)
        assert begun["state"] in ("beginning", "running")
        await until(client, "beekeeping", "running")
    folder = CrawlFolder(tmp_path / "beekeeping")
    assert is_held(folder)  # the server is gone
    async with served(tmp_path) as client:
        await sent(client, f"{CRAWLS}/beekeeping/state", {"to": "running"}, 409)
        await sent(client, f"{CRAWLS}/beekeeping/state", {"to": "paused"}, 202)
        await until(client, "beekeeping", "paused")
        assert not is_held(folder)
        await sent(client, f"{CRAWLS}/beekeeping/state", {"to": "running"}, 202)
        await until(client, "beekeeping", "running")
        await asyncio.to_thread(announced, folder)
        process = holder(folder)
        assert process
        os.kill(process, signal.SIGKILL)
        await until(client, "beekeeping", "cut off")
        await sent(client, f"{CRAWLS}/beekeeping/state", {"to": "running", "pages": 100_001}, 202)
        await until(client, "beekeeping", "running")
        await sent(client, f"{CRAWLS}/beekeeping/state", {"to": "stopped"}, 202)
        await until(client, "beekeeping", "stopped")
        for _ in range(100):  # the index follows the crawl
            if pages := (await got(client, f"{CRAWLS}/beekeeping"))["crawl"]["pages"]:
                break
            await asyncio.sleep(0.1)
        assert pages > 0


def announced(folder: CrawlFolder) -> None:
    """Wait until a crawl that was resumed has said so in its database."""
    for _ in range(300):
        store = folder.open()
        finish = store.facts.finish
        store.close()
        if finish is None:
            return
        time.sleep(0.1)


async def until(client: ClientSession, id: str, state: str) -> None:
    for _ in range(400):
        items = {item["id"]: item for item in (await got(client, CRAWLS))["items"]}
        if items.get(id, {}).get("state") == state:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"{id} never was {state}: {items}")


def test_a_process_that_is_no_thresher_is_never_signalled(place, monkeypatch):
    folder = CrawlFolder(place / "bees")
    lock = Lock(folder.path / "crawl.lock")
    monkeypatch.setattr("thresher.serve.processes._is_ours", lambda process: False)
    with pytest.raises(Problem, match="is not yours"):
        Processes().change(folder, NewState("bees", "paused"))
    lock.release()


def test_serve_refuses_what_would_be_open_to_others(tmp_path):
    ran = thresher("serve", str(tmp_path), "--host", "0.0.0.0", "--port", "0")
    assert (ran.code, "--token-file" in ran.err) == (2, True)
    assert "No crawl in" in thresher("serve", str(tmp_path / "nowhere")).err
