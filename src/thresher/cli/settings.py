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
from thresher.settings.load import ALIASES, described, read, sections
from thresher.settings.model import Settings

EXAMPLES = """\b
Examples:
  thresher settings
  thresher settings basketball.toml --set web.delay=2
"""

HEAD = """\
# Settings

Every setting of a crawl, with its default and its reason. `make docs` writes this page; do not edit it.

A flag wins over the file, the file over your own settings, these over the default. Your own settings are
`settings.toml` in `~/.config/thresher` (or `$XDG_CONFIG_HOME/thresher`); `THRESHER_CONFIG` names another
file. A password may be `env:NAME`: then it is read from that environment variable and written nowhere.

In a file a setting stands in the table of its package:

```toml
topic = "beekeeping"
strategy = { name = "thresher" }
web = { delay = 2.0, per_host = 1 }
stop = { pages = 500 }
```

On the command line it is `--set web.delay=2`, or `--set delay=2` where only one table has that name. From
Python it is `crawl("beekeeping", web={"delay": 2})`. Names from Scrapy are understood too. An unknown name
is refused with the nearest known one. `thresher settings FILE` prints the values that a file leads to.
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
@click.option("--markdown", is_flag=True, help="Print the page docs/reference/settings.md.")
def command(file: str | None, pairs: tuple[str, ...], as_json: bool, markdown: bool) -> None:
    """List every setting with its value, its default and its reason.

    With FILE the values are those that a crawl with this file would use.
    """
    listed = list(effective(read(Path(file) if file else None, list(pairs_of(pairs)))))
    if as_json:
        print_json(listed)
    elif markdown:
        click.echo(page_of_settings(), nl=False)
    else:
        click.echo("\n".join(_lines(listed)))


def page_of_settings() -> str:
    """Return the page docs/reference/settings.md: every setting with its default and its reason."""
    return "\n".join(_page(list(effective(Settings()))))


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


def _page(listed: list[Setting]) -> Iterator[str]:
    yield HEAD
    plain_ones = [setting for setting in listed if "." not in setting.name]
    yield from _table("seeds", "Where to start.", plain_ones)
    for section, kind in sections().items():
        mine = [setting for setting in listed if setting.name.startswith(f"{section}.")]
        yield from _table(section, (kind.__doc__ or "").splitlines()[0], mine)


def _table(title: str, sentence: str, listed: list[Setting]) -> Iterator[str]:
    yield f"## {title}\n\n{sentence}\n"
    yield "| setting | default | what it does | in Scrapy |\n|---|---|---|---|"
    for setting in listed:
        aliases = ", ".join(f"`{alias}`" for alias in setting.aliases)
        meaning = setting.sentence.replace("|", "\\|")
        yield f"| `{setting.name}` | `{written(setting.default)}` | {meaning} | {aliases} |"
    yield ""
