"""The verb `lab compare`: strategies side by side, and which differences are real."""

import os
from pathlib import Path
from typing import Any

import click

from thresher.core.errors import UsageError
from thresher.strategies import ALL_STRATEGIES
from thresher_lab.cli.options import command_line, delay_of, listed, luck_of, polite_options
from thresher_lab.contenders.named import check, contender_of
from thresher_lab.corpus import DEFAULT_SEEDS, TOPIC_MODELS, default_cache
from thresher_lab.experiment import carry_out
from thresher_lab.replay import ORACLES
from thresher_lab.report import write_pngs, write_report
from thresher_lab.results import ExperimentSettings
from thresher_lab.summary import summarise
from thresher_lab.tables import as_markdown, means, politeness

EXAMPLES = """\b
Examples:
  thresher lab compare my-corpus --strategies breadth_first,best_first,best_first+rich
  thresher lab compare corpus-a corpus-b --topics bees,cider --pages 1000 -o results
  thresher lab compare my-corpus --strategies fish_search,fish_search+width=5+rich
  thresher lab compare my-corpus --strategies best_first,thresher+rich --polite --luck 1,2,3
  thresher lab compare my-corpus --seeds hub,ordinary --seeds offtopic
"""

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option(
    "--strategies",
    help="Comma between them; name+rich: the rich topic model, name+depth=2: a parameter. None: all.",
)
@click.option("--topics", default="", help="Ids of topics, comma between them; none: all.")
@click.option("--seeds", multiple=True, help="One seed set, comma inside it; repeat the flag for more sets.")
@click.option("--modes", default="", help="easy, hard, or both; none: all that a corpus has.")
@click.option("--pages", default="2x", show_default=True, help="Pages a run fetches; 2x: twice the relevant.")
@click.option("--topic-model", type=click.Choice(TOPIC_MODELS), default="labels", show_default=True)
@click.option(
    "--against", default="breadth_first", show_default=True, help="Whom the others are paired with."
)
@click.option("--keep-all", is_flag=True, help="Keep topics that cannot tell strategies apart.")
@click.option("--rules", is_flag=True, help="Apply the rules about traps, duplicates and nofollow.")
@polite_options
@click.option("--luck", default="1", show_default=True, help="Seeds of latencies, comma between them.")
@click.option("--processes", default=0, help="Processes; 0: one for each core.")
@click.option(
    "-o", "--output", default="lab", show_default=True, type=click.Path(file_okay=False, path_type=Path)
)
@click.option(
    "--cache", type=click.Path(file_okay=False, path_type=Path), help="Where parsed pages are kept."
)
@click.option("--png", is_flag=True, help="Write the pictures as PNG too.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def compare(folders: tuple[Path, ...], output: Path, cache: Path | None, **asked: Any) -> None:
    """Run strategies side by side on recorded webs, and say which differences are real.

    Stopped in the middle, the same command goes on where it was. Results, tables, pictures and the report
    are written to the output folder.
    """
    question = _asked(folders, asked)
    processes = asked["processes"] or os.cpu_count() or 1
    kept = output / "results.jsonl"
    results = carry_out(question, kept, cache or default_cache(), processes, _progress)
    summary = summarise(results, asked["keep_all"])
    if not summary.blocks:
        raise UsageError(f"No topic is left that tells strategies apart; see {kept}, or give --keep-all.")
    report = write_report(output, question, results, summary, asked["against"], command_line())
    if asked["png"]:
        write_pngs(output)
    if asked["as_json"]:
        click.echo((output / "summary.json").read_text(encoding="utf-8"))
    else:
        click.echo(as_markdown(means(summary.blocks)))
        if summary.kept:
            click.echo(f"\n{as_markdown(politeness(summary))}")
        click.echo(f"\n{len(results)} runs, {len(summary.dropped)} of the topics left out. Report: {report}")


def _asked(folders: tuple[Path, ...], asked: dict[str, Any]) -> ExperimentSettings:
    names = asked["strategies"].split(",") if asked["strategies"] is not None else [*ALL_STRATEGIES, *ORACLES]
    strategies = tuple(name.strip() for name in names if name.strip())
    for name in strategies:
        check(contender_of(name))
    seeds = tuple(tuple(each.split(",")) for each in asked["seeds"]) or (DEFAULT_SEEDS,)
    return ExperimentSettings(
        tuple(map(str, folders)),
        strategies,
        listed(asked["topics"]),
        seeds,
        listed(asked["modes"]),
        asked["pages"],
        asked["topic_model"],
        rules=asked["rules"],
        delay=delay_of(asked),
        lucks=tuple(map(luck_of, listed(asked["luck"]))) if asked["polite"] else (),
        wait=asked["wait"],
    )


def _progress(done: int, total: int, name: str) -> None:
    click.echo(f"{done} of {total} runs; {name}", err=True)
