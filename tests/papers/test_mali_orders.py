"""Mali and Meshram 2011, the order of visits: against a crawler written from the paper's text alone."""

import pytest

from tests.papers.graphs import WEBS, Graph, Played, Text, random_graph
from thresher.core.records import Topic
from thresher.judges.baselines import TopicVector
from thresher.strategies.mali import Mali

TOPIC = Topic("bees", {"bee": 1.0, "hive": 1.0})
WORDS = ["bee", "hive", "bread", "cake"]


def by_the_paper(graph: Graph, seeds: list[str]) -> list[str]:
    """Fetch from a list sorted by the P-values of now; expand pages that have a word of the topic."""
    visited, waiting = list[str](), list[str]()
    counts: dict[str, tuple[int, int]] = {}  # links and pages of each host
    cited: dict[str, int] = {}

    def forward(name: str) -> float:
        known = counts.get(name.partition("/")[0])
        links, pages = known or tuple(map(sum, zip(*counts.values(), strict=True)))
        return links / pages

    def visit(name: str) -> None:
        visited.append(name)
        page = graph.pages.get(name)
        targets = graph.targets(name) if page else []
        host = name.partition("/")[0]
        before = counts.get(host, (0, 0))
        counts[host] = before[0] + len(targets), before[1] + 1
        for target in targets:
            cited[target] = cited.get(target, 0) + 1
        if page and (name in seeds or {"bee", "hive"} & set(page.text.split())):
            waiting.extend(each for each in targets if each not in visited and each not in waiting)

    for seed in seeds:
        visit(seed)
        waiting[:] = [each for each in waiting if each not in visited]
    while waiting:
        best = max(waiting, key=lambda name: (round(forward(name) - cited[name], 9), -waiting.index(name)))
        waiting.remove(best)
        visit(best)
    return visited


def product(graph: Graph, seeds: list[str]) -> list[str]:
    judge = TopicVector(TOPIC)
    return Played(Mali(judge=judge, topic=TOPIC), graph, judge).run(*seeds)


def test_the_pages_of_a_host_that_turned_out_empty_fall_behind():
    """After h2/2 the host h2 has FwdLK 0, so h2/3 is worth -1 and h1/1 still 2."""
    graph = Graph(
        {
            "h1/0": Text("bee", (("h2/2", ""), ("h2/3", ""), ("h1/1", ""))),
            "h1/1": Text("bee", (("h2/2", ""), ("h1/0", ""), ("h2/3", ""))),
            "h2/2": Text("bee"),
            "h2/3": Text("bee"),
        }
    )
    assert product(graph, ["h1/0"]) == ["h1/0", "h2/2", "h1/1", "h2/3"] == by_the_paper(graph, ["h1/0"])


@pytest.mark.parametrize("number", WEBS)
def test_pages_are_visited_in_the_order_of_the_paper(number):
    graph = random_graph(number, WORDS)
    seeds = list(graph.pages)[:1]
    assert product(graph, seeds) == by_the_paper(graph, seeds)
