"""The verb `lab`: replay a recorded web, compare strategies on it, and keep honest books."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from thresher.assemble.strategy import strategy_class
from thresher.core.errors import UnknownName, UsageError
from thresher.lab.corpus import DEFAULT_SEEDS, TOPIC_MODELS, Corpus, read_urls
from thresher.lab.experiment import carry_out
from thresher.lab.measures import Measures, measure
from thresher.lab.places import default_cache
from thresher.lab.replay import ORACLES, Played, play
from thresher.lab.report import write_pngs, write_report
from thresher.lab.results import Asked
from thresher.lab.stage import Plan, Stage, budget_of, stage
from thresher.lab.summary import summarise
from thresher.lab.tables import as_markdown, means
from thresher.strategies import ALL_STRATEGIES

EXAMPLES = """\b
Examples:
  thresher lab check my-corpus
  thresher lab replay my-corpus --topic bees --strategy best_first --pages 500 --log visits.jsonl
  thresher lab compare my-corpus --strategies breadth_first,best_first --pages 2x -o results
"""

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(epilog=EXAMPLES)
def command() -> None:
    """Measure strategies on recorded webs, against labels that no strategy can see."""


@command.command()
@click.argument("folder", type=FOLDER)
@click.option("--topic", required=True, help="The id of a topic in topics.jsonl.")
@click.option("--strategy", default="best_first", show_default=True, help="A strategy, or an oracle.")
@click.option("--pages", default="2x", show_default=True, help="Pages to fetch; 2x: twice the relevant ones.")
@click.option("--seeds", default=",".join(DEFAULT_SEEDS), show_default=True, help="Names of seeds, or URLs.")
@click.option("--hide", type=FILE, help="A file of URLs that answer 404, one a line.")
@click.option("--topic-model", type=click.Choice(TOPIC_MODELS), default="labels", show_default=True)
@click.option("--set", "parameters", multiple=True, metavar="NAME=VALUE", help="A parameter of the strategy.")
@click.option("--delay", default=0.0, show_default=True, help="Virtual seconds a host rests after an answer.")
@click.option("--rules", is_flag=True, help="Apply the rules about traps, duplicates and nofollow.")
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), help="Write a line per visit here.")
@click.option(
    "--cache", type=click.Path(file_okay=False, path_type=Path), help="Where parsed pages are kept."
)
@click.option("--json", "as_json", is_flag=True, help="Print every measure as JSON.")
def replay(folder: Path, pages: str, hide: Path | None, cache: Path | None, **asked: Any) -> None:
    """Run one strategy on a recorded web and say how well it did."""
    corpus = Corpus(folder)
    with stage(corpus, read_urls(hide) if hide else frozenset(), cache) as place:
        wanted = place.relevant(asked["topic"])
        plan = Plan(
            asked["topic"],
            asked["strategy"],
            budget_of(pages, len(wanted)),
            tuple(asked["seeds"].split(",")),
            asked["topic_model"],
            parameters=_parameters(asked["parameters"]),
            rules=asked["rules"],
            delay=asked["delay"],
        )
        played = play(place, plan)
        if asked["log"]:
            write_log(asked["log"], played)
        _tell(_measured(place, plan, played), played, asked["as_json"])


@command.command()
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option(
    "--strategies", help="Comma between them; name+rich: with the rich topic model. None: all we have."
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
    report = write_report(output, question, results, summary, asked["against"], _command_line())
    if asked["png"]:
        write_pngs(output)
    if asked["as_json"]:
        click.echo((output / "summary.json").read_text(encoding="utf-8"))
    else:
        click.echo(as_markdown(means(summary.blocks)))
        click.echo(f"\n{len(results)} runs, {len(summary.dropped)} of the topics left out. Report: {report}")


def write_log(path: Path, played: Played) -> None:
    """Write a line per visit."""
    encode = msgspec.json.Encoder().encode
    path.write_bytes(b"".join(encode(step) + b"\n" for step in played.steps))


def _asked(folders: tuple[Path, ...], asked: dict[str, Any]) -> Asked:
    names = asked["strategies"].split(",") if asked["strategies"] is not None else [*ALL_STRATEGIES, *ORACLES]
    strategies = tuple(name.strip() for name in names if name.strip())
    for name in strategies:
        _check_strategy(name)
    seeds = tuple(tuple(each.split(",")) for each in asked["seeds"]) or (DEFAULT_SEEDS,)
    return Asked(
        tuple(map(str, folders)),
        strategies,
        _listed(asked["topics"]),
        seeds,
        _listed(asked["modes"]),
        asked["pages"],
        asked["topic_model"],
        rules=asked["rules"],
    )


def _check_strategy(name: str) -> None:
    """Refuse a strategy nobody knows before an hour is spent on the others."""
    bare, _, model = name.partition("+")
    if model and model not in TOPIC_MODELS:
        raise UnknownName("topic model", model, TOPIC_MODELS)
    if bare not in ORACLES:
        try:
            strategy_class(bare)
        except UnknownName:
            raise UnknownName("strategy", bare, [*ALL_STRATEGIES, *ORACLES]) from None


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _progress(done: int, total: int, name: str) -> None:
    click.echo(f"{done} of {total} runs; {name}", err=True)


def _command_line() -> str:
    """Return the command as it was given, without the folders of this machine."""
    return " ".join(["thresher", *(Path(part).name if "/" in part else part for part in sys.argv[1:])])


def _measured(place: Stage, plan: Plan, played: Played) -> Measures:
    topic, wanted = place.corpus.topic(plan.topic), place.relevant(plan.topic)
    seeds = place.corpus.seeds(plan.topic, plan.seeds)
    reachable = place.graph.reachable(seeds, place.hidden)
    return measure(played.steps, topic, wanted, reachable, plan.pages)


def _parameters(settings: Sequence[str]) -> dict[str, Any]:
    pairs = [setting.partition("=") for setting in settings]
    if wrong := [name for name, equals, _ in pairs if not equals]:
        raise UsageError(f"--set {wrong[0]} has no value. Write --set {wrong[0]}=VALUE.")
    return {name: _value(value) for name, _, value in pairs}


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _tell(measures: Measures, played: Played, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(measures), indent=2).decode())
        return
    click.echo(
        f"{measures.relevant} of {measures.pages} pages relevant ({measures.harvest.rate:.1%}): "
        f"recall {measures.recall:.3f} of {measures.wanted} relevant pages, "
        f"{measures.recall_of_reachable:.3f} of the {measures.reachable} that links lead to.\n"
        f"Area under the recall curve {measures.by_pages.area:.4f} by pages, "
        f"{measures.by_requests.area:.4f} by {measures.requests} requests. Ended: {played.finish}."
    )
