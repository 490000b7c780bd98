"""The verb `lab freshness`: revisit policies on simulated webs whose change rates are known."""

from pathlib import Path
from typing import Any

import click

from thresher.cli.output import print_json
from thresher.experiments.changing_web import Process
from thresher.experiments.freshness_figures import Trial, picture, table, try_out
from thresher.lab.tables import as_markdown

EXAMPLES = """\b
Examples:
  thresher lab freshness
  thresher lab freshness --seed 2 --pages 2000 --budgets 0.5 -o results
"""

PROCESSES: tuple[Process, ...] = ("poisson", "bursty")


@click.command(epilog=EXAMPLES)
@click.option("--seed", type=int, default=1, show_default=True, help="Draws hosts, rates and every change.")
@click.option("--pages", type=click.IntRange(100), default=10_000, show_default=True)
@click.option("--days", type=click.IntRange(45), default=60, show_default=True, help="Days 40 on count.")
@click.option("--budgets", default="0.1,0.5,1", show_default=True, help="Visits a page and day.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Write pictures here.")
@click.option("--json", "as_json", is_flag=True, help="Print every figure as JSON.")
def freshness(seed: int, output: Path | None, as_json: bool, **asked: Any) -> None:
    """Let every revisit policy keep a simulated web, and hold them against the one that knows the rates.

    Staleness is harmonic: 1 + 1/2 + ... + 1/k at k changes nobody has seen, weighted by relevance.
    """
    budgets = [float(each) for each in asked["budgets"].split(",")]
    trials: list[Trial] = []
    for process in PROCESSES:
        trials.append(try_out(seed, process, asked["pages"], asked["days"], budgets))
        if output:
            output.mkdir(parents=True, exist_ok=True)
            (output / f"freshness-{process}.svg").write_text(picture(trials[-1]), encoding="utf-8")
        if not as_json:
            click.echo(f"{as_markdown(table(trials[-1]))}\n")
    if as_json:
        print_json(trials)
