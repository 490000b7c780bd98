"""The verb `strategies`: what --strategy may name, and what can be set about each."""

import inspect
import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

import click
import msgspec
from msgspec import Struct

from thresher.build.plugins import parameters_of, strategy_class
from thresher.cli.output import print_json
from thresher.core.errors import UnknownName, UsageError
from thresher.judges import DEFAULT_JUDGE, own_threshold
from thresher.settings.components import Parameter
from thresher.settings.load import Override, full_name
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


class PaperSetting(Struct, frozen=True, forbid_unknown_fields=True):
    """A setting of a paper's own beyond its strategy, and where the paper has it."""

    name: str
    value: Parameter
    where: str


class Paper(Struct, frozen=True, forbid_unknown_fields=True):
    """A paper and its numbers; of a baseline or of our own strategy what there is of it."""

    name: str
    title: str
    claims: tuple[Claim, ...]
    strategy: str = ""  # ours of the paper's name
    authors: str = ""
    year: int = 0
    idea: str = ""  # in six words
    page: str = ""  # of the documents; by default that of the strategy's name
    moved: tuple[str, ...] = ()  # the parameters whose effect a figure shows
    differs: tuple[str, ...] = ()  # what is not as printed, and why, a line each
    experiment: str = ""  # the command that plays its experiment
    sets: tuple[PaperSetting, ...] = ()  # what --paper sets besides the strategy

    @property
    def reference(self) -> str:
        """The authors and the year, as a text cites them."""
        return f"{self.authors} {self.year}" if self.year else self.authors


def read_papers(folder: Path | None = None) -> list[Paper]:
    """Return the papers of a folder, or those that come with the project."""
    place = folder or shipped()
    paths = sorted(place.glob("*.toml"))
    if not paths:
        raise UsageError(f"No papers in {place}: it should hold one .toml file for each.")
    return [_read_paper(path) for path in paths]


def paper_settings(name: str, revisit: bool = False) -> list[Override]:
    """Return what --paper sets, printed line by line on stderr; of a revisit what concerns revisits."""
    known = [each for each in read_papers() if each.strategy]
    papers = {each.strategy: each for each in known if strategy_class(each.strategy).defaults.judge}
    if name not in papers:
        raise UnknownName("paper", name, papers)
    paper, brought = papers[name], strategy_class(name).defaults
    told = [each for each in paper.sets if each.name.startswith("revisit.") or not revisit]
    if revisit and not told:
        whose = [each.strategy for each in known if any(s.name.startswith("revisit.") for s in each.sets)]
        raise UsageError(f"{paper.name} does not say how pages are revisited; {', '.join(whose)} does.")
    lines = [f"{paper.name}, {paper.title}:"]
    if not revisit:
        least, form = own_threshold(brought.judge), brought.topic_form.value
        lines.append(f"  strategy.name = {name}, which brings judge, threshold and form of the topic:")
        lines.append(f"    {brought.judge}, relevant from {least:g} on; it sees the {form} of the topic")
    lines += [f"  {each.name} = {each.value} ({each.where})" for each in told]
    click.echo("\n".join(lines), err=True)
    return [*([] if revisit else [("strategy.name", name)]), *((each.name, each.value) for each in told)]


def shipped() -> Path:
    """Return the folder of papers: in the package, or beside the source it is run from."""
    inside = Path(str(files("thresher.cli"))) / "papers"
    return inside if inside.is_dir() else Path(str(files("thresher"))).parents[1] / "docs/papers"


def _read_paper(path: Path) -> Paper:
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Paper)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}.") from None


COLUMN = 30  # of what stands left of the equations
GAP = re.compile(r"(?:^|\S) {2,}\S")  # as columns have it, and prose has not
EXAMPLES = """\b
Examples:
  thresher strategies
  thresher strategies fcmrps
  thresher strategies ctfc --all
  thresher strategies --json
"""


class Described(Struct, frozen=True):
    """A strategy with its paper, and its parameters with their defaults."""

    name: str
    sentence: str
    reference: str
    idea: str
    page: str
    parameters: dict[str, Any]


