"""CT-FC (Maimunah et al. 2011): the four quadrants, the tunnel, and pages that only back-links reach."""

import asyncio
from itertools import pairwise

import pytest

from thresher.core.clock import VirtualClock
from thresher.core.enums import Origin, Outcome, Request
from thresher.core.interfaces import BacklinkSource, Web
from thresher.core.progress import Budget, Progress
from thresher.core.records import Candidate, Fetched, Link, Page, Topic, Url, Visit
from thresher.engine.crawl import Crawl
from thresher.engine.read import PageReader
from thresher.engine.workers import LocalWorkers, Visitor
from thresher.fetch.backlinks import BudgetedSource, ChainedSource, KnownLinks, open_dump
from thresher.filters.filters import FilterChain
from thresher.frontier.frontier import Workbench
from thresher.judges.baselines import Cosine
from thresher.store.database import Database
from thresher.strategies.ctfc import FAIR_TRIAL, Ctfc

ALGORITHM = Topic("algorithm", {"algorithm": 1.0}, lexicon={"algorithm": 1.0, "sorting": 0.7})


def url(name: str) -> Url:
    return Url(f"http://{name.lower()}.test/")


class Graph(Web):
    """A web of named pages; those in capitals are about the topic."""

    def __init__(self, edges: str) -> None:
        self.links: dict[Url, list[Url]] = {}
        self.names: dict[Url, str] = {}
        for edge in edges.split():
            source, _, target = edge.partition(">")
            for name in (source, target):
                self.names[url(name)] = name
            self.links.setdefault(url(source), []).append(url(target))

    async def get(self, candidate: Candidate) -> Fetched:
        status = 200 if candidate.url in self.names else 404
        return Fetched(candidate, candidate.url, status, fetched_at=0.0)

    async def close(self) -> None:
        pass

    def parse(self, fetched: Fetched) -> Page:
        here = fetched.url
        text = "an algorithm for sorting" if self.names[here][0].isupper() else "cooking with leeks"
        return Page(here, text=text, links=tuple(Link(here, there) for there in self.links.get(here, ())))

    def citing(self, page: Url) -> list[Url]:
        return [source for source, targets in self.links.items() if page in targets]


def crawl(
    graph: Graph, *seeds: str, source: BacklinkSource | None = None, strategy: Ctfc | None = None
) -> list[str]:
    """Return what a whole crawl asks for, in order; a question for back-links is marked with '?'."""
    judge, clock, asked = Cosine(ALGORITHM), VirtualClock(0.0), list[str]()
    asked_for = BudgetedSource(source or ChainedSource([]))

    def watch(visit: Visit, progress: Progress) -> None:
        mark = "?" if visit.candidate.kind is Request.BACKLINKS else ""
        if visit.outcome is Outcome.FETCHED:
            asked.append(graph.names[visit.candidate.url] + mark)

    visitor = Visitor(graph, PageReader(graph.parse, judge), clock, backlinks=asked_for)
    loop = Crawl(
        LocalWorkers(visitor, 1, clock),
        Database(),
        strategy or Ctfc(judge=judge, topic=ALGORITHM),
        FilterChain(rules=False),
        Workbench(delay=0.0),
        clock,
        Progress(judge.threshold, 0.0, Budget()),
        observers=(watch,),
    )
    asyncio.run(loop.run([url(name) for name in seeds]))
    return asked


def chain(length: int) -> Graph:
    """A relevant page, so many irrelevant ones in a row, then a relevant one."""
    names = ["Start", *(f"p{number}" for number in range(length)), "Target"]
    return Graph(" ".join(f"{one}>{other}" for one, other in pairwise(names)))


def test_quadrant_1_takes_all_links_of_a_relevant_page_before_others():
    """Eq. (3)."""
    assert crawl(Graph("s>A s>b A>c b>d"), "s") == ["s", "A", "c", "b", "d"]


def test_quadrant_2_reaches_a_target_behind_eleven_irrelevant_pages():
    """Eq. (4): while d < 12, so eleven irrelevant pages in a row are expanded."""
    assert crawl(chain(11), "Start")[-1] == "Target"


def test_quadrant_2_ends_at_the_twelfth_irrelevant_page():
    assert crawl(chain(12), "Start")[-1] == "p11"


def test_the_weight_falls_with_every_irrelevant_page():
    """Section 5.4: 'the farther out-link from relevant documents, the less relevance weight'."""
    strategy, store = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM), Database()
    candidate, weights = Candidate(url("s"), hops_left=12, inherited=1.0), []
    for name in ("a", "b", "c"):
        page = Page(candidate.url, text="cooking", links=(Link(candidate.url, url(name)),))
        (candidate,) = strategy.on_visit(Visit(candidate, Outcome.FETCHED, 0.0, page), store)
        weights.append((candidate.priority, candidate.hops_left))
    assert weights == [(0.5, 11), (0.25, 10), (0.125, 9)]


