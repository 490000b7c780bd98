"""Writes the pages of docs/reference that follow from the code: what can be set, and what can be typed."""

from pathlib import Path

import click

from thresher.cli.main import VERBS, thresher
from thresher.cli.settings import page_of_settings

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
    return "\n".join([HEAD, *(_section(verb, whole) for verb in VERBS)])


def settings_page() -> str:
    """Return docs/reference/settings.md."""
    return page_of_settings()


PAGES = {"commands.md": commands_page, "settings.md": settings_page}


def _section(verb: str, context: click.Context) -> str:
    command = thresher.get_command(context, verb)
    if command is None:
        raise LookupError(verb)
    own = click.Context(command, parent=context, info_name=verb)
    return f"## {verb}\n\n```\n{command.get_help(own).rstrip()}\n```\n"


if __name__ == "__main__":
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")
