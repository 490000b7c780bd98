"""The lab against figures that an independent implementation got on the development corpora.

That implementation took references as they are written: it joined them to the page's address and looked
the result up letter by letter, so 'https://blog.example' without its slash and a path with Chinese letters
in it led nowhere; it read pages with libxml2, dropped what led nowhere before any strategy saw it, and
took 50 characters of running text on each side of an anchor. A browser, and Thresher, read references by
the WHATWG standard. `as_the_reference` plays our strategies on pages read its way: what is left is the
strategies themselves.
"""

import csv
import os
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest
from lxml.etree import ParserError
from lxml.html import document_fromstring
from msgspec.structs import replace

from thresher.core.records import Fetched, Link, Page, Url
from thresher.core.url import parse as parse_url
from thresher_lab.archive_web import ArchiveWeb
from thresher_lab.contenders.named import contender_of
from thresher_lab.corpus import Corpus
from thresher_lab.graph import graph_of
from thresher_lab.measures import area, positions
from thresher_lab.replay import play
from thresher_lab.setup import PAPERS_JUDGE, ReplayPlan, ReplayStage, stage

SHARED = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set"))
CORPORA = SHARED / "corpora"
BLOCKS = [
    ("dev-webkb", "easy"), ("dev-wikispeedia", "easy"), ("dev-wikispeedia", "hard"), ("dev-zhblogs", "easy"),
    ("dev-zhblogs", "hard"),
]  # fmt: skip
TOLERANCES = {  # our name: (the reference's name, how far the means may differ)
    "best_first": ("best_first", 0.04),
    "best_first+rich": ("best_first_rich", 0.04),
    "fish_search": ("fish_search", 0.03),
    "shark_search": ("shark_search", 0.03),
    "shark_search+rich": ("shark_rich", 0.03),
    "shark_simple": ("shark_simple", 0.03),
    "fcmrps": ("fcmrps", 0.03),
    "ctfc": ("ctfc", 0.04),
    "score_oracle+rich": ("score_oracle", 0.03),
    "jamali+rich": ("jamali", 0.03),
    "ratna+rich": ("ratna", 0.04),
}
EXACT = ("breadth_first", "label_oracle")
READ: dict[Url, tuple[Link, ...]] = {}  # reading a page the reference's way takes long


@cache
def reference():
    path = SHARED / "spec" / "reference.tsv"
    assert path.exists(), "set THRESHER_SHARED to the folder with spec and corpora"
    rows = list(csv.DictReader(path.read_text().splitlines(), delimiter="\t"))
    return {(row["corpus"], row["mode"], row["topic"], row["strategy"]): row for row in rows}


REFERENCES = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}


def literal_targets(fetched: Fetched, spelling: str, known: set[str]) -> list[str]:
    """Return the references of a page that, joined and nothing more, are spelt as in the archive.

    libxml2 gives what follows an early '</html>' a second root; like the reference, this sees the first.
    """
    try:
        root = document_fromstring(fetched.body)
    except ParserError:  # nothing in it: a page without links
        return []
    base = urljoin(spelling, next((each.get("href") for each in root.iter("base") if each.get("href")), ""))
    joined = []
    for element in root.iter(*REFERENCES):
        try:
            joined.append(urldefrag(urljoin(base, element.get(REFERENCES[element.tag], "").strip()))[0])
        except ValueError:
            continue
    return [target for target in dict.fromkeys(joined) if target in known and target != spelling]


def as_the_reference(place: ReplayStage) -> ReplayStage:
    """Let a stage show its pages as the reference read them."""
    ours = place.parse
    graph = graph_of(place.web, ours, place.cache)
    known = {place.web.spelling(url) for url in place.web.index}

    def parse(fetched: Fetched) -> Page:
        page = ours(fetched)
        if page.url not in READ:
            READ[page.url] = tuple(links_of(fetched, page))
        return replace(page, links=READ[page.url], offsets=())

    def links_of(fetched: Fetched, page: Page) -> list[Link]:
        words = in_running_text(page)
        links: list[Link] = []
        for target in literal_targets(fetched, place.web.spelling(page.url), known):
            url = parse_url(target)
            if graph.page_of(url) in graph.edges.links:
                links += words.get(url) or [Link(page.url, url)]
        return links

    place.parse = parse  # type: ignore[assignment]
    place._graph.append(graph)
    return place


def in_running_text(page: Page) -> dict[Url, list[Link]]:
    """Return the links of a page by target, each with 50 characters of running text on both sides."""
    text, at = " ".join(page.text.split()), 0
    found: dict[Url, list[Link]] = {}
    for link in page.links:
        anchor = " ".join(link.anchor.split())
        start = text.find(anchor, at) if anchor else -1
        if start >= 0:
            at = start + len(anchor)
            link = replace(link, context=text[max(0, start - 50) : at + 50])
        found.setdefault(link.target, []).append(link)
    return found


