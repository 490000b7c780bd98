"""The verb `demo`: two crawls of a generated web, over HTTP on this machine, and a day later."""

import asyncio
import os
import shutil
import sys
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from textwrap import fill

import click
from msgspec import Struct

from thresher.build import CrawlResult
from thresher.build.revisit import RevisitResult
from thresher.cli.output import show_logs
from thresher.cli.revisit import run_revisit
from thresher.cli.run import carry_out
from thresher.core.clock import VirtualClock
from thresher.core.enums import ChangeKind, Outcome
from thresher.core.errors import UsageError
from thresher.core.files import atomic_write
from thresher.core.progress import FinishKind
from thresher.core.records import Topic, Url
from thresher.core.url import key_of
from thresher.engine.revisit import RevisitTask
from thresher.export.wording import many, number, percent, plain
from thresher.freshness.page_state import DAY
from thresher.report.changes import ChangeItem, changes_of
from thresher.report.crawl_report import page_of
from thresher.report.figures import Figures, figures_of
from thresher.search.reader import spelt
from thresher.serve.files import shown_copy
from thresher.serve.requests import Problem
from thresher.settings.load import read
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels
from thresher_practice import PracticeWeb
from thresher_practice.server import LOOPBACK, serve
from thresher_practice.web import STANDSTILL

# Copies beside a report, so that its links work when the web that was crawled is gone


POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
HEAD = f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{POLICY}">'


def save_copies(runs: Sequence[Figures], place: Path) -> dict[Url, str]:
    """Write a copy of every page that a report of these crawls links to, and return where each is."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    saved: dict[Url, str] = {}
    for run in runs:
        folder = CrawlFolder(Path(run.folder))
        for url in _linked(run):
            file = place / f"{spelt(key_of(url))}.html"
            if url not in saved and _save(folder, url, file):
                saved[url] = f"{place.name}/{file.name}"
    return saved


def _linked(run: Figures) -> Iterator[Url]:
    """Yield the pages that a report links to."""
    yield from (page.url for page in run.top)
    yield from (suggestion.url for suggestion in run.learned.suggestions) if run.learned else ()
    yield from (change.url for change in run.kept.changes) if run.kept else ()


def _save(folder: CrawlFolder, url: Url, file: Path) -> bool:
    """Write the latest copy that the archive has of a page, without what acts; tell if there is one."""
    with folder.open() as store:
        visits = [revisit.visit for revisit in store.visits_to(key_of(url)) if revisit.has_copy]
    if not visits:
        return False
    try:
        kind, text = shown_copy(folder, max(visits))
    except Problem:
        return False
    if kind != "text/html":
        return False
    file.write_text(HEAD + text.removeprefix("<!doctype html>"), encoding="utf-8")
    return True


REVISIT_BUDGET = 150
LINE = 88  # characters of the changed line that is shown


class Later(Struct, frozen=True):
    """What a day has changed."""

    result: RevisitResult
    example: ChangeItem | None  # the change that takes the fewest characters to show


async def a_day_later(clock: VirtualClock, crawl: CrawlFolder) -> Later:
    """Let a day pass on the practice web, and look at the pages that are worth it."""
    await clock.sleep(DAY)
    settings = crawl.asked_again([("stop", {"pages": 0})])
    result = await run_revisit(crawl, RevisitTask(REVISIT_BUDGET, once=True, discover=0.0), settings)
    substantive = [
        item for item in changes_of(crawl) if item.substantive and item.kind is ChangeKind.TEXT and item.words
    ]
    return Later(result, min(substantive, key=lambda item: len(_line(item)), default=None))


def _line(item: ChangeItem) -> str:
    """Return the shortest line of a change that says something."""
    return min((line for line in item.words if len(line) > LINE // 2), key=len, default=item.words[0])


def lines_of(later: Later) -> Iterator[str]:
    """Yield what the demo says of it: the figure, and one diff as an example."""
    result = later.result
    end = ":" if later.example else "."
    pages = many(result.revisits, "page")
    yield f"A day later {number(result.substantive)} of {pages} revisited had changed{end}"
    if later.example:
        yield f"  {later.example.url}\n  {plain(_line(later.example), LINE)}\n"


EXAMPLES = """\b
Examples:
  thresher demo
  thresher demo --seed 2 -o demo-2
