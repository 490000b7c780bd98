"""The verb `strategies`: what --strategy may name, and what can be set about each."""

import inspect
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from thresher.build.plugins import parameters_of, strategy_class
from thresher.cli.output import print_json
from thresher.core.errors import UsageError
from thresher.judges import DEFAULT_JUDGE, own_threshold
from thresher.settings.load import full_name
from thresher.strategies import ALL_STRATEGIES

# Published numbers as rows, each beside ours and with a plain word on whether the two can be compared.


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """One published number; `ours` only where a corpus lets us measure the same thing."""

    what: str  # strategy and setting
    where: str  # table or figure
    measure: str
    value: float
    comparable: bool
    why: str
    ours: float | None = None
    corpus: str = ""
    command: str = ""  # makes ours
    document: str = ""  # has ours


class Paper(Struct, frozen=True, forbid_unknown_fields=True):
    """A paper and its numbers."""

    name: str
    title: str
    claims: tuple[Claim, ...]
    strategy: str = ""  # ours of the paper's name
    differs: tuple[str, ...] = ()  # what is not as printed, and why, a line each
    experiment: str = ""  # the command that plays its experiment


def read_papers(folder: Path | None = None) -> list[Paper]:
    """Return the papers of a folder, or those that come with the project."""
    place = folder or shipped()
    paths = sorted(place.glob("*.toml"))
    if not paths:
        raise UsageError(f"No papers in {place}: it should hold one .toml file for each.")
    return [_read_paper(path) for path in paths]


def shipped() -> Path:
    """Return the folder of papers: in the package, or beside the source it is run from."""
    inside = Path(str(files("thresher.cli"))) / "papers"
    return inside if inside.is_dir() else Path(str(files("thresher"))).parents[1] / "docs/papers"


def _read_paper(path: Path) -> Paper:
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Paper)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}.") from None


EXAMPLES = """\b
Examples:
  thresher strategies
  thresher strategies fcmrps
  thresher strategies --json
"""


class Described(Struct, frozen=True):
    """A strategy in one line, with its parameters and their defaults."""

    name: str
    sentence: str
    parameters: dict[str, Any]


@click.command(epilog=EXAMPLES)
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(name: str | None, as_json: bool) -> None:
    """List the strategies and their papers, or show one's equations.

    With a NAME tell all about that one: of a paper's strategy its symbols and equations with the lines
    they stand in, its judge, what differs from the paper and why, and the command that plays its
    experiment. A parameter is set with --set, as in --set decay=0.5, or beside the name in the file. A
    strategy of your own is named package.module:Class; examples/plugins/strategy.py shows one.
    """
    if name:
        click.echo("\n".join(_whole(name, as_json)))
        return
    listed = [describe(each, kind) for each, kind in ALL_STRATEGIES.items()]
    if as_json:
        print_json(listed)
    else:
        click.echo("\n".join(line for strategy in listed for line in _lines(strategy)))


def describe(name: str, kind: type[Any]) -> Described:
    """Return a strategy as its own class tells it."""
    defaults = {each: parameter.default for each, parameter in parameters_of(kind).items()}
    sentence = (inspect.getdoc(kind) or "").splitlines()[0]
    return Described(
        name,
        sentence,
        {each: None if value is inspect.Parameter.empty else value for each, value in defaults.items()},
    )


def _whole(name: str, as_json: bool) -> Iterator[str]:
    """Yield everything about one strategy: what its file says, its judge, and what its paper says."""
    kind = strategy_class(name)
    described = describe(name, kind)
    if as_json:
        yield msgspec.json.format(msgspec.json.encode(described), indent=2).decode()
        return
    yield from (f"{described.name}: {described.sentence}", "")
    yield from _legend(kind)
    judge = kind.defaults.judge or DEFAULT_JUDGE
    form = kind.defaults.topic_form.value
    yield f"\nJudge: {judge}, relevant from {own_threshold(judge):g} on; it sees the {form} of the topic."
    yield from (line for line in _lines(described) if "--set" in line)
    yield from _printed(name)


def _legend(kind: type[Any]) -> Iterator[str]:
    """Yield symbols and equations of a strategy, as its class or file has them, with the line of each."""
    module = inspect.getmodule(kind)
    file = Path(inspect.getfile(kind))
    _, _, own = (inspect.getdoc(kind) or "").partition("\n\n")
    legend = own or (module.__doc__ if module else None) or ""
    written = file.read_text(encoding="utf-8").splitlines()
    place = "/".join(file.parts[-3:]) if file.parent.name != "strategies" else "/".join(file.parts[-2:])
    for line in legend.splitlines():
        number = next((n for n, each in enumerate(written, start=1) if line in each), 1)
        yield f"{line:<104}{place}:{number}" if "eq" in line or " = " in line else line


def _printed(name: str) -> Iterator[str]:
    """Yield what differs from the paper of a strategy, and how its experiment is played."""
    for paper in read_papers():
        if paper.strategy == name:
            yield f"\nAfter {paper.name}, {paper.title}. What differs, and why:"
            yield from (f"  {line}" for line in paper.differs)
            yield f"Its experiment: {paper.experiment}"
            yield f"More: docs/papers/{name}.md, and 'thresher lab papers'"


def _lines(strategy: Described) -> Iterator[str]:
    yield strategy.name
    yield f"    {strategy.sentence}"
    for name, default in strategy.parameters.items():
        yield f"    --set {_settable(name)}={msgspec.json.encode(default).decode()}"


def _settable(name: str) -> str:
    """Return the name by which --set knows a parameter: in full where a setting has the same short name."""
    return name if full_name(name).startswith("strategy.parameters.") else f"strategy.{name}"
