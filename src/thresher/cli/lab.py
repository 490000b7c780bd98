"""The verb `lab`: replay a recorded web, compare strategies on it, and keep honest books."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from thresher.core.errors import UsageError
from thresher.lab.corpus import DEFAULT_SEEDS, TOPIC_MODELS, Corpus, read_urls
from thresher.lab.measures import Measures, measure
from thresher.lab.replay import Played, play
from thresher.lab.stage import Plan, Stage, stage

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
            budget(pages, len(wanted)),
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


def budget(text: str, relevant: int) -> int:
    """Return how many pages a run may fetch: a number, or a multiple of the relevant pages such as 2x."""
    number, times = (text[:-1], relevant) if text.endswith("x") else (text, 1)
    try:
        pages = round(float(number) * times)
    except ValueError:
        pages = 0
    if pages < 1:
        raise UsageError(f"--pages {text} is no number of pages. Write 1000, or 2x for twice the relevant.")
    return pages


def write_log(path: Path, played: Played) -> None:
    """Write a line per visit."""
    encode = msgspec.json.Encoder().encode
    path.write_bytes(b"".join(encode(step) + b"\n" for step in played.steps))


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
