"""Figures 3, 4 and 5 and Table I of Jamali et al. 2006 from runs of our own, beside the printed ones.

python scripts/jamali_figures.py CORPUS TOPIC,TOPIC,TOPIC [--pages N] [-o results/jamali]
python scripts/jamali_figures.py --all CORPUS,CORPUS     Table I over every topic of some size

Tables are printed, pictures written to a folder. The first topic is crawled from its hub, as the paper's
crawler was from a page of search results, and from a page off the topic, as it was from a portal. A segment
is a fiftieth of the pages.
"""

import sys
from argparse import ArgumentParser
from itertools import pairwise
from pathlib import Path
from statistics import mean

from msgspec import Struct

from thresher.report.charts import Chart, ChartLine, document
from thresher.settings.components import Parameter
from thresher_lab.corpus import Corpus, default_cache
from thresher_lab.replay import play
from thresher_lab.setup import ReplayPlan, ReplayStage, stage

SEGMENTS, WIDE = 50, 5  # of a run, and how many of them make one of Figure 3
CRAWLERS: dict[str, tuple[str, dict[str, Parameter]]] = {
    "focused": ("jamali", {}),
    "sound": ("jamali", {"sound": True}),
    "BFS": ("breadth_first", {}),
}
SEEDS = {"hub": ("hub",), "off topic": ("offtopic",)}
PRINTED = {  # Table I: relevant pages of 25,000, relative time, average harvest rate in per cent
    ("focused", "hub"): (19_904, 1.3, 85.5),
    ("BFS", "hub"): (4_346, 1.0, 25.56),
    ("focused", "off topic"): (18_320, 1.32, 67.2),
    ("BFS", "off topic"): (2_159, 1.05, 12.72),
}


class Run(Struct, frozen=True):
    """One crawl: how many pages of each segment were relevant."""

    crawler: str
    seed: str
    topic: str
    pages: int
    segments: tuple[int, ...]

    @property
    def relevant(self) -> int:
        """How many pages were relevant."""
        return sum(self.segments)

    @property
    def cumulative(self) -> list[float]:
        """The harvest rate after each segment."""
        size = self.pages / len(self.segments)
        return [sum(self.segments[: n + 1]) / (size * (n + 1)) for n in range(len(self.segments))]

    @property
    def ahr(self) -> float:
        """The mean of the cumulative rates, in per cent: the only reading that fits Table I."""
        return 100 * sum(self.cumulative) / len(self.segments)


def crawl(place: ReplayStage, topic: str, crawler: str, seed: str, pages: int) -> Run:
    """Run one crawler and cut its pages into segments."""
    name, parameters = CRAWLERS[crawler]
    steps = play(place, ReplayPlan(topic, name, pages, SEEDS[seed], "rich", parameters=parameters)).steps
    hits = [step.relevant for step in steps if step.cost]
    cuts = [round(len(hits) * n / SEGMENTS) for n in range(SEGMENTS + 1)]
    segments = tuple(sum(hits[a:b]) for a, b in pairwise(cuts))
    return Run(crawler, seed, topic, len(hits), segments)


