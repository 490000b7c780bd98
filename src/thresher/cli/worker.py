"""The verb `worker`: this machine fetches, reads and packs for a crawl that runs elsewhere."""

import asyncio
import importlib
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

import click

from thresher.build.worker import VisitorFactory
from thresher.cli.options import mode_option
from thresher.cli.output import log_format_option, show_logs
from thresher.cluster.messages import WorkerTransport
from thresher.cluster.nats import PATIENCE, NatsWorkerTransport, address_of, refuse_plain
from thresher.cluster.nats import connect as connect_to
from thresher.cluster.sockets import SocketEnd, inherited
from thresher.cluster.worker import CAPACITY, Worker, own_name
from thresher.core.platform import on_stop
from thresher.engine.workers import relaxed_gc
from thresher.settings.components import Secret

EXAMPLES = """\b
Examples:
  thresher worker --connect nats://127.0.0.1:4222
  thresher worker --connect 'tls://worker:PASSWORD@HOST:4222#sha256=FINGERPRINT'
  thresher worker --connect env:THRESHER_BUS --allow-network 10.0.0.0/8
  thresher worker --list tea
"""
LOCAL = "fd:"


def _former(context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    if value is not None:
        click.echo("--room is called --concurrency now.", err=True)
    return value


@click.command(epilog=EXAMPLES)
@click.option("--connect", metavar="URL", required=True, help="The line the crawl prints, or env:NAME.")
@click.option(
    "--crawl", metavar="ID", default="", help="Work for this crawl alone; default: the first one that calls."
)
@click.option(
    "--concurrency",
    metavar="N",
    type=click.IntRange(min=1),
    default=CAPACITY,
    help="Pages under way at once.",
)
@click.option("--room", type=click.IntRange(min=1), hidden=True, callback=_former)
@click.option(
    "--allow-network",
    metavar="CIDR",
    multiple=True,
    help="Visit this private network, if the crawl may, too.",
)
@click.option(
    "--allow-class",
    metavar="NAME",
    multiple=True,
    help="A judge or reader that is not ours and may be imported.",
)
@click.option(
    "--patience",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=PATIENCE,
    show_default=True,
    help="Wait so long for an engine that went away, then end.",
)
@mode_option("--list", "List the workers of a crawl that runs")
@click.option("--insecure", is_flag=True, help="Connect to another machine in plain text.")
@log_format_option
@click.option("-v", "--verbose", count=True, help="Say more on stderr; twice: everything.")
def command(connect: str, verbose: int, **flags: Any) -> int:
    """Run a worker process for a crawl on another machine.

    A worker keeps nothing on a disk, imports only what it was started with and visits private networks
    only where both it and the crawl allow them. SIGTERM or Ctrl-C lets it finish what it holds and leave;
    a second one ends it now. When its crawl ends it waits for the next, and for an engine that went away
    as long as --patience says.
    """
    show_logs(verbose)
    with relaxed_gc():
        return runner()(_work(Secret(connect).reveal(), **flags))


def runner() -> Callable[[Coroutine[Any, Any, int]], int]:
    """Return what runs a worker: uvloop, where it is."""
    try:
        return importlib.import_module("uvloop").run  # type: ignore[no-any-return]
    except ImportError:
        return asyncio.run


async def _work(
    url: str,
    crawl: str,
    concurrency: int,
    room: int | None,
    allow_network: tuple[str, ...],
    allow_class: tuple[str, ...],
    patience: float,
    insecure: bool,
) -> int:
    transport = _transport(url, crawl, patience, insecure)
    shop = VisitorFactory(allow_network, allow_class, url.startswith(LOCAL))
    worker = Worker(transport, shop, room or concurrency, crawl)
    if not url.startswith(LOCAL):  # those are the crawl's, which decides when they stop
        on_stop(partial(_leave, worker))
    await worker.run()
    return 0


def _transport(url: str, crawl: str, patience: float, insecure: bool) -> WorkerTransport:
    if url.startswith(LOCAL) and url.removeprefix(LOCAL).isdecimal():
        return SocketEnd(inherited(int(url.removeprefix(LOCAL))), own_name())
    address = address_of(url)
    refuse_plain(address, insecure, "--insecure")
    name = f"{address.user or 'worker'}.{own_name()}"
    return NatsWorkerTransport(partial(connect_to, address, name), name, crawl, patience)


def _leave(worker: Worker) -> None:
    """Drain at the first signal, stop at the second."""
    if worker.is_draining:
        worker.stop()
    else:
        click.echo("Leaving after what is under way; once more leaves now.", err=True)
        worker.drain()
