"""The verb `strategies`: what --strategy may name, and what can be set about each."""

import inspect
from collections.abc import Iterator
from typing import Any

import click
import msgspec
from msgspec import Struct

from thresher.build.plugins import parameters_of
from thresher.cli.documents import print_json
from thresher.settings.load import full_name
from thresher.strategies import ALL_STRATEGIES

EXAMPLES = """\b
Examples:
  thresher strategies
  thresher strategies --json
"""


class Described(Struct, frozen=True):
    """A strategy in one line, with its parameters and their defaults."""

    name: str
    sentence: str
    parameters: dict[str, Any]


@click.command(epilog=EXAMPLES)
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(as_json: bool) -> None:
    """List the strategies and their parameters.

    A parameter is set with --set, as in --set decay=0.5, or beside the name in the file. A strategy of your
    own is named package.module:Class; examples/own_strategy.py shows one.
    """
    listed = [describe(name, kind) for name, kind in ALL_STRATEGIES.items()]
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


def _lines(strategy: Described) -> Iterator[str]:
    yield strategy.name
    yield f"    {strategy.sentence}"
    for name, default in strategy.parameters.items():
        yield f"    --set {_settable(name)}={msgspec.json.encode(default).decode()}"


def _settable(name: str) -> str:
    """Return the name by which --set knows a parameter: in full where a setting has the same short name."""
    return name if full_name(name).startswith("strategy.parameters.") else f"strategy.{name}"
