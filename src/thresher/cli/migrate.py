"""The verb `migrate`: crawls of an older Thresher brought into the form of this one."""

import click

from thresher.cli.options import the_crawl
from thresher.store.folder import CrawlFolder

EXAMPLES = """\b
Examples:
  thresher migrate beekeeping
  thresher migrate */
"""


@click.command(epilog=EXAMPLES)
@click.argument("folders", nargs=-1, required=True)
def command(folders: tuple[str, ...]) -> None:
    """Bring crawls of an older Thresher into the form of this one.

    A folder in this form takes a third of the room. The database is written anew beside the old one, which
    it replaces when it is whole: whatever happens meanwhile, the old one is there or the new one. It needs
    room for both. Every other command does the same with an older folder when it first opens it.
    """
    for folder in folders:
        click.echo(_migrated(the_crawl(folder)))


def _migrated(crawl: CrawlFolder) -> str:
    if not crawl.is_older():
        return f"{crawl.path} is up to date."
    before = crawl.database.stat().st_size
    crawl.migrate()
    now = crawl.database.stat().st_size
    return f"{crawl.path} is up to date now: {before / 1e6:.1f} MB before, {now / 1e6:.1f} MB now."
