"""The verb `label` with --apply: stored pages are judged again; nothing is fetched."""

from collections.abc import Iterator, Sequence
from typing import Any

import click

from thresher.build.rejudge import Rejudged, RelevanceChange, rejudge
from thresher.cli.options import flag_options, settings_over, the_crawl, topic_flags
from thresher.cli.output import print_json, show_logs
from thresher.export.wording import harvest, many, plain
from thresher.report.crawl_report import write_report

EXAMPLES = """\b
Examples:
  thresher label --apply beekeeping
  thresher label --apply beekeeping --description "keeping bees in hives"
  thresher label --apply beekeeping --set judge.name=cosine
"""

SHOWN = 10  # pages of each kind; --json has all


@click.command(epilog=EXAMPLES)
@click.argument("folder")
@flag_options(*topic_flags(), "pairs", "trust_folder")
@click.option("--json", "as_json", is_flag=True, help="Print all pages that changed as JSON.")
def command(folder: str, as_json: bool, **flags: Any) -> None:
    """Judge the stored pages of a crawl again, without one request.

    After new labels, with an edited topic (by options, or in crawl.toml in the FOLDER) or with another
    judge. It shows which pages turned relevant and which are so no longer; 'thresher resume' then goes on
    by the new verdicts. A page that you labelled counts as you said, by any judge.
    """
    show_logs(0)
    crawl = the_crawl(folder)
    result = rejudge(crawl, settings_over(crawl, flags))
    write_report([crawl])
    if as_json:
        print_json(result)
    else:
        click.echo("\n".join(_told(result)))


def _told(result: Rejudged) -> Iterator[str]:
    yield f"{harvest(result.relevant, result.pages)}; before it were {result.relevant_before}."
    yield from _listed(result.turned_relevant, "turned relevant")
    yield from _listed(result.no_longer, "no longer relevant")


def _listed(pages: Sequence[RelevanceChange], what: str) -> Iterator[str]:
    yield f"{many(len(pages), 'page')} {what}{':' if pages else '.'}"
    for page in pages[:SHOWN]:
        yield f"  {page.before:.3f} -> {page.relevance:.3f}  {page.url}  {plain(page.title, 80)}"
    if len(pages) > SHOWN:
        yield f"  and {len(pages) - SHOWN} more; --json has them all"
