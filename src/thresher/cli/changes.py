"""The verb `revisit` with --list: what the revisits of the pages of a crawl have found."""

import time
from collections import Counter

import click

from thresher.cli.options import the_crawl
from thresher.cli.output import print_json
from thresher.export.wording import counted, many
from thresher.report.changes import LINES, ChangeItem, changes_of, is_wanted, moment_of, told

EXAMPLES = """\b
Examples:
  thresher revisit --list beekeeping
  thresher revisit --list beekeeping --since 2d --relevant
  thresher revisit --list beekeeping --since 2026-03-01 --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("folder", required=False)
@click.option("--since", metavar="WHEN", help="12h or 2d ago, or a date such as 2026-03-01 (UTC).")
@click.option("--relevant", is_flag=True, help="Only pages that are or were relevant.")
@click.option("--all", "everything", is_flag=True, help="Menus, dates and counters as well.")
@click.option("--full", is_flag=True, help="Every line of every diff.")
@click.option("--json", "as_json", is_flag=True, help="Print the changes as JSON.")
def command(
    folder: str | None, since: str | None, relevant: bool, everything: bool, full: bool, as_json: bool
) -> None:
    """List what changed on the pages of a crawl, with the lines that were removed and added.

    FOLDER is the crawl; without it, the only crawl here. A change of menus, dates or counters is minor and
    shown with --all only.
    """
    crawl = the_crawl(folder)
    found = changes_of(crawl, moment_of(since, time.time()) if since else 0.0)
    items = [item for item in found if is_wanted(item, relevant, everything)]
    if as_json:
        print_json(items)
        return
    for line in told(items, 10**9 if full else LINES):
        click.echo(line)
    click.echo(_summary(items, len(found)))


def _summary(items: list[ChangeItem], found: int) -> str:
    if not found:
        return "No change found. 'thresher revisit FOLDER' fetches the pages again."
    kinds = counted(Counter(item.kind.value for item in items))
    more = f"; {many(found - len(items), 'change')} more with --all" if found > len(items) else ""
    return f"{many(len(items), 'change')}{f' ({kinds})' if kinds else ''}{more}."
