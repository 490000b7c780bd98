"""Ratna et al. 2012: the cohesive text, topic-seeded PageRank, and the link score made of both."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from math import log

import numpy as np
import pytest
from msgspec.structs import replace

from tests.papers.graphs import Graph, Played, Text
from tests.small_web import TOPIC, SmallCrawl, url
from thresher.build.topic import topic_of
from thresher.core.records import Candidate, Fetched, Link, Page, Topic
from thresher.judges.baselines import Cosine
from thresher.parse import parse
from thresher.settings.load import read
from thresher.strategies.ratna import Ratna
from thresher.strategies.ratna_link_scores import LEANING, MORE_LEANING, Sentences, cohesive_texts
from thresher.strategies.ratna_pagerank import SAVED, LocalPush, Sweeps, Values

CYCLE, CYCLE_SCORES = {0: [1, 2], 1: [2], 2: [0]}, [1.0, 0.5, 0.25]
CHAIN, CHAIN_SCORES = {0: [1, 2], 1: [2], 2: [3], 3: []}, [1.0, 0.5, 0.25, 0.0]
SENTENCES = "Crawlers visit pages. They index them. This helps focused crawlers. It is cheap. End."


def swept(
    links: dict[int, list[int]], scores: list[float], k: int, order: tuple[int, ...] = ()
) -> list[float]:
    """Return the ranks after k sweeps when the pages come in one by one."""
    ranks = Sweeps(k)
    for page in order or range(len(scores)):
        ranks.add(page, np.array([scores[page]]), np.array(links[page], np.uint32))
    return ranks[np.arange(len(scores), dtype=np.uint32)].ravel().tolist()


def personalised(
    scores: Sequence[float], links: Mapping[int, Sequence[int]], damping: float = 0.85
) -> Values:
    """Return the personalised PageRank r = d M r + (1 - d + d * lost) t of a whole graph, which sums to 1."""
    topic: Values = np.clip(np.array(scores, np.float64), 0.0, None)
    topic /= topic.sum()
    ranks, change = topic, 1.0
    while change > 1e-12:
        moved = np.zeros(len(topic))
        for page, targets in links.items():
            np.add.at(moved, list(targets), damping * ranks[page] / max(1, len(targets)))
        following = moved + (1 - moved.sum()) * topic
        ranks, change = following, float(abs(following - ranks).sum())
    return ranks


def cohesive(anchor: str, text: str = SENTENCES, leaning: tuple[str, ...] = LEANING) -> str:
    start = text.index(anchor)
    return Sentences(text, leaning).around(start, start + len(anchor))


@pytest.mark.parametrize(
    ("k", "ranks"), [(1, [0.25, 0.5, 1.0]), (2, [1.0, 0.125, 0.625]), (3, [0.625, 0.5, 0.625])]
)
def test_sweeps_of_the_worked_cycle(k, ranks):
    """Section 4, eq. (6) and (7): A -> B, C; B -> C; C -> A with the scores 1, 0.5 and 0.25."""
    assert swept(CYCLE, CYCLE_SCORES, k) == pytest.approx(ranks)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_order_in_which_pages_come_in_does_not_matter(k):
    found = [swept(CHAIN, CHAIN_SCORES, k, order) for order in permutations(range(4))]
    assert all(ranks == pytest.approx(found[0]) for ranks in found)


def test_many_sweeps_of_the_cycle_settle():
    assert swept(CYCLE, CYCLE_SCORES, 60) == pytest.approx([0.7, 0.35, 0.7], abs=1e-6)


def test_without_damping_all_mass_leaks_where_no_link_leads_on():
    """A flaw of eq. (7): A -> B, C; B -> C; C -> D is all zeros after four sweeps."""
    assert swept(CHAIN, CHAIN_SCORES, 4) == [0.0, 0.0, 0.0, 0.0]


def test_without_damping_two_pages_pass_their_mass_to_and_fro():
    """A flaw of eq. (7): (1, 0) -> (0, 1) -> (1, 0)."""
    assert [swept({0: [1], 1: [0]}, [1.0, 0.0], k) for k in (1, 2, 3)] == [[0, 1], [1, 0], [0, 1]]


def test_scores_added_in_every_sweep_would_grow_without_end():
    """Another reading of eq. (7), x <- s + M x: 36 after fifty sweeps of the cycle. So it is not ours."""
    ranks = CYCLE_SCORES
    for _ in range(50):
        swept_once = swept(CYCLE, ranks, 1)
        ranks = [score + rank for score, rank in zip(CYCLE_SCORES, swept_once, strict=True)]
    assert max(ranks) == pytest.approx(36, abs=0.5)


@pytest.mark.parametrize(
    ("links", "scores", "ranks"),
    [
        (CYCLE, CYCLE_SCORES, [0.406687, 0.215699, 0.377614]),
        (CHAIN, CHAIN_SCORES, [0.216061, 0.199857, 0.315720, 0.268362]),
    ],
)
def test_personalised_pagerank_of_the_worked_graphs(links, scores, ranks):
    """The sound form: d = 0.85, the jump and the dangling mass go back to the topic; it sums to 1."""
    found = personalised(scores, links)
    assert found == pytest.approx(ranks, abs=1e-6)
    assert found.sum() == pytest.approx(1.0)


def test_local_push_stays_near_the_exact_ranks():
    """As the pages of a web of 300 come in: within what was allowed to stay unpushed."""
    dice = np.random.default_rng(1)
    links = {page: sorted(set(dice.integers(0, 300, 12).tolist()) - {page}) for page in range(300)}
    scores = (dice.random(300) * (dice.random(300) < 0.2)).tolist()
    rough = LocalPush(0.85, least=1e-3)
    for page in range(300):
        rough.add(page, scores[page], np.array(links[page], np.uint32))
    exact = personalised(scores, links)
    found = rough[np.arange(300, dtype=np.uint32)]
    assert abs(found / found.sum() - exact).max() < 0.03 * exact.max()


def test_cohesive_text_of_the_worked_sentences():
    """Section 5 (b): the sentence begins with This, so the one before belongs to it; and the next."""
    assert cohesive("focused crawlers") == "They index them. This helps focused crawlers. It is cheap."


def test_with_more_leaning_words_the_text_reaches_further_back():
    """'They' leans as well: the list in step 3 of the paper is cut off."""
    told = cohesive("focused crawlers", leaning=MORE_LEANING)
    assert told == "Crawlers visit pages. They index them. This helps focused crawlers. It is cheap."


def test_a_first_sentence_leans_on_nothing_and_a_last_one_has_none_after_it():
    assert cohesive("This", "This is it.") == "This is it."
    assert cohesive("Crawlers") == "Crawlers visit pages. They index them."


def test_an_abbreviation_before_a_small_letter_ends_no_sentence():
    assert (
        cohesive("bees", "Insects, e.g. ants and bees, sting. Run.")
        == "Insects, e.g. ants and bees, sting. Run."
    )


def test_chinese_sentences_end_with_their_own_period():
    assert cohesive("蜂蜜", "我们养蜂。蜂蜜很甜。价格不贵。再见。") == "蜂蜜很甜。价格不贵。"


def test_a_menu_is_not_one_sentence():
    """Each entry is a block of its own, in which nothing stands around the anchor: ATR alone counts it.

    A link whose anchor is not in the text has its context.
    """
    page = url("")
    links = [
        Link(page, url("1"), "Bees"),
        Link(page, url("2"), "Ants"),
        Link(page, url("3"), "", "a picture"),
    ]
    menu = Page(page, text="Bees\nAnts\n", links=tuple(links))
    assert list(cohesive_texts(menu)) == ["", "", "a picture"]


def parsed(body: str) -> Page:
    head = (("content-type", "text/html"),)
    return parse(Fetched(Candidate(url("")), url(""), 200, head, body.encode()))


def test_an_anchor_is_found_at_its_place_and_not_where_its_words_stand_first():
    """Section 5 (b), step 1: the sentence that holds the anchor."""
    page = parsed(
        "<p>Honey is sold here. The market was closed on Monday.</p><p>Nothing to see."
        " Visit the <a href='m'>market</a> for bee hives. It opens at nine.</p>"
    )
    (text,) = cohesive_texts(page)
    assert text == "Visit the market for bee hives. It opens at nine."
    strategy = ratna(Topic("bees", {"bee": 1.0, "hive": 1.0, "honey": 1.0}))
    assert strategy._said(page) == [pytest.approx(2 / 3)]


def test_a_line_break_ends_no_sentence():
    """Step 5: the next sentence belongs to the anchor, on whatever line it stands."""
    page = parsed("<p>Read more about <a href='h'>honey</a>.<br>It is sweet.<br></p><p>More.</p>")
    assert list(cohesive_texts(page)) == ["Read more about honey. It is sweet."]


def ratna(topic: Topic = TOPIC, **parameters) -> Ratna:
    return Ratna(judge=Cosine(topic), topic=topic, **parameters)


def test_anchor_relevancy_is_the_share_of_the_topics_words():
    """Section 5 (a): one of two words is a half."""
    strategy = ratna(Topic("bees", {"bee": 1.0, "honey": 0.5}))
    assert strategy.relevancy("Bees of the world") == 0.5
    assert strategy.relevancy("nothing of the kind") == 0.0


def test_another_name_of_the_topic_counts_as_its_name():
    """Section 5 (a): 'topic keywords in the set of related words of the anchor text'."""
    topic = Topic(
        "football", {"football": 1.0, "goal": 1.0}, labels={"en": "football"}, lexicon={"soccer": 1.0}
    )
    assert ratna(topic).relevancy("soccer today") == 0.5


@pytest.mark.parametrize(
    ("anchor", "share"),
    [("Basketball", 1), ("篮球", 1), ("Golf", 0), ("Women's shoes", 0), ("Association of bakers", 0)],
)
def test_the_names_of_a_node_are_one_keyword_and_its_siblings_none(anchor, share):
    """T = {basketball, 篮球}, two names of one concept; no word of a lexicon stands for the topic."""
    topic = topic_of(read(None, [("topic.node", "Sports/Basketball")]))
    assert ratna(topic).relevancy(anchor) == share


def test_the_keywords_of_the_user_go_before_the_labels_of_the_path():
    topic = Topic("nba", {"Sports": 0.5, "NBA": 1.0, "playoffs": 1.0}, path=("Sports", "NBA"))
    assert ratna(topic).words.query == {"playoff"}


def visits(web: dict[str, tuple[str, list[str]]], **parameters) -> str:
    topic = Topic("bees", {"bee": 1.0, "hive": 1.0, "honey": 1.0})
    return " ".join(SmallCrawl(ratna(topic, **parameters), web).run("0"))


def test_the_idf_of_the_pages_read_so_far_counts_for_all_of_them():
    """Page 0 is read with N = 1: ln(1/2) speaks against it. With N = 2 its score is 0, and 2 goes first."""
    web = {
        "0": ("honey honey bee", ["1", "2"]),
        "1": ("bread hive", ["0", "2", "3"]),
        "2": ("hive bread", ["0"]),
        "3": ("bread hive hive", []),
    }
    assert visits(web) == "0 1 2 3"


def test_with_more_than_one_sweep_waiting_links_have_the_ranks_of_now():
    """Eq. (7) computed iteratively, k = 2."""
    web = {
        "0": ("hive bee honey", ["3", "1", "2"]),
        "1": ("bee honey", ["0"]),
        "2": ("bread honey", ["1", "3"]),
        "3": ("bee bread honey", ["2", "1", "4"]),
        "4": ("bee bread", []),
    }
    assert visits(web, k=2) == "0 3 1 4 2"


WEB = {
    "s1": ("bee bee ants", ["x", "bee"]),
    "s2": ("ants", ["x", "y"]),
    "s3": ("wasps", ["y"]),
    "bee": ("bee", []),
    "x": ("ants", []),
    "y": ("ants", []),
}


def test_the_best_start_pages_are_the_seeds():
    """Section 3: top N documents. Of three pages one has the word: its links alone are followed."""
    assert SmallCrawl(ratna(best=1), WEB).run("s1", "s2", "s3") == ["s1", "s2", "s3", "bee", "x"]


def test_a_link_is_worth_its_words_and_what_its_pages_lend_it():
    """idf = ln(3/2) = 0.405465; s1 has the score 1 * idf and lends each of two links half: 0.202733."""
    strategy = ratna()
    crawl = SmallCrawl(strategy, WEB)
    crawl.run("s1", "s2", "s3", visits=3)
    offers = {offer.url: offer.priority for offer in strategy.on_empty(crawl.store)}  # the last word counts
    assert offers[url("bee")] == pytest.approx(2.202733, abs=1e-6)  # anchor and sentence name the topic: 2
    assert offers[url("x")] == pytest.approx(0.202733, abs=1e-6)
    assert offers[url("y")] == 0.0


def test_rel_score_adds_rank_and_score():
    """Eq. (8): of the worked cycle after one sweep, (0.25, 0.5, 1) + (1, 0.5, 0.25)."""
    ranks = swept(CYCLE, CYCLE_SCORES, 1)
    assert [rank + score for rank, score in zip(ranks, CYCLE_SCORES, strict=True)] == [1.25, 1.0, 1.25]
    twice = swept(CYCLE, CYCLE_SCORES, 2)
    assert [rank + score for rank, score in zip(twice, CYCLE_SCORES, strict=True)] == [2.0, 0.625, 0.875]
    strategy = ratna()
    SmallCrawl(strategy, WEB).run("s1", "s2", "s3")
    assert strategy.result_score(url("s1")) == pytest.approx(log(6 / 3))  # two of six pages have the word
    assert strategy.result_score(url("never/seen")) is None


def test_a_result_must_exceed_the_threshold():
    """Section 5: 'If link Rel_score exceeds threshold value then include into result database.'"""
    strategy = ratna(threshold=0.7)
    SmallCrawl(strategy, WEB).run("s1", "s2", "s3")
    assert [name for name in WEB if strategy.result_score(url(name)) is not None] == ["bee"]


def test_links_that_a_page_speaks_against_wait_until_no_other_is_left():
    """Section 6, steps 8 and 9. The only page read has the word: ln(1/2) speaks against all its links."""
    strategy = ratna()
    assert SmallCrawl(strategy, {"s": ("bee", ["a", "bee"]), **WEB}).run("s") == ["s", "bee", "a"]


def test_the_state_is_a_log_that_tells_each_page_once():
    strategy, twin = ratna(sound=True), ratna(sound=True)
    crawl = SmallCrawl(strategy, WEB)
    crawl.run("s1", "s2", "s3", visits=4)
    log = [*strategy.save().rows]
    assert len(log) == 4
    later = strategy.save()
    assert list(later.rows) == []
    twin.load(replace(later, rows=log[::-1]))
    urls = [url(name) for name in WEB]
    assert twin._graph.priorities(urls) == strategy._graph.priorities(urls)


def test_saved_ranks_and_the_log_since_then_give_the_same_prices():
    """The ranks of 1,000 pages are saved; the 200 pages after them are ranked again."""
    strategy, twin = (ratna(sound=True)._graph for _ in range(2))
    names = [url(str(number)) for number in range(1_200)]
    entries: dict[int, bytes] = {}
    for number, name in enumerate(names):
        links = {names[(number * step + step) % 1_200]: 0.1 * step for step in (2, 3, 5, 7)}
        strategy.add(name, 1, 0.3 * (number % 3 == 0), links)
        strategy.risen = []
        entries.update(strategy.changes())
    assert SAVED in entries
    twin.restore(entries.items())
    assert twin.priorities(names) == strategy.priorities(names)
    assert twin.ranks.pushed == strategy.ranks.pushed


def test_the_terms_of_a_link_score_are_told():
    strategy = ratna()
    crawl = SmallCrawl(strategy, WEB)
    crawl.run("s1", "s2", "s3")
    (asked,) = (visit.candidate for visit in crawl.store.history(url("bee")))
    assert strategy.explain(asked, crawl.store) == ["link score 2.203 = ATR 1.000 + CTR 1.000 + PR 0.203"]


def test_of_start_pages_that_all_have_the_word_the_paper_takes_the_one_with_least_of_it():
    """Eq. (2) is ln(3/4) for a word of all three, so the emptiest page has the largest score; why says so."""
    web = {"a": ("bee bee", ["x"]), "b": ("bee bread bread", ["y"]), "c": ("bee cake cake cake", ["z"])}
    faithful, sound = ratna(best=1), ratna(best=1, sound=True)
    assert SmallCrawl(faithful, web).run("a", "b", "c")[3:] == ["z"]
    assert SmallCrawl(sound, web).run("a", "b", "c")[3:] == ["x"]
    told = [faithful.explain(Candidate(url(name)), SmallCrawl(faithful, web).store)[0] for name in "ac"]
    assert "no seed" in told[0] and "counts against" in told[0]
    assert told[1] == "start page, a seed: score -0.096, among the best 1"


def test_in_a_tunnel_an_irrelevant_page_hands_on_what_led_to_it():
    """Section 7, future work: relevant links accessible from irrelevant pages are fetched, too."""
    topic = Topic("bees", {"bee": 1.0, "hive": 1.0})
    away = Text("bread", (("h3/behind", ""),))
    pages = {
        "h0/seed": Text("bee cake", (("h1/other", ""), ("h2/away", "bee"))),
        "h1/other": Text("bread"),
        "h2/away": away,
        "h3/behind": Text("bee hive"),
    }

    def order(tunnel: bool) -> list[str]:
        strategy = Ratna(judge=Cosine(topic), topic=topic, tunnel=tunnel)
        return Played(strategy, Graph(pages), Cosine(topic)).run("h0/seed")

    assert order(tunnel=False) == ["h0/seed", "h2/away", "h1/other", "h3/behind"]
    assert order(tunnel=True) == ["h0/seed", "h2/away", "h3/behind", "h1/other"]
