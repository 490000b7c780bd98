"""The command `lab papers`: published numbers beside ours, and each paper played on a web made for it."""

from importlib import import_module
from pathlib import Path
from textwrap import wrap
from time import perf_counter

import click

from thresher.cli.output import print_json
from thresher.cli.strategies import Claim, Paper, read_papers
from thresher.core.errors import UnknownName
from thresher_lab.papers.played import PlayedPaper
from thresher_lab.tables import Grid

WIDTH = 80
NAMES = ("jamali", "ctfc", "ratna", "mali", "fcmrps")
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
EXAMPLES = """\b
Examples:
  thresher lab papers
  thresher lab papers jamali
  thresher lab papers ctfc -o ctfc-at-home
  thresher lab papers --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("name", required=False)
@click.option("--folder", type=FOLDER, help="A folder of papers, if not the project's own.")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the pictures of NAME here.",
)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def papers(name: str | None, folder: Path | None, output: Path | None, as_json: bool) -> None:
    """Print published numbers beside ours; with a NAME play that paper on a web made for it.

    With a NAME (jamali, ctfc, ratna, mali or fcmrps) crawl a web made for that paper, here and now: its own
    tables and figures beside the printed numbers, each row comparable or not and why, and every formula with
    the numbers of a page of that crawl.
    """
    if name:
        return _play(name, folder, output, as_json)
    found = [paper for paper in read_papers(folder) if paper.claims or paper.strategy in NAMES]
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(line for paper in found for line in _listed(paper)))
    return None


def _play(name: str, folder: Path | None, output: Path | None, as_json: bool) -> None:
    if name not in NAMES:
        raise UnknownName("paper", name, NAMES)
    began = perf_counter()
    played: PlayedPaper = import_module(f"thresher_lab.papers.{name}").play()
    paper = next(each for each in read_papers(folder) if each.strategy == name)
    if output:
        output.mkdir(parents=True, exist_ok=True)
        for number, (_, svg) in enumerate(played.pictures(), start=1):
            (output / f"{name}-{number}.svg").write_text(svg, encoding="utf-8")
    if as_json:
        print_json(
            {"paper": paper.name, "web": played.web, "tables": played.tables, "formulas": played.formulas}
        )
        return
    click.echo("\n".join([*_wrapped(f"{paper.name}, {paper.title}, on a web made for it: {played.web}"), ""]))
    for grid in played.tables:
        click.echo("\n".join([*_lines(grid), ""]))
    click.echo("Every formula with the numbers of this crawl")
    for where, formula, numbers in played.formulas:
        click.echo("\n".join([f"  {where}: {formula}", *_wrapped(numbers, "      ")]))
    drawn = f" Pictures: {output}." if output else " Pictures: -o FOLDER."
    click.echo(f"\n{perf_counter() - began:.0f} seconds.{drawn} What is left open: docs/papers/{name}.md")


def _listed(paper: Paper) -> list[str]:
    """Return the claims of a paper, each in a line of numbers and lines of why, at 80 columns."""
    comparable = sum(claim.comparable for claim in paper.claims)
    head = f"{paper.name}, {paper.title}: {len(paper.claims)} numbers, {comparable} comparable"
    if not paper.claims:
        return [*_wrapped(f"{head}; the paper prints none."), ""]
    told = [*_wrapped(head), f"  {'printed':>12} {'ours':>12}  what"]
    before = ""
    for claim in paper.claims:
        told += _told(claim, claim.why if claim.why != before else "")
        before = claim.why
    return [*told, ""]


def _told(claim: Claim, why: str) -> list[str]:
    ours = "-" if claim.ours is None else f"{claim.ours:.10g}"
    first, *rest = wrap(f"{claim.what}, {claim.measure} ({claim.where})", WIDTH - 29)
    mark = "=" if claim.comparable else " "
    lines = [f"{mark} {claim.value:>12.10g} {ours:>12}  {first}", *(f"{'':29}{each}" for each in rest)]
    return lines + (
        _wrapped(f"{'comparable' if claim.comparable else 'not comparable'}: {why}", " " * 29) if why else []
    )


def _lines(grid: Grid) -> list[str]:
    """Return a table at 80 columns: the last column is folded under itself."""
    rows = [grid.heads, *grid.rows]
    widths = [max(len(row[at]) for row in rows) for at in range(len(grid.heads) - 1)]
    room = WIDTH - 2 - sum(width + 2 for width in widths)
    if room < 16:
        return [grid.caption, *(line for row in grid.rows for line in _stacked(grid.heads, row))]
    told = []
    for row in rows:
        last = wrap(row[-1], room) or [""]
        cells = "".join(f"{cell:<{width + 2}}" for cell, width in zip(row, widths, strict=False))
        told += [
            f"  {cells}{last[0]}",
            *(f"  {'':{sum(widths) + 2 * len(widths)}}{each}" for each in last[1:]),
        ]
    return [grid.caption, *(line.rstrip() for line in told)]


def _stacked(heads: tuple[str, ...], row: tuple[str, ...]) -> list[str]:
    """Return a row of a table that is too wide, a line a cell."""
    first, *others = row
    told = _wrapped(first, "  ")
    for head, cell in zip(heads[1:], others, strict=True):
        told += _wrapped(f"{head}: {cell}", "      ")
    return told


def _wrapped(text: str, indent: str = "") -> list[str]:
    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