def table(runs: list[Run]) -> str:
    """Return Table I, ours and the printed one side by side."""
    rows = [
        "| crawler | seed | pages | relevant | rate | AHR | printed: of 25,000 | AHR, % | time |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        relevant, time, ahr = PRINTED.get((run.crawler, run.seed), ("", "", ""))
        ours = f"{run.pages} | {run.relevant} | {run.relevant / run.pages:.1%} | {run.ahr:.1f} %"
        rows.append(f"| {run.crawler} | {run.seed} | {ours} | {relevant} | {ahr} | {time} |")
    return "\n".join(rows)


def chart(title: str, runs: list[Run], names: list[str]) -> Chart:
    """Return the harvest rate so far."""
    lines = []
    for run, name in zip(runs, names, strict=True):
        size = run.pages / SEGMENTS
        points = tuple((size * (n + 1), value) for n, value in enumerate(run.cumulative))
        lines.append(ChartLine(name, points))
    return Chart(title, "pages fetched", tuple(lines), percent=True, least_step=0.01)


def figure_3(runs: list[Run]) -> Chart:
    """Return the paper's four lines: relevant pages in segments wide enough to be read, as a share."""
    lines = []
    for run in (each for each in runs if each.crawler != "sound"):
        wide = [sum(run.segments[n : n + WIDE]) for n in range(0, SEGMENTS, WIDE)]
        size = run.pages / len(wide)
        points = tuple((size * (n + 1), count / size) for n, count in enumerate(wide))
        lines.append(ChartLine(f"{run.crawler}, {run.seed.split()[0]}", points))
    title = "Relevant pages of each 200"
    return Chart(title, "pages fetched", tuple(lines), percent=True, least_step=0.01)


def draw(folder: Path, runs: list[Run], others: list[Run]) -> None:
    """Write the pictures."""
    names = [f"{run.crawler}, {run.seed.split()[0]}" for run in runs]
    topics = [run for run in (*runs, *others) if (run.crawler, run.seed) == ("focused", "hub")]
    charts = {
        "figure-3.svg": figure_3(runs),
        "figure-4.svg": chart("Harvest rate", runs, names),
        "figure-5.svg": chart("Harvest rate by topic", topics, [run.topic for run in topics]),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, drawn in charts.items():
        (folder / name).write_text(document([drawn]), encoding="utf-8")


def survey(corpora: list[Path], cache: Path) -> str:
    """Return Table I as means over every topic that fills its segments, corpus by corpus."""
    rows = [
        "| corpus | topics | seed | focused | sound | BFS | focused: AHR | sound | BFS | f:BFS | s:BFS |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for corpus in map(Corpus, corpora):
        with stage(corpus, cache=cache) as place:
            topics = [name for name in corpus.topics if len(place.relevant(name)) >= SEGMENTS]
            for seed in SEEDS:
                runs = [[_twice(place, name, crawler, seed) for crawler in CRAWLERS] for name in topics]
                rows.append(f"| {corpus.name} | {len(topics)} | {seed} | {_means(runs)} |")
    return "\n".join(rows)


def _twice(place: ReplayStage, topic: str, crawler: str, seed: str) -> Run:
    """Run one crawler for twice as many pages as are relevant."""
    run = crawl(place, topic, crawler, seed, 2 * len(place.relevant(topic)))
    print(f"{topic}, {crawler}, {seed}: {run.relevant} of {run.pages} pages", file=sys.stderr)
    return run


def _means(runs: list[list[Run]]) -> str:
    """Return the mean rate and AHR of each crawler, and in how many topics it has more or less than BFS."""
    rates = [f"{mean(run.relevant / run.pages for run in each):.1%}" for each in zip(*runs, strict=True)]
    ahrs = [f"{mean(run.ahr for run in each):.1f} %" for each in zip(*runs, strict=True)]
    focused, sound, bfs = ([run.relevant for run in each] for each in zip(*runs, strict=True))
    return " | ".join((*rates, *ahrs, _ahead(focused, bfs), _ahead(sound, bfs)))


def _ahead(ours: list[int], theirs: list[int]) -> str:
    """Return in how many topics ours are more, and in how many less."""
    pairs = list(zip(ours, theirs, strict=True))
    return f"{sum(a > b for a, b in pairs)}:{sum(a < b for a, b in pairs)}"


def main() -> None:
    """Run the crawls, print the table and write the pictures."""
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus")
    parser.add_argument("topics", nargs="?", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--pages", type=int, default=25_000)
    parser.add_argument("-o", "--output", type=Path, default=Path("results/jamali"))
    asked = parser.parse_args()
    if asked.all:
        print(survey([Path(each) for each in asked.corpus.split(",")], asked.cache))
        return
    first, *more = asked.topics.split(",")
    corpus = Corpus(Path(asked.corpus))
    with stage(corpus, cache=asked.cache) as place:
        play(
            place, ReplayPlan(first, "breadth_first", asked.pages)
        )  # so that every page is parsed before the clock runs
        runs = [crawl(place, first, crawler, seed, asked.pages) for seed in SEEDS for crawler in CRAWLERS]
        others = [crawl(place, topic, "focused", "hub", asked.pages) for topic in more]
    print(table(runs))
    draw(asked.output, runs, others)


if __name__ == "__main__":
    main()
