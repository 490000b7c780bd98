"""The verb `resume`: a crawl goes on where it stopped, whatever stopped it."""

import asyncio
from typing import Any

import click

from thresher.build.crawl import planned
from thresher.cli.crawl import conclude, show_plan, title_of
from thresher.cli.logs import log_format_option, show_logs
from thresher.cli.options import flag_options, settings_over, the_crawl, topic_flags
from thresher.cli.run import carry_out
from thresher.core.enums import Outcome
from thresher.core.errors import UsageError
from thresher.store.folder import CrawlFolder, to_go_on
from thresher.store.read import Tally

EXAMPLES = """\b
Examples:
  thresher resume beekeeping
  thresher resume beekeeping --pages 5000
  thresher resume beekeeping --seed https://example.org/
"""


@click.command(epilog=EXAMPLES)
@click.argument("folder", required=False)
@flag_options(
    "seed",
    "seeds",
    *topic_flags(),
    "pages",
    "relevant",
    "time",
    "stop_below",
    "delay",
    "concurrency",
    "per_host",
    "workers",
    "allow_network",
    "pairs",
    "trust_folder",
)
@click.option("--plan", is_flag=True, help="Print the stages of the crawl, and fetch nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@log_format_option
@click.option("-v", "--verbose", count=True, help="Show every visit on stderr; twice: everything.")
def command(folder: str | None, plan: bool, as_json: bool, verbose: int, **flags: Any) -> int:
    """Go on with a crawl that was stopped, or that may go further.

    FOLDER is the crawl; without it, the only crawl here. Limits count everything the crawl has done so
    far, except --time, which counts from now. Pages that were fetched are not fetched again; if the topic
    was edited, here or in crawl.toml, they are judged again first, as 'thresher rejudge' does.
    """
    show_logs(verbose)
    crawl = the_crawl(folder)
    done = tally_of(crawl)  # says so if it is no crawl
    settings = to_go_on(crawl, settings_over(crawl, flags))
    if plan:
        return show_plan(planned(settings, crawl))
    refuse_less(flags["pages"], done.outcomes[Outcome.FETCHED], "pages")
    refuse_less(flags["relevant"], done.relevant, "relevant")
    return conclude(asyncio.run(carry_out(settings, crawl, title_of(settings), resume=True)), crawl, as_json)


def tally_of(crawl: CrawlFolder) -> Tally:
    """Return what the crawl has done so far."""
    store = crawl.open()
    try:
        return store.tally(store.facts.threshold)
    finally:
        store.close()


def refuse_less(asked: int | None, done: int, flag: str) -> None:
    """Refuse a limit that was passed long ago: nobody means that."""
    if asked and asked < done:
        raise UsageError(
            f"The crawl has {done} already: --{flag} counts them, so ask for more, or for 0: no limit."
        )