"""

TOPIC = "beekeeping"
PAGES = 600  # a fifth of the practice web: enough to tell the strategies apart
STRATEGIES = ("breadth_first", "thresher")
AT_ONCE = 8
COPIES = "copies"
LINKS = (
    "Titles lead to saved copies, without pictures and scripts: the practice web was there for the demo only."
)
UNREACHED = (
    "No page of the web that the demo serves on 127.0.0.1 could be fetched: something here "
    "forbids it. 'thresher crawl beekeeping' crawls the practice web without any network."
)
HONESTY = (
    "The crawler was given one word, 'beekeeping'. The web was generated, so which pages are about it is "
    "known, and table, report and dashboard count these (labels.csv). This shows that the crawler behaves; "
    "it is no evidence of how well it does on the real web."
)


class DemoHarvest(Struct, frozen=True):
    """One crawl of the demo, counted by the labels of the practice web alone, so that its figures divide."""

    strategy: str
    result: CrawlResult
    found: int  # pages about the topic
    exist: int  # on that web
    reachable: int  # of them, by links from the seeds

    @property
    def recall(self) -> float:
        """Return the share of the pages about the topic that was found."""
        return self.found / self.exist

    @property
    def rate(self) -> float:
        """Return the share of the pages fetched that is about the topic."""
        return self.found / max(1, self.result.pages)


@click.command(epilog=EXAMPLES)
@click.option("--seed", type=int, default=1, show_default=True, help="Which practice web to make.")
@click.option("-o", "--output", metavar="FOLDER", default="demo", show_default=True, help="Where to keep it.")
@click.option("-v", "--verbose", count=True, help="Show every visit on stderr; twice: everything.")
def command(seed: int, output: str, verbose: int) -> int:
    """Crawl a generated web on this machine, compared with breadth-first.

    A web of thousands of pages is made from the seed and served on this machine; nothing leaves it. Both
    crawls fetch the same number of pages: one breadth-first, the other learns which links lead to relevant
    pages. Then a day passes on that web, and the best pages are fetched again.
    """
    show_logs(verbose)
    folder = Path(output)
    make_room(folder)
    harvests, later = asyncio.run(crawl_twice(seed, folder))
    if later is None:
        click.echo("Interrupted; run the demo again to see both harvests.", err=True)
        return 11
    crawls = [CrawlFolder(folder / harvest.strategy) for harvest in harvests]
    told = ", ".join(f"{number(harvest.found)} by {harvest.strategy}" for harvest in harvests)
    remark = (
        f"Found of {number(harvests[0].exist)} pages about the topic: {told}. {_reach(harvests[0])} {HONESTY}"
    )
    report = _write_report(crawls[::-1], folder / "report.html", remark)
    click.echo("\n".join(_lines(seed, harvests, later, crawls[-1], report)))
    return 0


def make_room(folder: Path) -> None:
    """Remove an earlier demo, and nothing that is not one."""
    ours = {*STRATEGIES, "report.html", COPIES}
    found = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if folder.is_file() or found - ours:
        raise UsageError(f"{folder} holds something that is no demo. Choose another folder with -o.")
    for name in sorted(found & set(STRATEGIES)):
        shutil.rmtree(folder / name)


def _write_report(crawls: Sequence[CrawlFolder], file: Path, remark: str) -> Path:
    """Write the report of both crawls; its links lead to copies, because that web ends with the demo."""
    runs = [figures_of(crawl) for crawl in crawls]
    copies = save_copies(runs, file.with_name(COPIES))
    with atomic_write(file) as page:
        page.write(page_of(runs, f"{remark} {LINKS}", copies).encode())
    return file


async def crawl_twice(seed: int, folder: Path) -> tuple[list[DemoHarvest], Later | None]:
    """Crawl one practice web with each strategy, over HTTP on the loopback interface, and look again."""
    harvests: list[DemoHarvest] = []
    clock = VirtualClock(float(STANDSTILL))
    server = serve(PracticeWeb(seed, clock))
    async with server:
        for strategy in STRATEGIES:
            harvests.append(await _crawl(strategy, server.web, CrawlFolder(folder / strategy)))
            if harvests[-1].result.finish is FinishKind.INTERRUPTED:
                return harvests, None
            if not harvests[-1].result.pages:
                raise UsageError(UNREACHED)
        later = await a_day_later(clock, CrawlFolder(folder / STRATEGIES[-1]))
        for strategy in STRATEGIES:
            _label(CrawlFolder(folder / strategy), server.web.labels(TOPIC))
    return harvests, None if later.result.finish is FinishKind.INTERRUPTED else later


async def _crawl(strategy: str, practice: PracticeWeb, folder: CrawlFolder) -> DemoHarvest:
    topic = next(topic for topic in practice.topics if topic.name == TOPIC)
    labels, led = practice.labels(TOPIC), practice.reachable(TOPIC)
    result = await carry_out(_settings(strategy, topic), folder, f"{TOPIC} with {strategy}", labels=labels)
    return DemoHarvest(strategy, result, len(_fetched(folder) & labels), len(labels), len(led))


def _settings(strategy: str, topic: Topic) -> Settings:
    """Return the settings of a crawl of this machine alone, as fast as it can be."""
    web = {"kind": "live", "delay": 0.0, "wait_for_better": 0.0, "allow_networks": [f"{LOOPBACK}/32"]}
    overrides = {
        "topic": {"name": topic.name},
        "seeds": topic.seeds,
        "strategy": strategy,
        "web": {**web, "concurrency": AT_ONCE, "per_address": AT_ONCE},
        "stop": {"pages": PAGES},
    }
    return read(None, list(overrides.items()))


def _label(folder: CrawlFolder, relevant: Set[Url]) -> None:
    """Label every page fetched as the practice web knows it, so that all that is shown counts alike."""
    Labels(folder.labels).add({url: url in relevant for url in _fetched(folder)})


def _fetched(folder: CrawlFolder) -> set[Url]:
    with folder.open() as store:
        return {visit.candidate.url for visit in store.visits() if visit.outcome is Outcome.FETCHED}


def _lines(
    seed: int, harvests: Sequence[DemoHarvest], later: Later, best: CrawlFolder, report: Path
) -> Iterator[str]:
    wide, focused = harvests
    times = focused.found / max(1, wide.found)
    yield f"{focused.strategy} found {times:.1f} times as many pages about {TOPIC} as {wide.strategy}."
    title = f"practice web {seed}: {number(wide.exist)} are about it"
    yield f"\n{title:<36}{'pages':>8}{'about it':>10}{'harvest':>10}{'recall':>10}"
    for harvest in harvests:
        figures = f"{number(harvest.result.pages):>8}{number(harvest.found):>10}{percent(harvest.rate):>10}"
        yield f"{harvest.strategy:<36}{figures}{percent(harvest.recall):>10}"
    yield f"\n{fill(f'{_reach(wide)} {HONESTY}', 88)}\n"
    yield from lines_of(later)
    yield f"Report: {report}"
    yield from _next_steps(seed, best)


def _reach(harvest: DemoHarvest) -> str:
    led, exist = number(harvest.reachable), number(harvest.exist)
    return f"Links lead to {led} of the {exist} pages about the topic; the others no crawl reaches."


def _next_steps(seed: int, best: CrawlFolder) -> Iterator[str]:
    store = best.open()
    top = store.best_pages(1)[0][0]
    store.close()
    thresher = _ourselves()
    yield "\nWhat to try next:"
    yield f"  {thresher} why {top} {best.path}"
    yield f"  {thresher} search {best.path} honey"
    yield f"  {thresher} revisit --list {best.path}"
    yield f"  {thresher} crawl cider --pages 500"
    yield f"  {thresher} demo --seed {seed + 1}"
    yield "\nSee it in a browser:"
    yield f"  {thresher} serve {best.path.parent} --open"


def _ourselves() -> str:
    """Return how the user can call this command again."""
    if shutil.which("thresher"):
        return "thresher"
    return "python -m thresher" if sys.argv[0].endswith(".py") else os.path.relpath(sys.argv[0])
