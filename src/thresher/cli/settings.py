"""The verb `settings`: every name that --set, a file or a keyword may use."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from thresher.cli.options import pairs_of, set_option
from thresher.cli.output import print_json
from thresher.export.wording import plain
from thresher.settings.components import encoded
from thresher.settings.load import ALIASES, described, read
from thresher.settings.model import Settings

EXAMPLES = """\b
Examples:
  thresher settings
  thresher settings basketball.toml --set web.delay=2
"""


class Setting(Struct, frozen=True):
    """One setting with its value here."""

    name: str
    value: Any
    default: Any
    sentence: str
    aliases: tuple[str, ...]


@click.command(epilog=EXAMPLES)
@click.argument("file", required=False)
@set_option
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def command(file: str | None, pairs: tuple[str, ...], as_json: bool) -> None:
    """List every setting with its value, its default and its reason.

    With FILE the values are those that a crawl with this file would use.
    """
    listed = list(effective(read(Path(file) if file else None, list(pairs_of(pairs)))))
    if as_json:
        print_json(listed)
    else:
        click.echo("\n".join(_lines(listed)))


def effective(settings: Settings) -> Iterator[Setting]:
    """Yield every setting with the value it has in these settings."""
    for name, default, sentence in described():
        value: Any = settings
        for part in name.split("."):
            value = getattr(value, part)
        aliases = tuple(alias for alias, known in ALIASES.items() if known == name)
        yield Setting(name, value, default, sentence, aliases)


def written(value: Any) -> str:
    """Return a value as one writes it in TOML."""
    return msgspec.json.encode(value, enc_hook=encoded).decode().replace("{}", "{ }")


def _lines(listed: list[Setting]) -> Iterator[str]:
    for setting in listed:
        changed = "" if setting.value == setting.default else f"   (default {written(setting.default)})"
        yield f"{setting.name} = {plain(written(setting.value), 120)}{changed}"
        yield f"    {setting.sentence}"
