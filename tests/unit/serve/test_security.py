"""The walls of the server: each attack fails with its wall and succeeds without it."""

import asyncio
import csv
import os
import time
from html.parser import HTMLParser
from io import BytesIO

import pytest

from tests.unit.serve_examples import BEARER, HOSTILE, TOKEN, crawl_in, served
from thresher.core.errors import NotACrawl
from thresher.serve.files import cleaned
from thresher.serve.overview import disk_of
from thresher.serve.processes import Processes
from thresher.serve.requests import NewState, Problem
from thresher.serve.security import COPY_POLICY, SHELL_POLICY, Rate, Signer, strip_control_characters
from thresher.store.folder import CrawlFolder

CRAWLS = "/api/v1/crawls"
LABELS = "/api/v1/crawls/bees/labels"
YES = {"url": "http://h1.example/p1", "label": "yes"}


@pytest.fixture
def place(tmp_path):
    crawl_in(tmp_path / "bees")
    return tmp_path


def labels(place) -> list[list[str]]:
    file = place / "bees" / "labels.csv"
    return list(csv.reader(file.read_text().splitlines())) if file.exists() else []


@pytest.mark.parametrize(
    "path", ["/", CRAWLS, "/static/app.js", "/healthz", "/api/v1/openapi.json", "/nowhere"]
)
async def test_another_name_in_the_address_reads_nothing_at_all(place, path):
    """DNS rebinding: the page's own name points to us, so Origin and Host agree."""
    evil = {**BEARER, "Host": "evil.example", "Origin": "http://evil.example"}
    async with served(place) as client:
        answer = await client.get(path, headers=evil)
        assert (answer.status, "honey" in await answer.text()) == (421, False)
    async with served(place, checks_host=False, checks_token=False) as client:
        answer = await client.get(CRAWLS, headers={"Host": "evil.example"})
        assert (answer.status, "honey" in await answer.text()) == (200, True)


@pytest.mark.parametrize("sent", ["", "Bearer ", "Bearer wrong", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN])
async def test_without_the_token_nothing_of_a_crawl_is_read(place, sent):
    async with served(place) as client:
        for path in (CRAWLS, f"{CRAWLS}/bees", f"{CRAWLS}/bees/pages", "/metrics", "/api/v1/events"):
            answer = await client.get(path, headers={"Authorization": sent} if sent else {})
            assert (answer.status, answer.content_type) == (401, "application/problem+json")
        assert (await client.get(CRAWLS, headers=BEARER)).status == 200


