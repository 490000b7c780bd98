"""The order of visits of three papers, against crawlers written from the papers' texts alone."""

from collections import Counter
from math import log, sqrt

import pytest

from tests.papers.graphs import WEBS, Graph, Played, Text, random_graph
from thresher.core.records import Topic
from thresher.core.url import LinkType
from thresher.judges.baselines import Cosine
from thresher.strategies.fcmrps import GAMMA, Fcmrps
from thresher.strategies.jamali import Jamali
from thresher.strategies.ratna import Ratna

WORDS = ["bee", "hive", "bread", "cake"]
SAME = 9  # digits: scores that differ by less are equal, and first come, first served


def first_best(waiting: dict[str, float]) -> str:
    """Return the best of what waits, in the order of arrival among equals."""
    return max(waiting, key=lambda name: (round(waiting[name], SAME), -list(waiting).index(name)))


# Jamali et al. 2006: Seeds, Candidates and Links, eq. (1) and (2).

DOMAINS = (("bee", "hive", "honey"), ("bread", "cake", "bee"))
JAMALI = Topic("bees", {"bee": 1.0}, vocabularies=DOMAINS)


def jamali_by_the_paper(graph: Graph, seeds: list[str]) -> list[str]:
    """Download all links of the candidate with the best rank, and so on."""
    visited, promoted = list(seeds), list[str]()
    links_from = dict.fromkeys(seeds, 0)

    def similarity(words: set[str]) -> float:
        best = sorted((len(words & {*domain}) / max(1, len(words)) for domain in DOMAINS), reverse=True)[:2]
        return sum(best) / len(best)

    def rank(name: str) -> float:
        links_to = sum(target in promoted for target in graph.targets(name))
        return (links_to + links_from[name]) * (0.1 + similarity({*graph.pages[name].text.split()}))

    def promote(name: str) -> None:
        promoted.append(name)
        for target in graph.targets(name):
            if target not in visited:
                visited.append(target)
                links_from[target] = 1
            elif target in links_from and target not in promoted:
                links_from[target] += 1

    for seed in seeds:
        promote(seed)
    while candidates := [name for name in visited if name in graph.pages and name not in promoted]:
        promote(max(candidates, key=lambda name: (round(rank(name), SAME), -candidates.index(name))))
    return visited


@pytest.mark.parametrize("number", WEBS)
def test_jamali_expands_candidates_in_the_order_of_their_ranks(number):
    graph = random_graph(number, [*WORDS, "honey"])
    seeds = list(graph.pages)[:1]
    played = Played(Jamali(judge=Cosine(JAMALI), topic=JAMALI), graph, Cosine(JAMALI)).run(*seeds)
    assert played == jamali_by_the_paper(graph, seeds)


# Ratna et al. 2012: eq. (1) to (8), N and df of the pages read so far, k sweeps.

T = ["bee", "hive", "honey"]
RATNA = Topic("bees", dict.fromkeys(T, 1.0))


def ratna_scores(graph: Graph, read: list[str]) -> dict[str, float]:
    """Return eq. (4) of the pages read so far, N and df being theirs."""
    having = {word: sum(word in graph.pages[each].text.split() for each in read) for word in T}
    idf = {word: log(len(read) / (1 + having[word])) for word in T}
    scores = {}
    for name in read:
        counts = Counter(graph.pages[name].text.split())
        most = max(counts.values(), default=1)
        scores[name] = sum(counts[word] / most * idf[word] for word in T)
    return scores


def ratna_ranks(graph: Graph, read: list[str], k: int) -> dict[str, float]:
    """Return eq. (7) after k sweeps from the scores."""
    rank = ratna_scores(graph, read)
    for _ in range(k):
        following: dict[str, float] = {}
        for name in read:
            targets = graph.targets(name)
            for target in targets:
                following[target] = following.get(target, 0.0) + rank.get(name, 0.0) / len(targets)
        rank = following
    return rank


def ratna_by_the_paper(graph: Graph, seed: str, k: int) -> list[str]:
    """Follow the link with the best ATR + CTR + PR of now; anchors stand in no sentence here, so CTR is 0."""
    visits, said = [seed], dict[str, float]()
    while True:
        if visits[-1] in graph.pages:
            for target, anchor in graph.pages[visits[-1]].links:
                share = len({*anchor.split()} & {*T}) / len(T)
                said[target] = max(share, said.get(target, 0.0))
        rank = ratna_ranks(graph, [name for name in visits if name in graph.pages], k)
        waiting = {name: words + rank.get(name, 0.0) for name, words in said.items() if name not in visits}
        if not waiting:
            return visits
        visits.append(first_best(waiting))


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("number", WEBS)
def test_ratna_follows_links_in_the_order_of_their_scores_of_now(number, k):
    graph = random_graph(number, [*WORDS, "honey"])
    seed = next(iter(graph.pages))
    played = Played(Ratna(judge=Cosine(RATNA), topic=RATNA, k=k), graph, Cosine(RATNA)).run(seed)
    assert played == ratna_by_the_paper(graph, seed, k)


# Chen et al. 2009: eq. (1) to (8), depth 3, delta 0.1.

FCMRPS = Topic("hive", path=("Bee", "Hive"), spellings=(("h1", "", "", ""), ("h2", "", "", "")))
V_T = {"bee": 0.5, "hive": 1.0}


def cosine(text: str) -> float:
    counts = Counter(text.split())
    length = sqrt(sum(count * count for count in counts.values())) * sqrt(sum(w * w for w in V_T.values()))
    return sum(weight * counts[word] for word, weight in V_T.items()) / length if length else 0.0


def is_content_page(page: Text) -> bool:
    """Section 3.6 has a rule for siblings of content pages alone; half of such a page is no link."""
    anchors = {*page.links}
    return sum(len(anchor) for _, anchor in anchors) <= len(page.text) / 2


def fcmrps_by_the_paper(graph: Graph, seed: str) -> list[str]:
    """Follow the link with the best RS, three hops after a relevant page; all paths are one folder."""
    waiting, lives = {seed: 1.0}, {seed: 3}
    visited = list[str]()
    while waiting:
        name = first_best(waiting)
        del waiting[name]
        visited.append(name)
        if name not in graph.pages:
            continue
        r_pc = cosine(graph.pages[name].text)
        life = 3 if round(r_pc, SAME) > 0.1 else lives[name] - 1
        for target, anchor in graph.pages[name].links if life > 0 else ():
            r_at = cosine(anchor)
            host, here = target.partition("/")[0], name.partition("/")[0]
            r_url = (0.5 * (host == "h1") + 1.0 * (host == "h2")) / 1.5
            worded, silent = GAMMA[LinkType.SIBLING if host == here else LinkType.OUTWARD]
            ruled = host != here or is_content_page(graph.pages[name])
            r_lt = (worded if r_at > 0 else silent if r_pc > 0 else 0.0) if ruled else 0.0
            if target not in visited:
                waiting[target] = max(0.25 * (r_pc + r_at + r_url + r_lt), waiting.get(target, -1.0))
                lives[target] = max(life, lives.get(target, 0))
    return visited


@pytest.mark.parametrize("number", WEBS)
def test_fcmrps_follows_links_in_the_order_of_their_relevance_scores(number):
    graph = random_graph(number, WORDS)
    seed = next(iter(graph.pages))
    judge = Cosine(FCMRPS)
    played = Played(Fcmrps(judge=judge, topic=FCMRPS), graph, judge).run(seed)
    assert played == fcmrps_by_the_paper(graph, seed)