def run(arguments):
    """Return the area, pages and relevant pages of every strategy on one topic, read the reference's way."""
    corpus_name, mode, topic, strategies = arguments
    corpus = Corpus(CORPORA / corpus_name)
    folder = Path(os.environ.get("THRESHER_CHECK_CACHE", "/".join(["", "tmp", "thresher-check-lab"])))
    results = {}
    with stage(corpus, corpus.hidden(mode), folder) as place:
        as_the_reference(place)
        wanted, budget = len(place.relevant(topic)), 2 * len(corpus.relevant(topic))
        for contender in strategies:
            named = contender_of(contender)
            judge, model = named.judge or PAPERS_JUDGE, named.model or "labels"
            asked = ReplayPlan(
                topic, named.strategy, budget, model=model, judge=judge, parameters=named.parameters
            )
            steps = play(place, asked).steps
            hits = positions(step for step in steps if step.cost)
            pages = sum(step.outcome == "fetched" for step in steps)
            results[contender] = (pages, len(hits), area(hits, wanted, budget))
    return (corpus_name, mode, topic), results


@pytest.fixture(scope="module")
def found():
    strategies = (*EXACT, *TOLERANCES)
    runs = [
        (name, mode, topic, strategies) for name, mode in BLOCKS for topic in Corpus(CORPORA / name).topics
    ]
    assert len(runs) == 56
    with ProcessPoolExecutor(2) as pool:
        return dict(pool.map(run, runs))


def kept(topic):
    """Tell whether the reference's means count a topic: not tiny, and not solved by breadth-first."""
    first, oracle = (reference()[*topic, name] for name in EXACT)
    wanted = round(int(oracle["relevant"]) / float(oracle["recall"]))
    return wanted >= 20 and first["recall"] != oracle["recall"]


@pytest.mark.timeout(4 * 3600)  # on a busy machine it takes long
def test_breadth_first_and_the_label_oracle_equal_the_reference_topic_by_topic(found):
    different = {}
    for topic, results in found.items():
        for name in EXACT:
            row, (pages, relevant, curve) = reference()[*topic, name], results[name]
            same = (pages, relevant) == (int(row["fetched"]), int(row["relevant"]))
            if not same or abs(curve - float(row["auc"])) > 1e-4:
                different[*topic, name] = (pages, relevant, round(curve, 4), row["relevant"], row["auc"])
    assert not different


@pytest.mark.timeout(4 * 3600)  # on a busy machine it takes long
@pytest.mark.parametrize("contender", TOLERANCES)
def test_the_means_of_a_strategy_are_within_the_tolerance(found, contender):
    name, tolerance = TOLERANCES[contender]
    for block in BLOCKS:
        topics = [topic for topic in found if topic[:2] == block and kept(topic)]
        ours = sum(found[topic][contender][2] for topic in topics) / len(topics)
        theirs = sum(float(reference()[*topic, name]["auc"]) for topic in topics) / len(topics)
        print(f"{contender} {block}: {ours:.3f}, reference {theirs:.3f}")
        assert abs(ours - theirs) <= tolerance, (contender, block, ours, theirs)


@pytest.mark.parametrize(
    ("strategy", "relevant", "curve"), [("breadth_first", 45, 0.1985), ("label_oracle", 94, 0.501)]
)
def test_the_birds_are_found_as_printed(strategy, relevant, curve, tmp_path):
    """With our own reading of pages: on this corpus the two readings agree."""
    corpus = Corpus(CORPORA / "dev-wikispeedia")
    with stage(corpus, corpus.hidden("hard"), tmp_path) as place:
        steps = play(place, ReplayPlan("wiki-birds", strategy, 314)).steps
        hits = positions(step for step in steps if step.cost)
        assert len(hits) == relevant
        assert area(hits, 157, 314) == pytest.approx(curve, abs=5e-4)


WARCS = sorted((SHARED / "faults" / "data" / "warc").rglob("*.*arc*"))


@pytest.mark.parametrize("path", WARCS, ids=lambda path: path.name)
def test_every_archive_opens_as_a_corpus_without_a_crash(path, tmp_path):
    with ArchiveWeb(path) as web:
        pages = [url for url, _ in web.pages()]
        assert pages or not web.index or web.index.faults or web.index.left_out or len(web.index)


def test_the_archives_are_there():
    assert WARCS, "set THRESHER_SHARED to the folder with faults and corpora"
