"""The verb `export`: the pages of a crawl for other programs."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

import click

from thresher.cli.documents import standard_output
from thresher.cli.options import the_crawl
from thresher.core.errors import UsageError
from thresher.core.files import whole_file
from thresher.export import csv, jsonl
from thresher.export.items import Item, items_of
from thresher.export.warc import export_archive
from thresher.export.words import number
from thresher.store.folder import CrawlFolder

EXAMPLES = """\b
Examples:
  thresher export beekeeping --relevant > bees.jsonl
  thresher export beekeeping -o bees.csv
  thresher export beekeeping --relevant -o bees.warc.gz
"""

FORMATS: dict[str, Callable[[Iterable[Item], BinaryIO], int]] = {"jsonl": jsonl.write, "csv": csv.write}
ARCHIVE = "warc"
ENDINGS = {".csv": "csv", ".gz": ARCHIVE}


@click.command(epilog=EXAMPLES)
@click.argument("folder", required=False)
@click.option(
    "-f",
    "--format",
    "kind",
    type=click.Choice([*FORMATS, ARCHIVE]),
    help="Default: what FILE ends in, else jsonl.",
)
@click.option("--relevant", is_flag=True, help="Only the pages that the judge found relevant.")
@click.option("-o", "--output", metavar="FILE", help="Where to write; default: stdout.")
def command(folder: str | None, kind: str | None, relevant: bool, output: str | None) -> None:
    """Write the pages of a crawl as JSON Lines, CSV or WARC.

    Fields: url, requested_url, status, fetched_at, title, text, language, relevance, is_relevant, parent,
    depth, anchor, digest. WARC has the requests and responses byte for byte, with a CDXJ index beside the
    file. A file appears under its name only when it is complete; the crawl may be running.
    """
    crawl, kind = the_crawl(folder), kind or ENDINGS.get(Path(output or "").suffix, "jsonl")
    if kind == ARCHIVE:
        return _export_archive(crawl, relevant, output)
    write, items = FORMATS[kind], items_of(crawl, relevant)
    if output is None or output == "-":
        write(items, standard_output())
        return
    with whole_file(Path(output)) as file:
        count = write(items, file)
    click.echo(f"{number(count)} pages in {output}", err=True)


def _export_archive(crawl: CrawlFolder, relevant: bool, output: str | None) -> None:
    if output is None or output == "-":
        raise UsageError("A WARC file has its index beside it; name the file, as in -o bees.warc.gz.")
    count = export_archive(crawl, Path(output), relevant)
    click.echo(f"{number(count)} responses in {output}, and their index beside it", err=True)
