"""The verb `forget`: pages taken out of a crawl for good, on request."""

import click

from thresher.cli.options import the_crawl
from thresher.core.errors import UsageError
from thresher.core.url import parse
from thresher.export.wording import many
from thresher.store.forget import DeletionRequest, forget

EXAMPLES = """\b
Examples:
  thresher forget beekeeping https://example.org/private
  thresher forget beekeeping --host example.org
"""


@click.command(epilog=EXAMPLES)
@click.argument("folder")
@click.argument("urls", nargs=-1)
@click.option("--host", "hosts", metavar="NAME", multiple=True, help="Every page of a host; repeat for more.")
def command(folder: str, urls: tuple[str, ...], hosts: tuple[str, ...]) -> None:
    """Remove pages from a crawl for good, archive and index included.

    For requests of removal. The pages, every visit to them, what waits for them, their labels,
    their versions and their archived bytes go, and addresses that redirect to them go as well; the report
    and the search index are made anew when asked for. Links to them stay in the pages that have them.
    scope.exclude keeps the crawl away from them. It cannot be undone, and files that you exported before
    are not touched. The crawl must not be running.
    """
    if not urls and not hosts:
        raise UsageError("Nothing to forget: name pages by their URLs, or a host with --host.")
    crawl = the_crawl(folder)
    told = forget(
        crawl, DeletionRequest(tuple(map(parse, urls)), tuple(name.lower().strip(".") for name in hosts))
    )
    seen = f"{many(told.visits, 'visit')} and {many(told.responses, 'archived response')}"
    click.echo(f"{many(told.pages, 'page')} removed, with {seen}. The crawl will not request them again.")
    if told.copies:
        copies = many(told.copies, "page")
        click.echo(
            f"{copies} elsewhere had the same bytes and no other copy: the archive lacks them now, too."
        )
    click.echo(f"Files exported before are not touched. Report: thresher report {crawl.path}")