@click.command(epilog=EXAMPLES)
@click.argument("name", required=False)
@click.option(
    "--all", "everything", is_flag=True, help="Show the parameters whose effect no figure shows, too."
)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(name: str | None, everything: bool, as_json: bool) -> None:
    """List the strategies and their papers, or show one's equations.

    With NAME: its symbols and equations, its judge, its parameters, what differs from the paper and why,
    and what to read. A parameter is set with --set, as in --set sound=true, or beside the name in the file.
    A strategy of your own is named package.module:Class; examples/plugins/strategy.py shows one.
    """
    papers = {paper.strategy: paper for paper in read_papers()}
    if name:
        name = name if ":" in name else name.lower()  # papers write theirs in capitals
        kind = strategy_class(name)
        paper = papers.get(name) or Paper(name, "", ())
        described = describe(name, kind, paper)
        if as_json:
            print_json(described)
        else:
            click.echo("\n".join(_whole(described, kind, paper, everything)))
        return
    listed = [describe(each, kind, papers[each]) for each, kind in ALL_STRATEGIES.items()]
    if as_json:
        print_json(listed)
    else:
        click.echo("\n".join(line for strategy in listed for line in _lines(strategy)))
        click.echo("\nMore on one, with its equations: thresher strategies NAME")


def describe(name: str, kind: type[Any], paper: Paper) -> Described:
    """Return a strategy as its own class and its paper tell it."""
    defaults = {each: parameter.default for each, parameter in parameters_of(kind).items()}
    return Described(
        name,
        (inspect.getdoc(kind) or "").splitlines()[0],
        paper.reference,
        paper.idea,
        paper.page or f"docs/papers/{name}.md",
        {each: None if value is inspect.Parameter.empty else value for each, value in defaults.items()},
    )


def _lines(strategy: Described) -> Iterator[str]:
    yield f"{strategy.name:<15}{strategy.reference}"
    yield f"{'':<15}{strategy.idea}; {strategy.page}"


def _whole(told: Described, kind: type[Any], paper: Paper, everything: bool) -> Iterator[str]:
    """Yield everything about one strategy: what its file says, its judge, and what its paper says."""
    width = min(100, get_terminal_size().columns)
    yield fill(f"{told.name}: {told.sentence}", width) + "\n"
    yield from _legend(kind, width)
    judge = kind.defaults.judge or DEFAULT_JUDGE
    form = kind.defaults.topic_form.value
    yield f"Judge: {judge}, relevant from {own_threshold(judge):g} on; it sees the {form} of the topic."
    shown = told.parameters if everything or not paper.idea else paper.moved
    more = len(told.parameters) - len(shown)
    if told.parameters:
        none = "" if shown else " none that a figure moves"
        yield f"Parameters{f' ({more} more with --all)' if more else ''}:{none}"
    yield from (
        f"  --set {_settable(each)}={msgspec.json.encode(told.parameters[each]).decode()}" for each in shown
    )
    if paper.differs:
        yield "\n" + fill(f"After {paper.reference}: {paper.title}. What differs, and why:", width)
        yield from (
            fill(line, width, initial_indent="  ", subsequent_indent="    ") for line in paper.differs
        )
        yield fill(f"Its experiment: {paper.experiment}", width, break_on_hyphens=False)
    yield f"\nCode: {kind.__module__.replace('.', '/')}.py"
    if paper.idea:
        yield f"Read: {told.page}{'; thresher lab papers' if paper.claims else ''}"


def _legend(kind: type[Any], width: int) -> Iterator[str]:
    """Yield symbols and equations of a strategy as its class or its file has them, wrapped to a width."""
    module = inspect.getmodule(kind)
    _, _, own = (inspect.getdoc(kind) or "").partition("\n\n")
    for line in _items(own or (module.__doc__ if module else None) or ""):
        found = re.match(r"(?:\S+ )*?\S* {2,}", line)
        column = found[0] if found and len(found[0]) <= COLUMN else ""
        text = re.sub(r"(?<=\S) {3,}(?=\S)", "   ", line.removeprefix(column))
        yield fill(text, width, initial_indent=column, subsequent_indent=" " * len(column))


def _items(legend: str) -> Iterator[str]:
    """Yield a legend line by line, but each paragraph of prose as one line."""
    item = ""
    for line in [*legend.splitlines(), ""]:
        if (
            item
            and line
            and not re.search(r"(?:^|\S) {2,}\S", item)
            and not re.search(r"(?:^|\S) {2,}\S", line)
        ):
            item = f"{item} {line}"
        else:
            yield from [item] if item else []
            item = line
            yield from [] if line else [""]


def _settable(name: str) -> str:
    """Return the name by which --set knows a parameter: in full where a setting has the same short name."""
    return name if full_name(name).startswith("strategy.parameters.") else f"strategy.{name}"
