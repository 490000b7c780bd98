"""Bad inputs: what a strategy makes of little knowledge, wrong seeds, a rare topic, and lies."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from random import Random
from statistics import fmean

import click
from msgspec import Struct
from msgspec.structs import replace

from thresher.core.records import Candidate, Fetched, Url
from thresher.core.url import parse
from thresher_lab.cli.options import FOLDER, tell
from thresher_lab.contenders.named import check, contender_of, plan_of
from thresher_lab.corpus import DEFAULT_SEEDS, Corpus, CorpusTopic, default_cache
from thresher_lab.measures import area, positions
from thresher_lab.record import record_pages, record_practice, write_corpus
from thresher_lab.replay import play
from thresher_lab.setup import ReplayStage, budget_of, stage
from thresher_lab.statistics import cluster_bootstrap
from thresher_lab.tables import Grid

# Invented webs that make life hard: a host that lies, and a thousand hosts with one page each.
#
# Both are about kites. Honest pages use the words of their subject among everyday ones, and link to their own
# kind more often than not. They show how a strategy behaves; they prove no merit.


KITES = "kite string tail spar bridle gust sail reel knot wind".split()
OTHERS = (
    "soup onion pepper stock ladle".split(),
    "violin bow string tune concert".split(),
    "brick mortar wall trowel arch".split(),
)
EVERYDAY = (
    "morning people little always street house garden letter water table summer winter evening friend story "
    "paper window picture number market river village answer question visit"
).split()
HONEST, FARM, FARM_LINKS, HOSTS = 400, 300, 30, 1_000
SHARE = 0.15  # of honest pages that are about kites


class PageDraft(Struct):
    """One page before it is written down."""

    url: Url
    subject: Sequence[str]
    links: list[tuple[Url, str]] = []

    @property
    def wanted(self) -> bool:
        """Whether it is about kites."""
        return self.subject is KITES


def lying_host(folder: Path, seed: int) -> Corpus:
    """Write a web in which one host stuffs its pages with the words of the topic and links to itself."""
    dice = Random(f"lies {seed}")
    honest = [_sheet(f"http://site{n % 8}.test/{n}.html", dice) for n in range(HONEST)]
    farm = [PageDraft(parse(f"http://farm.test/kite-{n}.html"), ()) for n in range(FARM)]
    _link(honest, dice)
    for sheet in farm:
        sheet.links = [(each.url, "kite string kite") for each in dice.sample(farm, FARM_LINKS)]
    for sheet in dice.sample(honest, 20):
        sheet.links.append((dice.choice(farm).url, "kite kite"))
    seeds = _seeds(honest, dice)
    seeds[0].links.append((farm[0].url, "kite kite kite"))
    return _write(folder, honest, farm, seeds, dice)


def many_hosts(folder: Path, seed: int) -> Corpus:
    """Write a web of a thousand hosts with one page each, and a portal that lists them in no order."""
    dice = Random(f"hosts {seed}")
    honest = [_sheet(f"http://host{n}.test/", dice) for n in range(HOSTS)]
    _link(honest, dice)
    portal = [PageDraft(parse(f"http://portal.test/{n}.html"), EVERYDAY) for n in range(20)]
    for place, sheet in enumerate(portal):
        listed = honest[place::20]
        sheet.links = [(each.url, _anchor(each, dice)) for each in listed]
        sheet.links.append((portal[(place + 1) % 20].url, "more"))
    return _write(folder, honest + portal, [], [*_seeds(honest, dice)[:2], portal[0]], dice)


def _sheet(url: str, dice: Random) -> PageDraft:
    return PageDraft(parse(url), KITES if dice.random() < SHARE else dice.choice(OTHERS))


def _link(sheets: Sequence[PageDraft], dice: Random) -> None:
    """Let each page link to eight others, half of them of its own subject."""
    kinds: dict[str, list[PageDraft]] = {}
    for sheet in sheets:
        kinds.setdefault(sheet.subject[0], []).append(sheet)
    for sheet in sheets:
        targets = dice.choices(kinds[sheet.subject[0]], k=4) + dice.choices(sheets, k=4)
        sheet.links = [(each.url, _anchor(each, dice)) for each in targets]


def _anchor(sheet: PageDraft, dice: Random) -> str:
    """Return a text that says what the page is about in two cases of three."""
    return dice.choice(sheet.subject) if dice.random() < 2 / 3 else dice.choice(EVERYDAY)


def _seeds(sheets: Sequence[PageDraft], dice: Random) -> list[PageDraft]:
    """Return two pages about kites and one that is not."""
    wanted = [sheet for sheet in sheets if sheet.wanted]
    return [*dice.sample(wanted, 2), dice.choice([sheet for sheet in sheets if not sheet.wanted])]


def _write(
    folder: Path,
    honest: Sequence[PageDraft],
    farm: Sequence[PageDraft],
    seeds: Sequence[PageDraft],
    dice: Random,
) -> Corpus:
    folder.mkdir(parents=True)
    record_pages(folder, [_page(sheet, dice) for sheet in (*honest, *farm)])
    names: dict[str, str | int] = {name: sheet.url for name, sheet in zip(DEFAULT_SEEDS, seeds, strict=True)}
    topic = CorpusTopic("kites", "Sport/Kite", keywords=("kite", "bridle", "spar"), seeds=names)
    wanted = [sheet.url for sheet in honest if sheet.wanted]
    labels: Mapping[Url, str] = dict.fromkeys(wanted, "kites")
    write_corpus(folder, [topic], {"kites": wanted}, labels, "an invented web, made from its labels.")
    return Corpus(folder)


def _page(sheet: PageDraft, dice: Random) -> Fetched:
    """Return the page as its server would send it; one without a subject is stuffed."""
    said = dice.choices(sheet.subject, k=12) if sheet.subject else KITES * 20
    said = said + dice.choices(EVERYDAY, k=60 if sheet.subject else 10)
    dice.shuffle(said)
    links = "".join(f'<p><a href="{url}">{text}</a></p>' for url, text in sheet.links)
    body = f"<html><title>{said[0]}</title><body><p>{' '.join(said)}</p>{links}</body></html>"
    return Fetched(
        Candidate(sheet.url), sheet.url, 200, (("content-type", "text/html; charset=utf-8"),), body.encode()
    )


# Bad inputs: what a strategy makes of little knowledge, wrong seeds, a topic that is hardly there, and lies.
#
# Every hardship is met in many runs, each beside breadth-first on the same web from the same seeds. A
# strategy bears it if the interval of the paired difference reaches zero.


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
    hardship: str, place: ReplayStage, topic: str, contender: str, seeds: tuple[str, ...], pages: str = "2x"
) -> Borne:
    areas = [_area(place, topic, name, seeds, pages) for name in (contender, YARDSTICK)]
    return Borne(hardship, place.corpus.name, topic, contender.removesuffix("+keyword"), *areas)


def _area(place: ReplayStage, topic: str, contender: str, seeds: tuple[str, ...], pages: str) -> float:
    wanted = len(place.relevant(topic))
    plan = plan_of(contender_of(contender), topic, budget_of(pages, wanted), seeds, "rich")
    return area(positions(step for step in play(place, plan).steps if step.cost), wanted, plan.pages)


def _strangers(place: ReplayStage, topic: str, dice: Random) -> tuple[Url, ...]:
    """Return three pages that are not relevant, from which others can be reached."""
    relevant = place.corpus.relevant(topic)
    others = [
        url for url, links in place.graph.edges.links.items() if links and url not in relevant | place.hidden
    ]
    return tuple(dice.sample(sorted(others), 3))


def _all_but_few(corpus: Corpus, topic: str, dice: Random) -> frozenset[Url]:
    relevant = sorted(corpus.relevant(topic))
    return frozenset(relevant) - frozenset(dice.sample(relevant, min(LEFT, len(relevant))))


# The command


EXAMPLES = """\b
Examples:
  thresher lab hardship
  thresher lab hardship my-corpus --strategy shark_search --runs 10
"""


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1)
@click.option("--strategy", default="thresher", show_default=True, help="As for lab compare.")
@click.option("--runs", type=click.IntRange(1), default=20, show_default=True, help="Of each hardship.")
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), help="Where pages are kept.")
@click.option("--json", "as_json", is_flag=True, help="Print every run as JSON, one a line.")
def hardship(folders: tuple[Path, ...], strategy: str, runs: int, cache: Path | None, as_json: bool) -> None:
    """Set a strategy beside breadth-first where there is little to go by, or where pages lie.

    A host that lies and a thousand hosts are invented webs, practice webs have stuffed pages. On recorded
    webs: one seed and one keyword, seeds that are all off topic, a topic that is hardly there.
    """
    check(contender_of(strategy))
    kept, borne = cache or default_cache(), list[Borne]()
    recorded = [on_corpus(corpus, strategy, runs, kept) for corpus in map(Corpus, folders)]
    for run in chain(*recorded, on_invented(strategy, runs, kept), on_practice(strategy, runs, kept)):
        click.echo(f"{run.corpus} {run.topic}: {run.hardship}", err=True)
        borne.append(run)
    tell(borne, table(borne), as_json)
