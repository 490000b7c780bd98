"""Bad inputs: what a strategy makes of little knowledge, wrong seeds, a topic that is hardly there, and lies.

Every hardship is met in many runs, each beside breadth-first on the same web from the same seeds. A strategy
bears it if the interval of the paired difference reaches zero.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from thresher.core.records import Url
from thresher.experiments.synthetic_webs import lying_host, many_hosts
from thresher.lab.contender import contender_of, plan_of
from thresher.lab.corpus import DEFAULT_SEEDS, Corpus
from thresher.lab.measures import area, positions
from thresher.lab.record import record_practice
from thresher.lab.replay import play
from thresher.lab.setup import Stage, budget_of, stage
from thresher.lab.statistics import cluster_bootstrap
from thresher.lab.tables import Grid

YARDSTICK = "breadth_first"
LEFT = 5  # relevant pages that are left where a topic is hardly there
SEARCHED = 300  # pages, in search of them
TOPICS = 12  # of a practice web
INVENTED = {"a host that lies": lying_host, "a thousand hosts with one page each": many_hosts}


class Borne(Struct, frozen=True):
    """The areas of a strategy and of breadth-first under one hardship."""

    hardship: str
    corpus: str
    topic: str
    strategy: str
    own: float
    breadth_first: float


def on_corpus(corpus: Corpus, contender: str, runs: int, cache: Path) -> Iterator[Borne]:
    """Yield the runs of the hardships that a recorded web allows, topics in turn."""
    topics = list(corpus.topics)
    for number in range(runs):
        topic = topics[number % len(topics)]
        dice = Random(f"{topic} {number}")
        with stage(corpus, cache=cache) as place:
            seed = DEFAULT_SEEDS[number // len(topics) % len(DEFAULT_SEEDS)]
            yield _run("one seed and one keyword", place, topic, f"{contender}+keyword", (seed,))
            yield _run(
                "seeds that are all off topic", place, topic, contender, _strangers(place, topic, dice)
            )
        with stage(corpus, _all_but_few(corpus, topic, dice), cache) as place:
            seeds = _strangers(place, topic, dice)
            yield _run("a topic that is hardly there", place, topic, contender, seeds, str(SEARCHED))


def on_invented(contender: str, runs: int, cache: Path) -> Iterator[Borne]:
    """Yield the runs of the hardships that are invented, each on a web of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name, write in INVENTED.items():
            for number in range(runs):
                corpus = write(Path(folder) / f"{write.__name__}-{number}", number)
                with stage(corpus, cache=cache) as place:
                    yield replace(_run(name, place, "kites", contender, DEFAULT_SEEDS), corpus="invented")


def on_practice(contender: str, runs: int, cache: Path) -> Iterator[Borne]:
    """Yield runs on practice webs, where some pages are stuffed with the name of a topic, topics in turn."""
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, runs, TOPICS):
            corpus = record_practice(Path(folder) / f"practice-{first}", seed=1 + first // TOPICS)
            with stage(corpus, cache=cache) as place:
                for topic in [*corpus.topics][: min(TOPICS, runs - first)]:
                    run = _run("pages that are stuffed", place, topic, contender, DEFAULT_SEEDS)
                    yield replace(run, corpus="practice")


def table(runs: Sequence[Borne]) -> Grid:
    """Return the mean areas under each hardship, and the interval of their difference."""
    names: dict[tuple[str, str], list[Borne]] = {}
    for run in runs:
        names.setdefault((run.hardship, run.corpus), []).append(run)
    rows = []
    for (hardship, corpus), some in names.items():
        difference = cluster_bootstrap([[run.own - run.breadth_first] for run in some])
        rows.append(
            (
                hardship,
                corpus,
                str(len(some)),
                f"{fmean(run.own for run in some):.3f}",
                f"{fmean(run.breadth_first for run in some):.3f}",
                f"{difference.mean:+.3f}",
                f"{difference.low:+.3f} to {difference.high:+.3f}",
            )
        )
    heads = ("hardship", "web", "runs", runs[0].strategy, YARDSTICK, "difference", "95 % interval")
    return Grid("Mean area under the recall curve, by pages", heads, tuple(rows))


def _run(
    hardship: str, place: Stage, topic: str, contender: str, seeds: tuple[str, ...], pages: str = "2x"
) -> Borne:
    areas = [_area(place, topic, name, seeds, pages) for name in (contender, YARDSTICK)]
    return Borne(hardship, place.corpus.name, topic, contender.removesuffix("+keyword"), *areas)


def _area(place: Stage, topic: str, contender: str, seeds: tuple[str, ...], pages: str) -> float:
    wanted = len(place.relevant(topic))
    plan = plan_of(contender_of(contender), topic, budget_of(pages, wanted), seeds, "rich")
    return area(positions(step for step in play(place, plan).steps if step.cost), wanted, plan.pages)


def _strangers(place: Stage, topic: str, dice: Random) -> tuple[Url, ...]:
    """Return three pages that are not relevant, from which others can be reached."""
    relevant = place.corpus.relevant(topic)
    others = [
        url for url, links in place.graph.edges.links.items() if links and url not in relevant | place.hidden
    ]
    return tuple(dice.sample(sorted(others), 3))


def _all_but_few(corpus: Corpus, topic: str, dice: Random) -> frozenset[Url]:
    relevant = sorted(corpus.relevant(topic))
    return frozenset(relevant) - frozenset(dice.sample(relevant, min(LEFT, len(relevant))))