def test_quadrant_3_two_relevant_pages_make_an_authority_and_its_other_parent_a_spouse():
    """The box before eq. (5): A>x, B>x, C>x with A and B relevant: authority x, spouse C."""
    graph = Graph("A>x B>x C>x")
    assert crawl(graph, "A", "B") == ["A", "B", "x"]
    asked = crawl(graph, "A", "B", source=KnownLinks(graph.citing))
    assert [name for name in asked if name not in ("A?", "B?", "C?")] == ["A", "B", "x", "x?", "C"]


def test_one_relevant_parent_is_enough_for_the_weak_form_of_eq_5():
    graph = Graph("A>x C>x")
    weak = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM, weak_parent=True)
    assert "C" not in crawl(graph, "A", source=KnownLinks(graph.citing))
    assert "C" in crawl(graph, "A", source=KnownLinks(graph.citing), strategy=weak)


def test_quadrant_4_a_page_that_links_to_two_relevant_ones_is_a_hub_and_the_rest_are_siblings():
    """Eq. (6): y>A, y>B, y>z: hub y, sibling z, which begins a tunnel of its own."""
    tunnel = " ".join(f"z{number}>z{number + 1}" for number in range(10))
    graph = Graph(f"y>A y>B y>z0 {tunnel} z10>Target")
    forward = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM, siblings=False)
    assert crawl(graph, "y")[-1] == "Target"
    assert crawl(graph, "y", strategy=forward)[-1] == "z10"


def test_a_hub_that_is_met_after_the_relevant_pages_is_one_at_once():
    graph = Graph("A>h B>h h>A h>B h>z A>k k>n")
    assert crawl(graph, "A", "B").index("z") < crawl(graph, "A", "B").index("n")


def test_quadrant_4_asks_who_links_to_relevant_pages_and_fetches_the_hub():
    """The box before eq. (6): y = SUCC^-1(p) and y = SUCC^-1(q); nothing but back-links leads to y."""
    graph = Graph("y>A y>B y>Z")
    asked = crawl(graph, "A", "B", source=KnownLinks(graph.citing))
    assert asked == ["A", "B", "A?", "B?", "y", "Z", "Z?"]


def test_the_department_of_section_2_leads_to_the_members_that_the_conference_does_not_list():
    graph = Graph("conf>Res conf>Other dept>Res dept>Other dept>M1 dept>M2")
    asked = crawl(graph, "conf", source=KnownLinks(graph.citing))
    assert asked[:8] == ["conf", "Res", "Res?", "Other", "Other?", "dept", "M1", "M2"]


def test_one_answer_makes_no_hub():
    graph = Graph("A>B y>A y>z x>B x>w")
    asked = crawl(graph, "A", source=KnownLinks(graph.citing))
    assert asked == ["A", "B", "A?", "B?"]


def test_a_page_that_is_named_once_and_met_on_the_way_is_no_hub_by_being_counted_twice():
    graph = Graph("A>b b>y y>A y>Z")
    free = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM, charged=False)
    crawl(graph, "A", source=KnownLinks(graph.citing), strategy=free)
    assert not free.known.is_hub(url("y")) or free.known.is_relevant(url("Z"))


def test_free_questions_come_before_any_page_and_charged_ones_beside_links_of_relevant_pages():
    graph = Graph("y>A y>B y>Z A>c")
    free = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM, charged=False)
    known = KnownLinks(graph.citing)
    assert crawl(graph, "A", "B", source=known, strategy=free)[:2] == ["A", "A?"]
    assert crawl(graph, "A", "B", source=known)[:4] == ["A", "B", "c", "A?"]


def test_a_question_is_worth_what_questions_have_led_to():
    """At first as much as a link of a relevant page; after three in vain a quarter."""
    strategy = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM)
    ask = Link(url("A"), url("A"))
    assert strategy._question(ask, 1, 0).priority == 1.0
    for _ in range(3):
        strategy.questions.add(True)
    assert strategy._question(ask, 1, 0).priority == pytest.approx(1 / 4)
    strategy.asked.add(True)
    assert strategy._question(ask, 1, 0).priority == pytest.approx(2 / 5)
    strategy.followed.add(False)
    assert strategy._question(ask, 1, 0).priority == pytest.approx(4 / 5)


