"""The verb `lab tune`: constants chosen on all webs but one, and judged on that one."""

import os
from pathlib import Path
from typing import Any

import click

from thresher_lab.cli.options import delay_of, listed, luck_of, polite_options
from thresher_lab.contenders.named import check, contender_of
from thresher_lab.corpus import TOPIC_MODELS, default_cache
from thresher_lab.experiment import (
    areas_of,
    carry_out,
    chosen_table,
    jittered,
    left_out,
    spread,
    spread_table,
    variants,
    variants_table,
)
from thresher_lab.results import ExperimentSettings
from thresher_lab.tables import as_markdown

EXAMPLES = """\b
Examples:
  thresher lab tune web-a web-b web-c --strategy thresher+rich --try ridge=50,200 --try learner=0.3,0.7
  thresher lab tune web-a web-b --strategy thresher --jitter 0.1 --draws 10 --pages 2x:240
"""

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option("--strategy", default="thresher+rich", show_default=True, help="The base, as in compare.")
@click.option("--try", "tries", multiple=True, metavar="NAME=A,B", help="Values of a parameter to play.")
@click.option("--jitter", default=0.0, help="Move every number of the strategy by up to this share.")
@click.option("--draws", type=click.IntRange(2), default=10, show_default=True, help="Draws of the jitter.")
@click.option("--seed", default=1, show_default=True, help="The seed of the jitter.")
@click.option("--topics", default="", help="Ids of topics, comma between them; none: all.")
@click.option("--modes", default="easy", show_default=True, help="easy, hard, or both.")
@click.option("--pages", default="2x:240", show_default=True, help="2x:240: twice the relevant, at most 240.")
@click.option("--topic-model", type=click.Choice(TOPIC_MODELS), default="labels", show_default=True)
@polite_options
@click.option("--luck", default="1", show_default=True, help="Seeds of latencies, comma between them.")
@click.option("--processes", default=0, help="Processes; 0: one for each core.")
@click.option(
    "-o", "--output", default="tuned", show_default=True, type=click.Path(file_okay=False, path_type=Path)
)
@click.option(
    "--cache", type=click.Path(file_okay=False, path_type=Path), help="Where parsed pages are kept."
)
def tune(folders: tuple[Path, ...], output: Path, cache: Path | None, **asked: Any) -> None:
    """Choose constants on all webs but one, and say what they do on the one left out.

    Stopped in the middle, the same command goes on where it was. With --jitter it says how much a figure
    hangs on the exact constants.
    """
    base = asked["strategy"]
    tried = variants(base, asked["tries"])
    draws = jittered(base, asked["jitter"], asked["draws"], asked["seed"]) if asked["jitter"] else []
    for name in (*tried, *draws):
        check(contender_of(name))
    question = _asked(folders, (*tried, *draws), asked)
    processes = asked["processes"] or os.cpu_count() or 1
    results = carry_out(question, output / "results.jsonl", cache or default_cache(), processes, _progress)
    areas = areas_of(results)
    grids = [chosen_table(left_out(areas, base, tried)), variants_table(areas, base, tried)]
    if draws:
        grids.append(spread_table(spread(results, base, draws)))
    text = "\n\n".join(map(as_markdown, grids))
    (output / "tuned.md").write_text(f"{text}\n", encoding="utf-8")
    click.echo(text)


def _asked(
    folders: tuple[Path, ...], strategies: tuple[str, ...], asked: dict[str, Any]
) -> ExperimentSettings:
    return ExperimentSettings(
        tuple(map(str, folders)),
        strategies,
        listed(asked["topics"]),
        modes=listed(asked["modes"]),
        pages=asked["pages"],
        model=asked["topic_model"],
        delay=delay_of(asked),
        lucks=tuple(map(luck_of, listed(asked["luck"]))) if asked["polite"] else (),
        wait=asked["wait"],
    )


def _progress(done: int, total: int, name: str) -> None:
    click.echo(f"{done} of {total} runs; {name}", err=True)
