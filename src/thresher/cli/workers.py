"""The verb `worker` with --list: the workers of a crawl that runs."""

import click

from thresher.cli.options import the_crawl
from thresher.cli.output import text_of
from thresher.cluster.leases import Status, metrics, read_status
from thresher.export.wording import many, number, plain

EXAMPLES = """\b
Examples:
  thresher worker --list tea
  thresher worker --list tea --json
  thresher worker --list tea --metrics
"""


@click.command(epilog=EXAMPLES)
@click.argument("folder", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--metrics", "as_metrics", is_flag=True, help="Print it in the text format of Prometheus.")
def command(folder: str | None, as_json: bool, as_metrics: bool) -> int:
    """List the workers of a crawl that runs.

    FOLDER is the crawl; without it, the only crawl here. Below them stands what was lost and asked again.
    """
    status = read_status(the_crawl(folder).path)
    if as_metrics:
        click.echo(metrics(status), nl=False)
    else:
        click.echo(text_of(status) if as_json else table(status))
    return 0


def table(status: Status) -> str:
    """Return the workers, a line each, and what was counted."""
    heads = (
        f"{'worker':<40} {'orders':>6} {'slots':>5} {'answered':>9} {'pages/s':>8} {'CPU s':>8} {'heard':>7}"
    )
    rows = [
        f"{plain(each.name, 40):<40} {each.orders:>6} {each.capacity:>5} {number(each.answered):>9} "
        f"{each.pages_per_second:>8.1f} {each.cpu_seconds:>8.1f} {each.heard:>5.1f} s"
        f"{'  leaving' if each.draining else ''}"
        for each in status.workers
    ]
    counted = ", ".join(
        f"{number(count)} {plain(name.replace('_', ' '))}" for name, count in status.counts.items() if count
    )
    told = f"{many(len(status.workers), 'worker')}, {many(status.orders, 'order')} open of {status.capacity}."
    return "\n".join([heads, *rows, told + (f" Since the start: {counted}." if counted else "")])
