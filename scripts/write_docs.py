"""Writes the pages of docs/reference that follow from the code: what can be set, and what can be typed."""

from collections.abc import Iterator
from pathlib import Path

import click

from thresher.cli.main import MODES, mode_command, thresher
from thresher.cli.settings import page_of_settings
from thresher.serve.routes import table

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


def settings_page() -> str:
    """Return docs/reference/settings.md."""
    return page_of_settings()


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
