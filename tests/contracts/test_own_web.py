"""A web of a user's own kind works throughout: each verb asks it for facts, and none for its kind."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from tests.command_line import thresher
from thresher.store.folder import CrawlFolder

SOURCES = Path(__file__).parents[2] / "src"
OWN_WEB = """
from thresher import Candidate, Fetched, Web


class GardenWeb(Web):
    async def get(self, candidate: Candidate) -> Fetched:
        place = candidate.url.removeprefix("http://garden.test/") or "0"
        if not place.isdigit() or int(place) > 7:
            return Fetched(candidate, candidate.url, 404)
        links = "".join(f'<a href="/{int(place) * 2 + n}">the bee of bed {n}</a>' for n in (1, 2))
        text = f"Bed {place} of the garden has a hive, and beekeeping is what it is known for. " * 4
        body = f"<html><title>Bed {place}</title><p>{text}</p>{links}</html>"
        return Fetched(candidate, candidate.url, 200, (("content-type", "text/html"),), body=body.encode())
"""
CRAWL = ("beekeeping", "--seed", "http://garden.test/", "--set", "web.kind=garden:GardenWeb", "--delay", "0")


@pytest.fixture
def garden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the module of the web, and five pages crawled of it."""
    (tmp_path / "garden.py").write_text(OWN_WEB, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert thresher("crawl", *CRAWL, "--pages", "5").code == 0
    return tmp_path / "beekeeping"


@pytest.mark.parametrize(
    "verb",
    [
        ("crawl", *CRAWL, "--plan"),
        ("crawl", *CRAWL, "-o", "again", "--set", "topic.query=gambling", "--workers", "2"),
        ("resume", "beekeeping", "--pages", "8"),
        ("revisit", "beekeeping", "--once"),
        ("revisit", "beekeeping", "--once", "--plan"),
        ("rejudge", "beekeeping", "--keyword", "hive"),
        ("report", "beekeeping", "--json"),
        ("why", "beekeeping", "http://garden.test/1"),
        ("search", "beekeeping", "hive"),
        ("export", "beekeeping", "-o", "garden.warc.gz"),
    ],
    ids=" ".join,
)
def test_every_verb_takes_a_web_of_the_users_own(garden: Path, verb: tuple[str, ...]) -> None:
    told = thresher(*verb)
    assert told.code == 0, told.err


def test_what_is_known_of_such_a_web_is_nothing_that_it_did_not_say(garden: Path) -> None:
    with closing(CrawlFolder(garden).open()) as store:
        assert not store.facts.virtual_time
        assert "robots" not in store.facts.warcinfo


def test_a_folder_from_elsewhere_runs_no_web(garden: Path) -> None:
    garden.rename(garden.with_name("found"))
    told = thresher("resume", "found", "--pages", "8")
    assert told.code == 2
    assert "web.kind" in told.err


def test_the_kind_of_a_web_is_asked_in_one_place() -> None:
    asks = re.compile(r"\bweb\.kind\b(?!\")")
    files = {path.name for path in SOURCES.rglob("*.py") if asks.search(path.read_text(encoding="utf-8"))}
    assert files == {"webs.py"}