@pytest.mark.parametrize(
    ("edges", "source", "said"),
    [("a>b", None, "no page had a Score of 0.1"), ("A>b", None, "none was answered"), ("A>b", "graph", "")],
)
def test_a_crawl_that_went_forward_only_says_why(edges, source, said):
    graph = Graph(edges)
    strategy = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM)
    known = KnownLinks(graph.citing) if source else None
    crawl(graph, edges[0], source=known, strategy=strategy)
    assert said in (told := strategy.left_out(Database())) and bool(said) == bool(told)


def test_the_star_of_eq_5_goes_back_as_often_as_it_says():
    """(SUCC^-1)*: A>x B>x c>x D>c; who links to the spouse c is asked with star 2 only."""
    graph, known = Graph("A>x B>x c>x D>c"), None
    known = KnownLinks(graph.citing)
    twice = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM, star=2)
    assert "D" not in crawl(graph, "A", "B", source=known)
    assert "D" in crawl(graph, "A", "B", source=known, strategy=twice)


def test_a_relevant_page_that_was_asked_about_becomes_an_authority_without_a_second_question():
    graph = Graph("A>X A>b b>B B>X C>X")
    asked = crawl(graph, "A", source=KnownLinks(graph.citing), strategy=_eager())
    assert "C" in asked and asked.count("X?") == 1


def _eager() -> Ctfc:
    return Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM, charged=False)


def test_a_target_that_only_the_archive_s_graph_leads_to_is_found():
    """Quadrant III with the in-links of a replayed archive: nothing links to Target but nothing else does."""
    graph = Graph("A>x B>x Target>x Target>More")
    assert "Target" not in crawl(graph, "A", "B")
    assert {"Target", "More"} <= {*crawl(graph, "A", "B", source=KnownLinks(graph.citing))}


def test_a_target_that_only_a_file_of_links_leads_to_is_found(tmp_path):
    graph = Graph("A>x B>x Target>x")
    path = tmp_path / "links.tsv"
    path.write_text("http://target.test/\thttp://x.test/\n")
    dump = open_dump(path, tmp_path / "links.db")
    assert "Target" not in crawl(graph, "A", "B")
    assert "Target" in crawl(graph, "A", "B", source=ChainedSource([dump]))


def test_a_source_that_fails_does_not_end_the_crawl():
    assert crawl(Graph("A>x B>x x>y"), "A", "B", source=ChainedSource([])) == ["A", "B", "x", "y"]


def test_a_source_that_lies_is_not_believed_for_ever():
    """Pages it names do not link where it says; after twenty of them its answers are left alone."""
    many = " ".join(
        f"S{number}>x{number} T{number}>x{number} A>S{number} A>T{number}" for number in range(60)
    )
    liars = " ".join(f"liar{number}>nowhere{number}" for number in range(60))
    graph = Graph(f"{many} {liars}")
    names = iter(range(60))
    asked = crawl(graph, "A", source=KnownLinks(lambda page: [url(f"liar{next(names)}")]))
    assert 20 <= sum(name.startswith("liar") for name in asked) < 30
    assert {"S59", "T59"} <= set(asked)


def offered(strategy: Ctfc) -> list[str]:
    return [candidate.url for candidate in strategy.on_empty(Database())]


def test_when_all_is_dry_sitemaps_of_relevant_hosts_and_searches_give_new_places():
    """Section 5.4, last sentence: 'to reach disconnected relevant documents ... utilizes the ontology'."""
    search = "http://find.test/?q={words}"
    strategy = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM, search=search)
    crawl(Graph("A>b"), "A", strategy=strategy)
    again = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM, search=search)
    assert offered(again) == ["http://find.test/?q=algorithm", "http://find.test/?q=sorting"]
    assert offered(again) == offered(strategy) == []
    again.known.relevant(url("A"), [])
    assert offered(again) == ["http://a.test/sitemap.xml"]
    assert offered(again) == []


def test_what_a_sitemap_lists_goes_by_its_fit_with_the_lexicon():
    strategy = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM)
    here = Url("http://a.test/sitemap.xml")
    links = tuple(
        Link(here, Url(f"http://a.test/{path}"), origin=Origin.SITEMAP) for path in ("leeks", "sorting/quick")
    )
    asked = Candidate(here, via=Link(url("a"), here, origin=Origin.SITEMAP), hops_left=12)
    offers = strategy.on_visit(
        Visit(asked, Outcome.FETCHED, 0.0, Page(here, links=links, noindex=True)), Database()
    )
    assert [(offer.url, offer.priority > 0) for offer in offers] == [
        ("http://a.test/sorting/quick", True),
        ("http://a.test/leeks", False),
    ]