@pytest.mark.parametrize(
    "page",
    [
        {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://127.0.0.1:9", "Sec-Fetch-Site": "same-site"},  # another port of this machine
        {"Origin": "null"},
        {"Sec-Fetch-Site": "none"},
    ],
)
async def test_a_page_of_another_address_changes_nothing(place, page):
    async with served(place) as client:
        answer = await client.post(LABELS, json=YES, headers={**BEARER, **page})
        assert (answer.status, labels(place)) == (403, [])
    async with served(place, checks_origin=False) as client:
        answer = await client.post(LABELS, json=YES, headers={**BEARER, **page})
        assert (answer.status, len(labels(place))) == (200, 1)


async def test_a_file_that_names_our_port_changes_nothing(place):
    async with served(place) as client:
        port = (await client.get("/healthz")).url.port
        page = {"Origin": f"file://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}
        assert (await client.post(LABELS, json=YES, headers={**BEARER, **page})).status == 403


async def test_brackets_in_brackets_are_no_json(place):
    async with served(place) as client:
        sent = {**BEARER, "Content-Type": "application/json"}
        assert (await client.post(LABELS, data=b"[" * 100_000, headers=sent)).status == 400


async def test_a_form_of_another_page_makes_no_label(place):
    """A form cannot send JSON as such, nor the token; each alone is enough."""
    body, plain = b'{"url": "http://h1.example/p1", "label": "yes"}', {"Content-Type": "text/plain"}
    async with served(place) as client:
        assert (await client.post(LABELS, data=body, headers=plain)).status == 401
        known = {**plain, **BEARER}
        assert ((await client.post(LABELS, data=body, headers=known)).status, labels(place)) == (415, [])
    async with served(place, checks_token=False, checks_origin=False) as client:
        assert (await client.post(LABELS, data=body, headers=plain)).status == 200
    assert len(labels(place)) == 1


async def test_our_own_page_and_a_program_make_labels(place):
    async with served(place) as client:
        port = (await client.get("/healthz")).url.port
        ours = {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}
        assert (await client.post(LABELS, json=YES, headers={**BEARER, **ours})).status == 200
        assert (await client.post(LABELS, json={**YES, "label": "no"}, headers=BEARER)).status == 200
    assert [row[1] for row in labels(place)] == ["yes", "no"]


async def test_no_question_that_reads_changes_anything(place):
    async with served(place) as client:
        for path in ("labels", "state", "copies", "exports"):
            answer = await client.get(
                f"{CRAWLS}/bees/{path}?url=http://h1.example/p1&label=yes", headers=BEARER
            )
            assert answer.status in (200, 400, 405)
    assert labels(place) == []


async def test_every_answer_carries_its_policy_and_no_cookie(place):
    async with served(place) as client:
        for path in ("/", "/static/app.js", CRAWLS, "/healthz", "/nowhere"):
            answer = await client.get(path, headers=BEARER)
            assert answer.headers["Content-Security-Policy"] == SHELL_POLICY
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert answer.headers["Server"] == "thresher"
            assert "Set-Cookie" not in answer.headers
            assert "Access-Control-Allow-Origin" not in answer.headers
        assert (await client.get(CRAWLS, headers=BEARER)).headers["Cache-Control"] == "no-store"


async def test_a_copy_opens_by_its_own_key_alone_and_acts_no_more(place):
    async with served(place) as client:
        made = await client.post(f"{CRAWLS}/bees/copies", json={"visit": 1}, headers=BEARER)
        address = (await made.json())["address"]
        shown = await client.get(address)
        assert (shown.status, shown.headers["Content-Security-Policy"]) == (200, COPY_POLICY)
        text = await shown.text()
        assert "Honey from the" in text
        assert not [
            bad
            for bad in ("<script", "<form", "<iframe", "<base", "refresh", "onload", "onclick")
            if bad in text
        ]
        assert "http://evil.example/pixel.png" not in text
        for wrong in (address.replace("/1?", "/2?"), address[:-1], address.partition("?")[0]):
            assert (await client.get(wrong, headers=BEARER)).status == 401
    async with served(place, isolates_copies=False) as client:
        shown = await client.get(address)
        assert "Content-Security-Policy" not in shown.headers
        assert "<script" in await shown.text()


def test_the_key_of_a_copy_is_good_for_five_minutes(monkeypatch):
    signer = Signer(b"k" * 32)
    key = signer.copy_key("bees", 1)
    assert signer.opens_copy(key, "bees", 1)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 301)
    assert not signer.opens_copy(key, "bees", 1)


@pytest.mark.parametrize(
    "markup",
    [
        "<scr<script>ipt>alert(1)</script>",
        "<img/src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "<math><mtext><style><img src=x onerror=alert(1)></style>",
        "<svg><script>alert(1)</script>",
        "<p title='\"><script>alert(1)</script>'>x",
        "<!--><script>alert(1)</script>-->",
        "<x-y onclick=alert(1)>",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "<textarea></textarea><img src=data:image/svg+xml,<svg/onload=alert(1)>>",
    ],
)  # fmt: skip
def test_a_cleaned_copy_has_no_tag_or_attribute_that_acts(markup):
    seen = Seen()
    seen.feed(cleaned(markup))
    assert seen.bad == []


class Seen(HTMLParser):
    """Notes what acts in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.bad += [tag] if tag in ("script", "svg", "math", "a", "noscript") else []
        self.bad += [
            name for name, _ in attrs if name.startswith("on") or name in ("href", "srcdoc", "style")
        ]
        self.bad += [value for name, value in attrs if name == "src" and not value.startswith("data:image/p")]


def test_what_acts_would_be_noticed():
    seen = Seen()
    seen.feed("<script></script><p onclick=x><img src=x>")
    assert seen.bad == ["script", "onclick", "x"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user_agent", "Mozilla"), ("delay", 0), ("allow_network", "10.0.0.0/8"), ("proxy", "http://x/"),
        ("set", "web.delay=0"), ("headers", {}), ("cookies", True), ("output", "/etc"), ("folder", ".."),
    ],
)  # fmt: skip
async def test_what_may_never_be_set_through_the_web_is_refused_by_name(place, field, value):
    async with served(place) as client:
        answer = await client.post(CRAWLS, json={"topic": "tea", field: value}, headers=BEARER)
        assert (answer.status, field in (await answer.json())["detail"]) == (400, True)
    assert [entry.name for entry in place.iterdir()] == ["bees"]


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"topic": "evil.toml"}, 400),
        ({"topic": "tea", "strategy": "os:system"}, 400),
        ({"topic": "tea", "seeds": ["http://127.0.0.1/"]}, 422),
        ({"topic": "tea", "seeds": ["http://169.254.169.254/latest"]}, 422),
        ({"topic": "tea", "seeds": ["file:///etc/passwd"]}, 422),
        ({"topic": "tea", "seeds": ["http://example.org:22/"]}, 422),
        ({"topic": "bees"}, 422),  # nowhere to begin: the practice web has beekeeping
        ({"topic": "beekeeping", "name": "bees"}, 409),
    ],
)
async def test_a_crawl_that_must_not_begin_does_not(place, asked, status):
    async with served(place) as client:
        answer = await client.post(CRAWLS, json=asked, headers=BEARER)
        assert answer.status == status, await answer.text()
    assert [entry.name for entry in place.iterdir()] == ["bees"]


@pytest.mark.parametrize("id", ["..", "%2e%2e", "..%2fbees", "bees%00", "x" * 81, "%2fetc"])
async def test_no_id_leads_out_of_the_folder(place, id):
    async with served(place) as client:
        assert (await client.get(f"{CRAWLS}/{id}", headers=BEARER)).status in (400, 404)


@pytest.mark.posix
async def test_a_link_that_leads_out_of_the_folder_is_not_followed(place, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    crawl_in(outside / "secret")
    (place / "linked").symlink_to(outside / "secret")
    async with served(place) as client:
        items = (await (await client.get(CRAWLS, headers=BEARER)).json())["items"]
    assert [item["id"] for item in items] == ["bees"]


async def test_limits_are_kept(place):
    async with served(place) as client:
        large = await client.post(
            LABELS, data=BytesIO(b" " * (1 << 21)), headers={**BEARER, "Content-Type": "application/json"}
        )
        assert large.status == 413
        assert (await client.get(f"{CRAWLS}/bees/pages?limit=201", headers=BEARER)).status == 400
        assert (await client.get(f"{CRAWLS}/bees/pages?q={'a' * 401}", headers=BEARER)).status == 400
        assert (await client.get(f"{CRAWLS}/bees/pages?after=made.up", headers=BEARER)).status == 400


def test_who_asks_too_often_is_told_when_to_ask_again():
    rate = Rate(10)
    for _ in range(10):
        rate.admit()
    with pytest.raises(Problem) as refused:
        rate.admit()
    assert refused.value.answer().headers["Retry-After"] == "1"


def test_words_from_outside_are_shown_by_name_where_they_cannot_be_seen():
    shown = strip_control_characters(HOSTILE)
    assert "[U+202E]" in shown
    assert "[U+0000]" in shown
    assert "[U+200B]" in shown
    assert shown.count("\u0353") == 0  # at most two marks on a letter
    assert len(strip_control_characters("x" * 1000)) == 300


async def test_the_log_has_no_token_no_query_and_no_page_text(place, caplog, monkeypatch):
    def broken(desk, ask):
        raise RuntimeError("secret page text")

    async with served(place) as client:
        monkeypatch.setattr("thresher.serve.state.CrawlRegistry.crawl", broken)
        answer = await client.get(f"{CRAWLS}/bees/pages?q=private", headers=BEARER)
        assert (answer.status, "secret" in await answer.text()) == (500, False)
    told = " ".join(record.getMessage() for record in caplog.records)
    assert "An answer failed: RuntimeError" in told
    assert not [word for word in (TOKEN, "private", "secret page text") if word in told]


@pytest.mark.posix
@pytest.mark.parametrize("name", ["crawl.log", "asked.json"])
async def test_nothing_is_written_or_shown_through_a_link_in_a_foreign_folder(place, tmp_path_factory, name):
    outside = tmp_path_factory.mktemp("outside") / "diary"
    outside.write_text("dear diary")
    (place / "bees" / name).symlink_to(outside)
    with pytest.raises(NotACrawl, match="is a link"):
        Processes().change(CrawlFolder(place / "bees"), NewState("bees", "running"))
    (place / "bees" / "crawl.db").unlink()  # whose state is read off the log
    async with served(place) as client:
        answer = await (await client.get(CRAWLS, headers=BEARER)).text()
    assert "dear diary" not in answer
    assert outside.read_text() == "dear diary"


@pytest.mark.posix
def test_a_file_that_goes_while_its_folder_is_measured_counts_nothing(tmp_path, monkeypatch):
    (tmp_path / "kept").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("/etc/passwd")
    gone = [tmp_path / "kept", tmp_path / "link", tmp_path / ".now.json.17"]
    monkeypatch.setattr("pathlib.Path.glob", lambda self, pattern: gone if pattern == "*" else [])
    monkeypatch.setattr("pathlib.Path.is_file", lambda self: True)  # it was, a moment ago
    assert disk_of(tmp_path) == 5


@pytest.mark.posix
async def test_no_label_is_written_beside_a_lock_that_is_a_link(place, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "diary"
    outside.write_text("dear diary", encoding="utf-8")
    (place / "bees" / "labels.lock").symlink_to(outside)
    async with served(place) as client:
        answer = await client.post(LABELS, json=YES, headers=BEARER)
        assert "is a link" in await answer.text()
    assert outside.read_text(encoding="utf-8") == "dear diary"
    assert labels(place) == []


@pytest.mark.posix
async def test_a_lock_that_is_a_pipe_keeps_nobody_waiting(place):
    (place / "bees" / "crawl.lock").unlink(missing_ok=True)
    os.mkfifo(place / "bees" / "crawl.lock")
    async with served(place) as client:
        answer = await asyncio.wait_for(client.get(CRAWLS, headers=BEARER), 10)
        assert answer.status == 200
