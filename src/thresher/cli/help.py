"""The verb `help`: the help of a verb, or a page of the documents on a subject, in the terminal."""

from importlib.resources import files
from pathlib import Path

import click
from rich.console import Console
from rich.markdown import Markdown

from thresher.cli.main import thresher
from thresher.core.errors import UsageError, suggestion

EXAMPLES = """\b
Examples:
  thresher help labels
  thresher help exit codes
"""

CODES = """\
# Exit codes

| code | what it says |
|---|---|
| 0 | done |
| 1 | failed: no page, a strategy that raised, a disk that failed; the sentence on stderr says which |
| 2 | misused: an option, a folder or a file that is not there |
| 4 | bad settings |
| 11 | interrupted; go on with `thresher resume` |
| 15 | the time limit was reached; go on with `thresher resume` |
"""


@click.command(epilog=EXAMPLES)
@click.argument("subject", nargs=-1)
def command(subject: tuple[str, ...]) -> None:
    """Show the help of a verb, or a page on a subject.

    Subjects are topics, labels, exit codes and more; without one, verbs and subjects are listed.
    """
    asked = "-".join(subject).lower()
    if not asked:
        click.echo(f"Verbs: {', '.join(thresher.sentences())}.\nSubjects: {', '.join(subjects())}.")
    elif asked in thresher.sentences():
        thresher.main([asked, "--help"], prog_name="thresher", standalone_mode=False)
    else:
        _show(page_on(asked))


def subjects() -> list[str]:
    """Return what there is a page on."""
    return sorted([*_pages(), "exit-codes"])


def page_on(subject: str) -> str:
    """Return the page on a subject, or name the nearest one."""
    if subject == "exit-codes":
        return CODES
    if subject not in subjects():
        known = [*thresher.sentences(), *subjects()]
        raise UsageError(f"No page on {subject!r}. {suggestion(subject, known)}")
    return _pages()[subject].read_text(encoding="utf-8")


def _pages() -> dict[str, Path]:
    """Return the pages for users and those of papers: in the package, or beside the source it is run from."""
    inside, docs = Path(str(files("thresher.cli"))), Path(str(files("thresher"))).parents[1] / "docs"
    folders = (
        (inside / "pages", inside / "papers")
        if (inside / "pages").is_dir()
        else (docs / "use", docs / "papers")
    )
    return {file.stem: file for folder in folders for file in folder.glob("*.md")}


def _show(page: str) -> None:
    console = Console()
    if console.is_terminal:
        console.print(Markdown(page))
    else:
        click.echo(page, nl=False)
