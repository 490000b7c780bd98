"""The verb `report`: what a crawl found, on one page; several crawls are drawn side by side."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from thresher.cli.options import judged_crawl
from thresher.cli.output import print_json
from thresher.core.errors import UsageError
from thresher.core.files import atomic_write
from thresher.export.wording import harvest, like_it, outlook, plain
from thresher.report.crawl_report import page_of, picture_of
from thresher.report.figures import Figures, best_of, ended, figures_of, tables_of
from thresher.report.learned import LearnedReport, SuggestedPage
from thresher.store.folder import CrawlFolder

EXAMPLES = """\b
Examples:
  thresher report beekeeping
  thresher report beekeeping --top 20
  thresher report wide narrow -o comparison.html
  thresher report wide narrow --svg harvest.svg
"""

ROWS = 20  # of a table, unless --top says otherwise
BEST, FEW = 10, 3  # pages told of one crawl, and of each of several
LESSONS = 5  # of each kind; the page has more


@click.command(epilog=EXAMPLES)
@click.argument("folders", nargs=-1, metavar="[FOLDER]...")
@click.option(
    "-o", "--output", metavar="FILE", help="Where to write it; default: report.html in the first folder."
)
@click.option("--svg", metavar="FILE", help="Write only the curves, as a picture.")
@click.option(
    "--top",
    default=0,
    metavar="N",
    help="Print the N best pages, by the strategy's own score if it has one; write nothing.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the figures and how every URL ended as JSON; write nothing.",
)
@click.option(
    "--learned", is_flag=True, help="Print also which hosts, folders and words brought relevant pages."
)
@click.option(
    "--labels", is_flag=True, help="Print also the pages whose label would help most, with the command."
)
@click.option("--tables", is_flag=True, help="Print the tables of the strategy's paper; write nothing.")
def command(
    folders: tuple[str, ...],
    output: str | None,
    svg: str | None,
    top: int,
    as_json: bool,
    learned: bool,
    labels: bool,
    tables: bool,
) -> None:
    """Write the report of one crawl, or of several side by side.

    The report is one HTML page without scripts: the harvest, what relevant means, the top pages, hosts,
    outcomes, refused links by reason, and the settings as run. The terminal shows the ten best pages of each
    crawl. A crawl with the strategy `thresher` also tells what it learned, and which labels would help it.
    """
    crawls = [judged_crawl(name) for name in folders or (None,)]
    if tables:
        for crawl in crawls:
            click.echo("\n".join(_tables(crawl, top or ROWS)))
        return
    if top:
        _print_best(crawls, top, as_json)
        return
    runs = [figures_of(crawl) for crawl in crawls]
    if as_json:
        _print_figures(runs, crawls)
        return
    file = Path(svg or output or crawls[0].report)
    end = _save(file, picture_of(runs) if svg else page_of(runs), is_named=bool(svg or output))
    for run in runs:
        click.echo(f"{harvest(run.relevant, run.pages)} by {run.strategy}, {run.finish_reason}.")
        for line in () if svg else outlook(run.forecast):
            click.echo(line)
        for line in () if svg else _told(run, BEST if len(runs) == 1 else FEW, learned, labels):
            click.echo(line)
    click.echo(end or f"{'Picture' if svg else 'Report'}: {file}", err=bool(end))


def _told(run: Figures, most: int, learned: bool, labels: bool) -> Iterator[str]:
    """Yield the best pages, then what was asked for of what the crawl learned, or how to ask for it."""
    for place, page in enumerate(run.top[:most], start=1):
        yield f"{place:>4}  {page.relevance:.2f}  {plain(page.title, 80) or page.url}{like_it(page.alike)}"
        yield f"            {page.url}"
        if page.excerpt:
            yield f"            {plain(page.excerpt, 110)}"
    if run.learned is None:
        return
    yield from _lessons(run.learned) if learned else ()
    yield from _suggestions(run.learned.suggestions) if labels else ()
    if not (learned or labels):
        asked = (
            f", and {len(run.learned.suggestions)} pages whose label would help: --labels"
            if run.learned.suggestions
            else ""
        )
        yield f"More: what the crawl learned: --learned{asked}."


def _print_figures(runs: Sequence[Figures], crawls: Sequence[CrawlFolder]) -> None:
    """Print the figures of each crawl and how every URL ended."""
    pairs = zip(runs, crawls, strict=True)
    print_json({"crawls": [{**msgspec.to_builtins(run), "visits": ended(crawl)} for run, crawl in pairs]})


def _save(file: Path, text: str, *, is_named: bool) -> str:
    """Write a report; if its folder can only be read, and was not chosen, return where else it may go."""
    if file.parent.is_dir() and not os.access(file.parent, os.W_OK):
        sentence = f"{file.parent} can only be read; name another place for the report with -o."
        if is_named:
            raise UsageError(sentence)
        return sentence
    with atomic_write(file) as opened:
        opened.write(text.encode())
    return ""


def _lessons(learned: LearnedReport) -> Iterator[str]:
    """Yield what a crawl has learned."""
    told = {
        "host": learned.hosts,
        "folder": learned.folders,
        "section": learned.sections,
        "word": learned.words,
    }
    for title, lessons in [
        *((f"Best {kind}s", each) for kind, each in told.items()),
        ("Traps", learned.traps),
    ]:
        if lessons:
            yield f"\n{title}: gain over usual visits, visits, what one was worth"
        for lesson in lessons[:LESSONS]:
            yield f"{lesson.gain:>+8.1f} {lesson.visits:>6} {lesson.brought:>6.2f}  {plain(lesson.name, 120)}"


def _suggestions(suggestions: Sequence[SuggestedPage]) -> Iterator[str]:
    """Yield what to paste so that a crawl learns more."""
    if suggestions:
        yield "\nLabel these next; write no for yes if the page is not what you want:"
    for suggestion in suggestions:
        yield f"  {suggestion.score:.2f}  {plain(suggestion.title, 80)}"  # foreign text: not by the command
        yield f"        {suggestion.command}"


def _print_best(crawls: Sequence[CrawlFolder], top: int, as_json: bool) -> None:
    """Print the best pages of each crawl."""
    listed = {str(crawl.path): best_of(crawl, top) for crawl in crawls}
    if as_json:
        print_json(listed)
        return
    for folder, pages in listed.items():
        by = pages[0].scored_by if pages else "no judge"
        click.echo(f"The {len(pages)} best pages in {folder}, scored by {by}")
        for place, page in enumerate(pages, start=1):
            title = f"{plain(page.title, 80)}{like_it(page.alike)}"
            click.echo(f"{place:>4}  {page.score:.3f}  {page.url}  {title}")


def _tables(crawl: CrawlFolder, most: int) -> Iterator[str]:
    """Yield the tables of a strategy's paper, the first rows of each."""
    found = tables_of(crawl)
    if not found:
        yield f"{crawl.path}: its strategy keeps no table that a paper draws; those of the five papers do."
    for table in found:
        yield f"{table.name}, {min(most, len(table.rows))} of {len(table.rows)}"
        yield _in_columns(table.heads)
        yield from map(_in_columns, table.rows[:most])
        yield ""


def _in_columns(cells: Sequence[str]) -> str:
    """Return a row with its figures right under each other; the last column says what they are of."""
    return "  ".join([*(f"{cell:>15}" for cell in cells[:-1]), cells[-1]])
