"""Who links to a page: every source, what a question costs, and sources that fail or lie."""

import gzip
from collections.abc import Sequence
from contextlib import nullcontext

import pytest

from thresher.core.clock import VirtualClock
from thresher.core.enums import Origin, Outcome, Request
from thresher.core.errors import HostUnreachable, NoBacklinks, SettingsError
from thresher.core.interfaces import BacklinkSource, Web
from thresher.core.records import Candidate, Fetched, Link, Page, Topic, Url, Visit
from thresher.engine.read import PageReader
from thresher.engine.workers import Visitor
from thresher.fetch.backlinks import (
    BacklinkEndpoint,
    BudgetedSource,
    ChainedSource,
    CrawlLinks,
    Folders,
    KnownLinks,
    PacedSource,
    open_dump,
)
from thresher.judges.baselines import Cosine
from thresher.store.database import Database

HOME, CITING, OTHER = Url("http://a.test/x/p.html"), Url("http://b.test/list"), Url("http://c.test/")


class Answers(Web):
    """A web that has one answer for everything, and remembers what it was asked."""

    def __init__(self, body: bytes = b"", status: int = 200) -> None:
        self.body, self.status = body, status
        self.asked: list[Url] = []

    async def get(self, candidate: Candidate) -> Fetched:
        self.asked.append(candidate.url)
        return Fetched(candidate, candidate.url, self.status, body=self.body)

    async def close(self) -> None:
        self.asked.append(OTHER)


class Broken(BacklinkSource):
    async def who_links_to(self, url: Url) -> Sequence[Link]:
        raise HostUnreachable("nobody there")


def told(*sources: Url) -> KnownLinks:
    return KnownLinks(lambda url: sources)


async def sources_of(source, url: Url = HOME) -> list[str]:
    return [link.source for link in await source.who_links_to(url)]


async def test_a_web_with_a_source_answers_pages_and_questions():
    inner = Answers(b"page")
    reader = PageReader(lambda fetched: Page(fetched.url), Cosine(Topic("bees")))
    visitor = Visitor(inner, reader, VirtualClock(5.0), backlinks=BudgetedSource(told(CITING, OTHER)))
    assert (await visitor.visit(Candidate(HOME))).outcome is Outcome.FETCHED
    answer = await visitor.visit(Candidate(HOME, kind=Request.BACKLINKS))
    assert answer.page and [link.source for link in answer.page.links] == [CITING, OTHER]
    assert (answer.at, inner.asked) == (5.0, [HOME])


async def test_questions_are_charged_and_when_they_are_spent_the_question_is_refused():
    source = BudgetedSource(told(CITING), questions=1)
    await source.who_links_to(HOME)
    with pytest.raises(NoBacklinks, match="spent"):
        await source.who_links_to(OTHER)


async def test_an_answer_names_each_source_once_and_is_no_longer_than_asked_for():
    many = told(HOME, CITING, CITING, *(Url(f"http://d.test/{number}") for number in range(500)))
    found = await sources_of(BudgetedSource(many))
    assert found[:2] == [CITING, "http://d.test/0"]
    assert len(found) == len(set(found)) == 100


async def test_a_source_that_fails_is_counted_and_the_others_are_asked():
    several = ChainedSource([Broken(), told(CITING)])
    assert await sources_of(several) == [CITING]
    assert several.failed == {"no answer about back-links from Broken": 1}


async def test_when_nobody_answers_the_question_is_refused_with_the_reasons():
    with pytest.raises(NoBacklinks, match="nobody there"):
        await ChainedSource([Broken()]).who_links_to(HOME)
    with pytest.raises(NoBacklinks, match="no source"):
        await ChainedSource([]).who_links_to(HOME)
    assert NoBacklinks.outcome is Outcome.REFUSED


async def test_another_crawls_links_tell_of_pages_it_has_fetched():
    store = Database()
    page = Page(CITING, links=(Link(CITING, HOME, "here"),))
    store.add(Visit(Candidate(CITING), Outcome.FETCHED, 0.0, page))
    said = await CrawlLinks(lambda: nullcontext(store)).who_links_to(HOME)
    assert said == [Link(CITING, HOME, "here", origin=Origin.BACKLINK)]


async def test_folders_stand_in_for_a_source():
    assert await sources_of(Folders()) == ["http://a.test/x/", "http://a.test/"]


