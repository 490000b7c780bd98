"""Writes the pages of docs/reference that follow from the code: what can be set, and what can be typed."""

from collections.abc import Iterator
from pathlib import Path

import click

from thresher.cli.main import MODES, mode_command, thresher
from thresher.cli.settings import Setting, effective, written
from thresher.serve.routes import table
from thresher.settings.load import sections
from thresher.settings.model import Settings

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
WIDE = {"terminal_width": 100}

HEAD = """\
# Commands

What `thresher` can do, as its own help says. `make docs` writes this page; do not edit it.

Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed, 2 misused, 4 bad settings,
11 interrupted (go on with `thresher resume`), 15 time limit.
"""


def commands_page() -> str:
    """Return docs/reference/commands.md."""
    whole = click.Context(thresher, info_name="thresher", **{**thresher.context_settings, **WIDE})
    return "\n".join(
        [HEAD, *(section for verb in thresher.sentences() for section in _sections(verb, whole))]
    )


SETTINGS_HEAD = """\
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


def settings_page() -> str:
    """Return docs/reference/settings.md: every setting with its default and its reason."""
    return "\n".join(_page(list(effective(Settings()))))


def _page(listed: list[Setting]) -> Iterator[str]:
    yield SETTINGS_HEAD
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


API_HEAD = """\
# The API of `thresher serve`

Everything the screens show, as JSON under `/api/v1`. `make docs` writes this page; do not edit it.

```
curl -H "Authorization: Bearer TOKEN" http://127.0.0.1:8417/api/v1/crawls
```

- The token is the one in the address that `thresher serve` prints; `--token-file FILE` keeps it for programs.
  What is opened by a key gets it from another route: copies from `copies`, feeds from the overview.
- `GET /api/v1/openapi.json` describes every question and answer (OpenAPI 3.1).
- What goes wrong is `application/problem+json` (RFC 9457), with `detail` (what happened), `safe` (what is
  safe) and `next` (what to do). Unknown fields are refused by name.
- Lists are paged: hand `next` back as `after`. Times are ISO 8601 in UTC.
- The event stream names each visit by its number: come back with `Last-Event-ID` and none is missed.
- User agent, robots.txt, delays, networks, proxies, headers, passwords, hooks, classes of one's own and paths
  cannot be set through it, and nothing can be deleted.

"""


def api_page() -> str:
    """Return docs/reference/api.md."""
    return f"{API_HEAD}{table()}\n"


PAGES = {"commands.md": commands_page, "settings.md": settings_page, "api.md": api_page}


def _sections(verb: str, context: click.Context) -> Iterator[str]:
    """Yield the help of a verb, and of what it is with the flag of a mode."""
    command = thresher.get_command(context, verb)
    if command is None:
        raise LookupError(verb)
    yield _section(verb, command, context)
    for each, flag in MODES:
        if each == verb:
            yield _section(f"{verb} {flag}", mode_command(verb, flag), context)


def _section(name: str, command: click.Command, context: click.Context) -> str:
    own = click.Context(command, parent=context, info_name=name)
    return f"## {name}\n\n```\n{command.get_help(own).rstrip()}\n```\n"


if __name__ == "__main__":
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")
