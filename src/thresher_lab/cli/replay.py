"""The commands `lab replay` and `lab check`: a strategy on a corpus, and a corpus looked through."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from thresher.cli.output import print_json
from thresher.core.errors import UsageError
from thresher_lab.cli.options import delay_of, polite_options
from thresher_lab.corpus import DEFAULT_SEEDS, TOPIC_MODELS, Corpus, read_urls
from thresher_lab.measures import Measures, measure
from thresher_lab.politeness import Politeness
from thresher_lab.record import examine
from thresher_lab.replay import Played, planned, play
from thresher_lab.setup import ReplayPlan, ReplayStage, budget_of, stage

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--topic", required=True, help="The id of a topic in topics.jsonl.")
@click.option("--strategy", default="best_first", show_default=True, help="A strategy, or an oracle.")
@click.option("--pages", default="2x", show_default=True, help="Pages to fetch; 2x: twice the relevant ones.")
@click.option("--seeds", default=",".join(DEFAULT_SEEDS), show_default=True, help="Names of seeds, or URLs.")
@click.option("--hide", type=FILE, help="A file of URLs that answer 404, one a line.")
@click.option("--topic-model", type=click.Choice(TOPIC_MODELS), default="labels", show_default=True)
@click.option("--set", "parameters", multiple=True, metavar="NAME=VALUE", help="A parameter of the strategy.")
@polite_options
@click.option("--luck", default=1, show_default=True, help="The seed of the latencies of --polite.")
@click.option("--rules", is_flag=True, help="Apply the rules about traps, duplicates and nofollow.")
@click.option("--in-turn", is_flag=True, help="Let redirects wait for their turn, as a crawl does.")
@click.option("--log", type=click.Path(dir_okay=False, path_type=Path), help="Write a line per visit here.")
@click.option(
    "--cache", type=click.Path(file_okay=False, path_type=Path), help="Where parsed pages are kept."
)
@click.option("--plan", is_flag=True, help="Print the stages of the replay, and play nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print every measure as JSON.")
def replay(folder: Path, pages: str, hide: Path | None, cache: Path | None, **asked: Any) -> None:
    """Run one strategy on a recorded web and say how well it did."""
    corpus = Corpus(folder)
    with stage(corpus, read_urls(hide) if hide else frozenset(), cache) as place:
        wanted = place.relevant(asked["topic"])
        plan = ReplayPlan(
            asked["topic"],
            asked["strategy"],
            budget_of(pages, len(wanted)),
            tuple(asked["seeds"].split(",")),
            asked["topic_model"],
            parameters=_parameters(asked["parameters"]),
            rules=asked["rules"],
            delay=delay_of(asked),
            polite=Politeness(asked["wait"], asked["luck"]) if asked["polite"] else None,
            in_turn=asked["in_turn"],
        )
        if asked["plan"]:
            return click.echo(planned(place, plan))
        played = play(place, plan)
        if asked["log"]:
            write_log(asked["log"], played)
        _tell(_measured(place, plan, played), played, asked["as_json"])


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(folder: Path, as_json: bool) -> int:
    """Look a corpus folder through: what it holds, and what would spoil an experiment with it."""
    findings = examine(Corpus(folder))
    if as_json:
        print_json(findings)
    else:
        click.echo("\n".join(findings.facts))
        for problem in findings.problems:
            click.echo(problem, err=True)
        click.echo(f"{len(findings.problems)} problems." if findings.problems else "Ready for experiments.")
    return 1 if findings.problems else 0


def write_log(path: Path, played: Played) -> None:
    """Write a line per visit."""
    encode = msgspec.json.Encoder().encode
    path.write_bytes(b"".join(encode(step) + b"\n" for step in played.steps))


def _measured(place: ReplayStage, plan: ReplayPlan, played: Played) -> Measures:
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
        print_json(measures)
        return
    click.echo(
        f"{measures.relevant} of {measures.pages} pages relevant ({measures.harvest.rate:.1%}): "
        f"recall {measures.recall:.3f} of {measures.wanted} relevant pages, "
        f"{measures.recall_of_reachable:.3f} of the {measures.reachable} that links lead to.\n"
        f"Area under the recall curve {measures.by_pages.area:.4f} by pages, "
        f"{measures.by_requests.area:.4f} by {measures.requests} requests"
        f"{_pace(measures)}. Ended: {played.finish}."
    )


def _pace(measures: Measures) -> str:
    """Return how a polite replay did by time."""
    if measures.by_time is None:
        return ""
    pace = measures.seconds / max(1, measures.pages)
    return f", {measures.by_time.area:.4f} by time at {pace:.2f} s a page"
