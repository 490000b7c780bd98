"""What commands of the lab share: options about playing, rounds over topics, and the answer."""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from thresher.core.errors import UsageError
from thresher.frontier.waiting import PATIENCE
from thresher_lab.corpus import TOPIC_MODELS, Corpus, default_cache
from thresher_lab.politeness import DELAY
from thresher_lab.setup import ReplayStage, stage
from thresher_lab.tables import Grid, as_markdown

# What is asked about playing as crawls run, alike for one replay and for a comparison.


def polite_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what is asked about playing as crawls run."""
    for option in (
        click.option("--delay", type=float, help="Virtual seconds a host rests; 1 with --polite, else 0."),
        click.option(
            "--wait", default=PATIENCE, show_default=True, help="As web.wait_for_better; with --polite."
        ),
        click.option("--polite", is_flag=True, help="As crawls run: 16 in flight, a rest, and latencies."),
    ):
        command = option(command)
    return command


def delay_of(asked: dict[str, Any]) -> float:
    """Return how long a host rests in a replay."""
    usual = DELAY if asked["polite"] else 0.0
    return usual if asked["delay"] is None else float(asked["delay"])


def luck_of(text: str) -> int:
    """Return a seed of latencies."""
    if not text.isdecimal() or not int(text):
        raise UsageError(f"--luck {text} is no seed of latencies. Write 1, or 1,2,3 for several.")
    return int(text)


def listed(text: str) -> tuple[str, ...]:
    """Return what stands between commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def command_line() -> str:
    """Return the command as it was given, without the folders of this machine."""
    return " ".join(["thresher", *(Path(part).name if "/" in part else part for part in sys.argv[1:])])


# What verbs of the lab share that play every topic of some corpora: options, rounds and the answer.


FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


class Rounds(Struct, frozen=True):
    """What such a verb was asked: which topics of which corpora, how long a run is, and how to answer."""

    folders: tuple[Path, ...]
    topics: str
    pages: str
    topic_model: str
    cache: Path | None
    as_json: bool

    def stages(self) -> Iterator[tuple[ReplayStage, str, str]]:
        """Yield a stage, its mode and a topic for every topic asked for."""
        return rounds(self.folders, self.topics, self.cache)

    def tell(self, found: Sequence[Struct], table: Grid) -> None:
        """Print what was found as asked."""
        tell(found, table, self.as_json)


def round_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a verb these options, which it gets as one."""

    @wraps(command)
    def run(**asked: Any) -> Any:
        shared = {name: asked.pop(name) for name in Rounds.__struct_fields__}
        return command(Rounds(**shared), **asked)

    for option in reversed(_OPTIONS):
        run = option(run)
    return run


_OPTIONS = (
    click.argument("folders", type=FOLDER, nargs=-1, required=True),
    click.option("--topics", default="", help="Ids of topics, comma between them; none: all."),
    click.option(
        "--pages", default="2x", show_default=True, help="Pages a run fetches; 2x: twice the relevant."
    ),
    click.option("--topic-model", type=click.Choice(TOPIC_MODELS), default="labels", show_default=True),
    click.option("--cache", type=click.Path(file_okay=False, path_type=Path), help="Where pages are kept."),
    click.option("--json", "as_json", is_flag=True, help="Print every one as JSON, one a line."),
)


def rounds(
    folders: Sequence[Path], topics: str, cache: Path | None
) -> Iterator[tuple[ReplayStage, str, str]]:
    """Yield a stage, its mode and a topic for every topic asked for, and say on stderr which it is."""
    for corpus in map(Corpus, folders):
        for mode in corpus.modes:
            with stage(corpus, corpus.hidden(mode), cache or default_cache()) as place:
                for topic in (name for name in corpus.topics if not topics or name in topics.split(",")):
                    click.echo(f"{corpus.name} {mode} {topic}", err=True)
                    yield place, mode, topic


def tell(found: Sequence[Struct], table: Grid, as_json: bool) -> None:
    """Print what was found, one a line for programs and as a table for people."""
    for each in found if as_json else ():
        click.echo(msgspec.json.encode(each))
    if not as_json:
        click.echo(as_markdown(table))
