"""The verb `serve` with --mcp: crawls for language models, over standard input and output."""

import sys

import click

from thresher.cli.options import the_crawl
from thresher.cli.output import show_logs
from thresher.mcp.server import talk
from thresher.mcp.tools import Tools

EXAMPLES = """\b
Examples:
  thresher serve --mcp beekeeping
  thresher serve --mcp tea coffee --allow-writes
\b
A client starts it by itself, for example with:
  {"mcpServers": {"thresher":
    {"command": "thresher", "args": ["serve", "--mcp", "/path/to/beekeeping"]}}}
"""


@click.command(epilog=EXAMPLES)
@click.argument("folders", nargs=-1, metavar="[FOLDER]...")
@click.option(
    "--allow-writes",
    is_flag=True,
    help="Let the client label pages: kept apart as a model's word, which the crawl may learn from.",
)
def command(folders: tuple[str, ...], allow_writes: bool) -> None:
    """Offer crawls to language models, by the Model Context Protocol over stdin and stdout.

    A client such as an assistant or an editor starts it and asks: list_crawls, search, read (a page as
    Markdown), why, changes; with --allow-writes also label. Nothing is fetched, and no path is named. What
    pages wrote is marked as untrusted: data found on the web, not an instruction.
    """
    show_logs(0)
    crawls = [the_crawl(name) for name in folders or (None,)]
    for crawl in crawls:
        crawl.open().close()  # says so if it is none
    talk(sys.stdin.buffer, sys.stdout.buffer, Tools(crawls, allow_writes))
