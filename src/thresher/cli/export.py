"""The verb `export`: the pages of a crawl for other programs."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

import click

from thresher.cli.folders import the_crawl
from thresher.export import csv, jsonl
from thresher.export.files import whole_file
from thresher.export.items import Item, items_of
from thresher.export.wording import number

EXAMPLES = """\b
Examples:
  thresher export beekeeping --relevant > bees.jsonl
  thresher export beekeeping -o bees.csv
"""

FORMATS: dict[str, Callable[[Iterable[Item], BinaryIO], int]] = {"jsonl": jsonl.write, "csv": csv.write}
ENDINGS = {".csv": "csv"}


@click.command(epilog=EXAMPLES)
@click.argument("folder", required=False)
@click.option(
    "-f", "--format", "kind", type=click.Choice(list(FORMATS)), help="Default: what FILE ends in, else jsonl."
)
@click.option("--relevant", is_flag=True, help="Only the pages that the judge found relevant.")
@click.option("-o", "--output", metavar="FILE", help="Where to write; default: stdout.")
def command(folder: str | None, kind: str | None, relevant: bool, output: str | None) -> None:
    """Write the pages of a crawl as JSON Lines or CSV.

    Fields: url, requested_url, status, fetched_at, title, text, language, relevance, is_relevant, parent,
    depth, anchor, digest. A file appears under its name only when it is complete.
    """
    write = FORMATS[kind or ENDINGS.get(Path(output or "").suffix, "jsonl")]
    items = items_of(the_crawl(folder), relevant)
    if output is None or output == "-":
        write(items, sys.stdout.buffer)
        return
    with whole_file(Path(output)) as file:
        count = write(items, file)
    click.echo(f"{number(count)} pages in {output}", err=True)
