"""The verb `label`: say of fetched pages whether they are what is wanted; the crawl learns it at once."""

from pathlib import Path

import click

from thresher.api.saying import say
from thresher.build.plugins import label_source
from thresher.cli.options import the_crawl
from thresher.core.errors import UsageError
from thresher.core.url import parse
from thresher.export.words import many
from thresher.store.labels import label_of, read_labels

EXAMPLES = """\b
Examples:
  thresher label basketball https://example.org/game yes
  thresher label basketball https://example.org/cake no
  thresher label basketball --csv labels.csv
"""


@click.command(epilog=EXAMPLES)
@click.argument("folder")
@click.argument("url", required=False)
@click.argument("answer", required=False)
@click.option(
    "--csv",
    "table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Many at once: a URL and yes or no in each line.",
)
@click.option(
    "--from",
    "source",
    metavar="SOURCE",
    help="Many at once: a label source of your own, as package.module:Class or by its entry point.",
)
def command(folder: str, url: str | None, answer: str | None, table: Path | None, source: str | None) -> int:
    """Say of fetched pages whether they are what is wanted, so that the crawl learns it.

    What you say of a page outranks the judge at once: in counts, lists, reports, exports and 'why'. A crawl
    that is running learns from it with its next visit, one that has stopped when it is resumed. It takes
    both a yes and a no to learn from. Only the strategy `thresher` learns from labels.
    """
    crawl = the_crawl(folder)
    labels = read_labels(table) if table else {}
    if source:
        labels |= {parse(each): wanted for each, wanted in label_source(source).labels().items()}
    if url is not None:
        labels[parse(url)] = _answered(answer)
    if not labels:
        raise UsageError(
            "Nothing to label: give a URL and yes or no, a table with --csv, or a source with --from."
        )
    said = say(crawl, labels)
    for each in said.unknown:
        click.echo(f"{each} was not fetched in this crawl; it is left out.", err=True)
    click.echo(f"{many(len(said.labelled), 'page')} labelled. {said.effect}")
    return 0 if said.labelled else 1


def _answered(answer: str | None) -> bool:
    wanted = label_of(answer or "")
    if wanted is None:
        raise UsageError("Is the page what is wanted? Write yes or no after its URL.")
    return wanted
