"""The verb `lab seeds`: recall against the number of seeds, as in Figure 10 of CT-FC."""

from pathlib import Path

import click
import msgspec

from thresher.cli.lab_rounds import FOLDER, rounds
from thresher.experiments.ctfc_seeds import COUNTS, Seeded, plot, seeded_runs, table
from thresher.lab.contender import check, contender_of
from thresher.lab.tables import as_markdown
from thresher.report.charts import draw

EXAMPLES = """\b
Examples:
  thresher lab seeds my-corpus
  thresher lab seeds my-corpus --topics bees --counts 1,10,40 --draws 5 -o results
"""

FORWARD = "ctfc+spouses=false+siblings=false"


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option("--strategies", default=f"ctfc,{FORWARD}", show_default=True, help="As for lab compare.")
@click.option("--topics", default="", help="Ids of topics, comma between them; none: all.")
@click.option("--counts", default=",".join(map(str, COUNTS)), show_default=True, help="Numbers of seeds.")
@click.option("--draws", type=click.IntRange(1), default=3, show_default=True, help="Random draws of seeds.")
@click.option("--pages", default="2x", show_default=True, help="Pages a run fetches; 2x: twice the relevant.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Write runs here.")
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), help="Where pages are kept.")
def seeds(
    folders: tuple[Path, ...],
    strategies: str,
    topics: str,
    counts: str,
    draws: int,
    pages: str,
    output: Path | None,
    cache: Path | None,
) -> None:
    """Start from 1 to 80 random relevant pages, and say how many of the others are found.

    A topic takes part in a number of seeds if it has twice as many relevant pages. Questions for back-links
    cost as much as pages.
    """
    contenders = strategies.split(",")
    for name in contenders:
        check(contender_of(name))
    runs: list[Seeded] = []
    numbers = [int(count) for count in counts.split(",")]
    for place, mode, topic in rounds(folders, topics, cache):
        runs += seeded_runs(place, mode, topic, contenders, numbers, draws, pages)
    click.echo(as_markdown(table(runs)))
    if output:
        _write(output, runs)


def _write(folder: Path, runs: list[Seeded]) -> None:
    """Write every run and the picture."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = b"".join(msgspec.json.encode(run) + b"\n" for run in runs)
    (folder / "seeds.jsonl").write_bytes(lines)
    (folder / "seeds.svg").write_text(draw(plot(runs, "Recall by the number of seeds")), encoding="utf-8")