async def test_an_outside_source_rests_between_two_questions():
    clock = VirtualClock(0.0)
    paced = PacedSource(told(CITING), clock, 2.5)
    await paced.who_links_to(HOME)
    await paced.who_links_to(HOME)
    assert clock.now() == 5.0


EDGES = f"""# source and target
{CITING}\t{HOME}
http://B.test:80/list#part {HOME}
not a link
{OTHER}\t{CITING}
citing.example\ta.test
"""


@pytest.mark.parametrize("packed", [False, True])
async def test_a_file_of_links_knows_pages_and_hosts(tmp_path, packed, caplog):
    path = tmp_path / "links.txt"
    path.write_bytes(gzip.compress(EDGES.encode()) if packed else EDGES.encode())
    dump = open_dump(path, tmp_path / "links.db")
    assert await sources_of(dump) == [CITING, "http://citing.example/"]
    assert await sources_of(dump, CITING) == [OTHER]
    assert "1 lines are no links" in caplog.text


async def test_a_host_graph_is_read_with_its_vertices(tmp_path, caplog):
    """The form of Common Crawl's: numbers, and names spelt backwards."""
    edges, vertices = tmp_path / "edges.txt.gz", tmp_path / "vertices.txt.gz"
    edges.write_bytes(gzip.compress(b"1\t0\n2\t0\n0\t2\nx\ty\n"))
    vertices.write_bytes(gzip.compress(b"0\ttest.a\n1\torg.example.www\n2\tnet.b\nbroken\n"))
    dump = open_dump(edges, tmp_path / "links.db", vertices)
    assert await sources_of(dump) == ["http://www.example.org/", "http://b.net/"]
    assert await sources_of(dump, Url("https://b.net/any")) == ["https://a.test/"]
    assert "2 lines are no links" in caplog.text


async def test_the_index_of_a_file_is_made_again_when_the_file_changes(tmp_path):
    path, index = tmp_path / "links.txt", tmp_path / "links.db"
    path.write_text(f"{CITING} {HOME}\n")
    open_dump(path, index)
    path.write_text(f"{OTHER} {HOME}\n{OTHER} {CITING}\n")
    assert await sources_of(open_dump(path, index)) == [OTHER]


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SettingsError, match=r"links\.txt"):
        open_dump(tmp_path / "links.txt", tmp_path / "links.db")


async def test_a_file_that_breaks_off_is_read_as_far_as_it_goes(tmp_path):
    path = tmp_path / "links.gz"
    path.write_bytes(
        gzip.compress(b"".join(b"http://d.test/%d %s\n" % (n, HOME.encode()) for n in range(9999)))[:-900]
    )
    assert await sources_of(open_dump(path, tmp_path / "links.db"))


@pytest.mark.parametrize(
    "body",
    [
        b'["http://b.test/list", 7, "no url"]',
        b'[{"source": "http://b.test/list", "anchor": "x"}, {}]',
        b'{"links": [{"url": "http://b.test/list"}]}',
        b"http://b.test/list\n\nno url\n",
    ],
)
async def test_an_endpoint_may_answer_in_several_ways(body):
    web = Answers(body)
    endpoint = BacklinkEndpoint(web, "http://links.test/api?to={url}")
    assert await sources_of(endpoint) == [CITING]
    assert web.asked == ["http://links.test/api?to=http%3A%2F%2Fa.test%2Fx%2Fp.html"]


async def test_an_endpoint_that_fails_or_talks_nonsense_is_no_answer():
    for web in (Answers(b"", 500), Answers(b"[1, 2")):
        with pytest.raises(NoBacklinks, match="endpoint"):
            await ChainedSource([BacklinkEndpoint(web, "http://links.test/{url}")]).who_links_to(HOME)
    assert await sources_of(BacklinkEndpoint(Answers(b'{"hits": 3}'), "http://links.test/{url}")) == []


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a":' * 100_000])
async def test_brackets_without_end_are_no_answer(body):
    with pytest.raises(NoBacklinks, match="endpoint"):
        await ChainedSource([BacklinkEndpoint(Answers(body), "http://links.test/{url}")]).who_links_to(HOME)


def test_an_endpoint_without_a_place_for_the_url_is_refused():
    with pytest.raises(SettingsError, match=r"no \{url\}"):
        BacklinkEndpoint(Answers(), "http://links.test/")
