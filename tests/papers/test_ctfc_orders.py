"""CT-FC, the order of visits: against its formulas (3) to (7), read from scratch each time.

At every step the requests that wait are worked out anew from the pages visited and the questions answered so
far. What the crawler asks for next must be among the dearest of them; which of equals it takes is its own.
"""

from collections import Counter
from dataclasses import dataclass, field

import pytest

from tests.papers.graphs import WEBS, Graph, Played, Text, random_graph
from thresher.core.records import Topic
from thresher.judges.baselines import Cosine
from thresher.strategies.ctfc import Ctfc

CTFC = Topic("bees", {"bee": 1.0, "hive": 1.0}, lexicon={"bee": 1.0, "hive": 1.0})
WORDS = ["bee", "hive", "bread", "cake"]
TUNNEL, DECAY = 12, 0.5
FREE, YIELD = 2.0, None  # what a question is worth beside 1 for a link of a relevant page


@dataclass
class ByThePaper:
    """What has been visited and answered, and with how many irrelevant pages behind it."""

    graph: Graph
    seeds: list[str]
    question: float | None  # None: whatever the answers so far make it
    visited: dict[str, int] = field(default_factory=dict)  # d: irrelevant pages since the last relevant one
    answered: set[str] = field(default_factory=set)

    def relevant(self) -> list[str]:
        """Return the visited pages with Score(q) = 1."""
        return [name for name in self.visited if {"bee", "hive"} & {*self._text(name)}]

    def distances(self) -> dict[str, int]:
        """Return the pages that the four quadrants offer, each with its d."""
        relevant = self.relevant()
        offered = dict.fromkeys(self.seeds, 0)

        def offer(names: list[str], passed: int) -> None:
            for name in names:
                offered[name] = min(passed, offered.get(name, TUNNEL))

        for name in (each for each in self.visited if each in self.graph.pages):
            targets = self.graph.targets(name)
            hub = sum(target in relevant for target in targets) >= 2  # IV, eq. (6)
            passed = 0 if name in relevant or hub else self.visited[name] + 1  # I, eq. (3); II, eq. (4)
            if passed < TUNNEL:
                offer(targets, passed)
        for authority in self.answered & {*self.authorities()}:  # III, eq. (5) with star 1
            offer(self.graph.citing(authority), 0)
        told = Counter(source for name in relevant if name in self.answered for source in self._citing(name))
        offer([hub for hub, count in told.items() if count >= 2], 0)  # IV: two answers make a hub
        return offered

    def authorities(self) -> list[str]:
        """Return what two relevant pages link to."""
        cited = Counter(target for name in self.relevant() for target in self.graph.targets(name))
        return [name for name, count in cited.items() if count >= 2]

    def waiting(self) -> dict[str, float]:
        """Return what may be asked for now, with its weight; a question ends in '?'."""
        pages = {name: DECAY**d for name, d in self.distances().items() if name not in self.visited}
        asked = [*self.authorities(), *self.relevant()]
        worth = self.question if self.question is not None else 1.0
        return pages | {f"{name}?": worth for name in asked if name not in self.answered}

    def take(self, request: str) -> None:
        """Note that a page was visited, or a question answered."""
        if request.endswith("?"):
            self.answered.add(request[:-1])
        else:
            self.visited[request] = self.distances()[request]

    def _citing(self, name: str) -> list[str]:
        return self.graph.citing(name)

    def _text(self, name: str) -> list[str]:
        return self.graph.pages[name].text.split() if name in self.graph.pages else []


def hold(log: list[str], paper: ByThePaper) -> None:
    """Hold an order of visits against the paper, ties aside; sitemaps are asked for when all is dry."""
    for place, request in enumerate(log):
        waiting = paper.waiting()
        if request.endswith("/sitemap.xml"):
            assert not waiting, (place, request, waiting)
            continue
        rivals = {
            name: weight for name, weight in waiting.items() if paper.question is not None or "?" not in name
        }
        if request not in waiting or (request in rivals and rivals[request] != max(rivals.values())):
            raise AssertionError((place, request, waiting))
        paper.take(request)


@pytest.mark.parametrize(("charged", "worth"), [(True, YIELD), (False, FREE)])
@pytest.mark.parametrize("number", WEBS)
def test_ctfc_visits_and_asks_in_the_order_of_the_four_quadrants(number, charged, worth):
    graph = random_graph(number, WORDS, hosts=18, hubs=True)
    seeds = list(graph.pages)[:2]
    strategy = Ctfc(judge=Cosine(CTFC), topic=CTFC, charged=charged)
    log = Played(strategy, graph, Cosine(CTFC)).run(*seeds)
    paper = ByThePaper(graph, seeds, worth)
    hold(log, paper)
    assert not paper.waiting()


@pytest.mark.parametrize("number", WEBS)
def test_ctfc_asks_at_once_where_a_question_is_worth_a_link_of_a_relevant_page(number):
    graph = random_graph(number, WORDS, hosts=18, hubs=True)
    seeds = list(graph.pages)[:2]
    strategy = Ctfc(judge=Cosine(CTFC), topic=CTFC, eager=True)
    paper = ByThePaper(graph, seeds, 1.0)
    hold(Played(strategy, graph, Cosine(CTFC)).run(*seeds), paper)
    assert not paper.waiting()


def test_an_order_that_takes_a_lesser_page_first_is_told():
    """The check can fail: seed s is relevant, t is not, so what s links to goes before what t links to."""
    pages = {"s/0": Text("bee", (("a/1", ""),)), "t/0": Text("bread", (("b/1", ""),))}
    graph = Graph({**pages, "a/1": Text("cake"), "b/1": Text("cake")})
    for worth in (0.0, YIELD):
        hold(["s/0", "t/0", "a/1", "b/1", "s/0?"], ByThePaper(graph, ["s/0", "t/0"], worth))
        with pytest.raises(AssertionError):
            hold(["s/0", "t/0", "b/1", "a/1", "s/0?"], ByThePaper(graph, ["s/0", "t/0"], worth))


@pytest.mark.parametrize("number", WEBS)
def test_ctfc_charged_spends_its_budget_on_pages_and_questions_alike(number):
    graph = random_graph(number, WORDS, hosts=18, hubs=True)
    seeds = list(graph.pages)[:2]
    for charged in (True, False):
        strategy = Ctfc(judge=Cosine(CTFC), topic=CTFC, eager=True, charged=charged)
        log = Played(strategy, graph, Cosine(CTFC), budget=6, charged=charged).run(*seeds)
        pages = sum(name in graph.pages for name in log)
        questions = sum(name.endswith("?") for name in log)
        assert pages + (questions if charged else 0) <= 6
