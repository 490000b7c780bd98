"""The verb `lab figures`: the tables and figures of Chen et al. 2009 from the results of a comparison."""

import re
from pathlib import Path

import click

from thresher.core.errors import UsageError
from thresher.experiments.chen_figures import figures as figures_of
from thresher.experiments.chen_figures import kept, tables
from thresher.lab.results import read_results
from thresher.lab.tables import as_markdown
from thresher.report.charts import draw

EXAMPLES = """\b
Examples:
  thresher lab figures results/results.jsonl
  thresher lab figures en/results.jsonl zh/results.jsonl --chinese zh-blogs -o figures
"""


@click.command(epilog=EXAMPLES)
@click.argument(
    "results", type=click.Path(exists=True, dir_okay=False, path_type=Path), nargs=-1, required=True
)
@click.option("--chinese", multiple=True, help="The name of a corpus of Chinese topics; repeat it for more.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Write pictures here.")
def figures(results: tuple[Path, ...], chinese: tuple[str, ...], output: Path | None) -> None:
    """Draw up Tables 3 to 5 and Figures 7 to 16 of FCMRPS from results of `lab compare`.

    The comparison should have breadth_first, best_first, shark_simple, fcmrps and its variants in it:
    docs/trust/papers/fcmrps.md says which parameters make them.
    """
    found = kept([result for path in results for result in read_results(path)])
    if not found:
        raise UsageError("No result of breadth_first, best_first, shark_simple or fcmrps is there.")
    for grid in tables(found, chinese):
        click.echo(f"{as_markdown(grid)}\n")
    if output:
        output.mkdir(parents=True, exist_ok=True)
        for plot in figures_of(found, chinese):
            number = re.findall(r"\d+", plot.title)[0]
            (output / f"figure-{number}.svg").write_text(draw(plot), encoding="utf-8")