def test_an_author_who_calls_links_backlinks_cannot_stop_the_questions():
    strategy = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM)
    for number in range(FAIR_TRIAL + 1):
        here = url(f"page{number}")
        via = Link(url("A"), here, "come in", rel="backlink")
        visit = Visit(Candidate(here, via=via, hops_left=12), Outcome.FETCHED, 0.0, Page(here, text="leeks"))
        list(strategy.on_visit(visit, Database()))
    assert (strategy.lies.tries, strategy.followed.tries) == (0, FAIR_TRIAL + 1)
    relevant = Page(url("B"), text="an algorithm", links=(Link(url("B"), url("x")),))
    strategy.known.relevant(url("A"), relevant.links)
    offers = strategy.on_visit(
        Visit(Candidate(url("B"), hops_left=12), Outcome.FETCHED, 0.0, relevant), Database()
    )
    assert [offer.url for offer in offers if offer.kind is Request.BACKLINKS] == [url("x"), url("B")]


def test_the_sound_form_lets_the_words_of_links_decide_among_equals():
    strategy = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM, sound=True)
    here = url("A")
    links = (Link(here, url("b"), "leeks"), Link(here, url("c"), "sorting"))
    page = Page(here, text="an algorithm", links=links)
    visit = Visit(Candidate(here, hops_left=12), Outcome.FETCHED, 0.0, page)
    dull, telling, _ = strategy.on_visit(visit, Database())
    assert dull.priority == 1.0 < telling.priority


def test_the_neighbourhood_outlives_the_process():
    before, after = (Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM) for _ in range(2))
    visit = Visit(
        Candidate(url("A"), hops_left=12),
        Outcome.FETCHED,
        0.0,
        Page(url("A"), text="an algorithm", links=(Link(url("A"), url("x")),)),
    )
    list(before.on_visit(visit, Database()))
    after.load(before.save())
    assert list(before.save().rows) == []
    second = Visit(
        Candidate(url("B"), hops_left=12),
        Outcome.FETCHED,
        0.0,
        Page(url("B"), text="an algorithm", links=(Link(url("B"), url("x")),)),
    )
    wants = [offer.kind for offer in after.on_visit(second, Database())]
    assert wants == [Request.LINK, Request.BACKLINKS, Request.BACKLINKS]
    assert wants == [offer.kind for offer in before.on_visit(second, Database())]


def test_why_names_the_quadrant_and_what_the_page_scored():
    strategy, store = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM), Database()
    here = url("Y")
    page = Page(here, text="an algorithm", links=(Link(here, url("z")), Link(here, url("w"))))
    visit = Visit(Candidate(here, hops_left=12, inherited=1.0), Outcome.FETCHED, 0.0, page)
    store.add(visit)
    followed, _, question = strategy.on_visit(visit, store)
    tunnel = Candidate(url("z"), 0.25, followed.via, hops_left=10, inherited=0.25)
    scored = "by http://y.test/: Score 0.877, theta 0.1"
    assert list(strategy.explain(tunnel, store)) == ["II: weight 0.25, d = 2 of 12", scored]
    assert list(strategy.explain(followed, store)) == ["I: a link of http://y.test/, weight 1", scored]
    assert "IV: http://y.test/ is relevant" in strategy.explain(question, store)[0]
    third = Candidate(url("z"), 0.0, followed.via, 1, 1.0, kind=Request.BACKLINKS)
    assert "III: http://z.test/ is an authority" in strategy.explain(third, store)[0]


def test_why_calls_a_link_of_a_relevant_page_one_even_if_that_page_is_a_hub():
    strategy = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM)
    crawl(Graph("s>H H>A H>B H>z"), "s", strategy=strategy)
    assert strategy.known.is_relevant(url("H"))
    of_relevant = Candidate(url("z"), 1.0, Link(url("H"), url("z")), 12, 1.0)
    assert strategy.explain(of_relevant, Database())[0].startswith("I:")


def test_why_calls_a_link_of_a_hub_that_is_not_relevant_four():
    strategy = Ctfc(judge=Cosine(ALGORITHM), topic=ALGORITHM)
    crawl(Graph("h>A h>B h>y"), "h", strategy=strategy)
    sibling = Candidate(url("y"), 1.0, Link(url("h"), url("y")), 12, 1.0)
    assert strategy.explain(sibling, Database())[0].startswith("IV: a sibling by the hub")


@pytest.mark.parametrize(("lexicon", "says"), [({}, "no concept"), ({"algorithm": 1.0}, "")])
def test_a_topic_without_a_concept_is_told_so(lexicon, says):
    topic = Topic("algorithm", {"algorithm": 1.0}, lexicon=lexicon)
    assert says in Ctfc(judge=Cosine(topic), topic=topic).missing()
    assert bool(says) == bool(Ctfc(judge=Cosine(topic), topic=topic).missing())
