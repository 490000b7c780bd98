"""The verb `label`: say of fetched pages whether they are what is wanted; the crawl learns it at once."""

from pathlib import Path

import click

from thresher.build.plugins import has_door
from thresher.cli.options import the_crawl
from thresher.core.errors import UsageError
from thresher.core.kinds import Outcome
from thresher.core.records import Url
from thresher.core.strategy import Teachable
from thresher.core.url import parse
from thresher.export.words import many
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels, label_of, read_labels

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
def command(folder: str, url: str | None, answer: str | None, table: Path | None) -> int:
    """Say of fetched pages whether they are what is wanted, so that the crawl learns it.

    What you say of a page outranks the judge at once: in counts, lists, reports, exports and 'why'. A crawl
    that is running learns from it with its next visit, one that has stopped when it is resumed. It takes
    both a yes and a no to learn from. Only the strategy `thresher` learns from labels.
    """
    crawl = the_crawl(folder)
    labels = read_labels(table) if table else {}
    if url is not None:
        labels[parse(url)] = _answered(answer)
    if not labels:
        raise UsageError("Nothing to label: give a URL and yes or no, or a table with --csv.")
    known, strategy = _fetched(crawl, labels)
    for each in sorted(labels.keys() - known):
        click.echo(f"{each} was not fetched in this crawl; it is left out.", err=True)
    told = Labels(crawl.labels)
    told.add({each: labels[each] for each in labels if each in known})
    click.echo(f"{many(len(known), 'page')} labelled. {_what_comes_of_it(strategy, {*told.all().values()})}")
    return 0 if known else 1


def _what_comes_of_it(strategy: str, kinds: set[bool]) -> str:
    if not kinds:
        return "Name pages that were fetched: 'thresher report' lists those whose label would help most."
    if not has_door(strategy, Teachable):
        return f"It counts as you said, but {strategy} learns nothing from it; --strategy thresher would."
    if len(kinds) < 2:
        other = "no" if True in kinds else "yes"
        return f"It counts as you said; the crawl learns from it as soon as one is labelled {other}, too."
    return "It counts as you said; a running crawl learns from it with its next visit, another when resumed."


def _answered(answer: str | None) -> bool:
    wanted = label_of(answer or "")
    if wanted is None:
        raise UsageError("Is the page what is wanted? Write yes or no after its URL.")
    return wanted


def _fetched(crawl: CrawlFolder, labels: dict[Url, bool]) -> tuple[set[Url], str]:
    """Return which of the pages a crawl has fetched, and its strategy."""
    store = crawl.open()
    try:
        fetched = {
            url for url in labels if any(visit.outcome is Outcome.FETCHED for visit in store.history(url))
        }
        return fetched, crawl.asked().strategy.name
    finally:
        store.close()
