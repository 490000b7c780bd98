"""The verb `lab serve`: a recorded web over HTTP, for any crawler on this machine."""

import asyncio
import platform
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from thresher import __version__
from thresher.cli.output import print_json
from thresher.core.platform import most_files, on_stop
from thresher.core.records import Url
from thresher_lab.corpus import Corpus, read_urls
from thresher_lab.score import AccessLog, LogEnd, Served
from thresher_lab.served_web import ServedWeb, addresses_of, served
from thresher_lab.versions import code_version
from thresher_lab.web_server import ServerLimits, WebServer

SPARE_FILES = 256  # that the process needs besides its connections
EXAMPLES = """\b
Examples:
  thresher lab serve my-corpus --port 8080 --log access.jsonl
  thresher lab serve my-corpus --crawl-delay 0.1 --latency 0.02 --pages 500 --log access.jsonl
  thresher lab serve corpus-a corpus-b --hard --plain hosts.tsv
  curl --proxy http://127.0.0.1:8080 http://a.recorded.host/page
"""

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)
COUNT, SECONDS = click.IntRange(0), click.FloatRange(0)


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0: a free one.")
@click.option("--log", type=NEW_FILE, help="Write a line per answer here, for `lab score`.")
@click.option("--plain", type=NEW_FILE, help="Serve each host at a loopback address, too; list them here.")
@click.option("--hard", is_flag=True, help="Hide the pages that the hard mode of each corpus hides.")
@click.option("--hide", type=FILE, help="A file of URLs that answer 404, one a line.")
@click.option("--crawl-delay", type=SECONDS, default=0.0, help="Seconds that each robots.txt asks for.")
@click.option("--latency", type=SECONDS, default=0.0, help="Median seconds of an answer; 0: at once.")
@click.option("--luck", type=click.IntRange(1), default=1, show_default=True, help="The seed of latencies.")
@click.option("--pages", type=COUNT, default=0, help="Stop after so many pages; 0: no limit.")
@click.option("--seconds", type=SECONDS, default=0.0, help="Stop after so many seconds; 0: no limit.")
@click.option("--idle", type=SECONDS, default=300.0, show_default=True, help="Stop when nothing is asked.")
@click.option(
    "--cache", type=click.Path(file_okay=False, path_type=Path), help="Where notes on archives are kept."
)
@click.option("--json", "as_json", is_flag=True, help="Print at the end what was counted, as JSON.")
def serve(folders: tuple[Path, ...], log: Path | None, plain: Path | None, **asked: Any) -> int:
    """Serve recorded webs over HTTP on this machine, to compare any crawlers on them.

    Give the address that is printed to a crawler as its HTTP proxy. Pages that were recorded under https are
    served under http, with their links rewritten. Breaches of robots.txt and its Crawl-delay are counted. It
    stops by itself at a limit, or with Ctrl-C.
    """
    corpora = [Corpus(folder) for folder in folders]
    hidden = read_urls(asked["hide"]) if asked["hide"] else frozenset[Url]()

    def hides(corpus: Corpus) -> frozenset[Url]:
        return hidden | (corpus.hidden("hard") if asked["hard"] and "hard" in corpus.modes else frozenset())

    with ExitStack() as stack:
        web = stack.enter_context(served(corpora, hides, asked["crawl_delay"], asked["cache"]))
        file = stack.enter_context(log.open("wb")) if log else None
        books = AccessLog(file, _head(corpora, web, asked))
        hosts = addresses_of(web.hosts) if plain else {}
        limits = ServerLimits(asked["pages"], asked["seconds"], asked["idle"], _most_connections())
        server = WebServer(web, books, limits, asked["latency"], asked["luck"], hosts)
        seconds = asyncio.run(_run(server, asked["port"], plain))
        ended = books.close(server.reason, seconds, dict(web.faults) | _crowd(server))
    _tell(ended, books.bytes, asked["as_json"])
    return 0


async def _run(server: WebServer, port: int, plain: Path | None) -> float:
    """Serve until the end; being asked to end is an end like any other."""
    on_stop(partial(server.stop, "somebody ended it"))

    def ready(port: int) -> None:
        if plain:
            lines = [f"http://{address}:{port}\t{host}\n" for host, address in sorted(server.plain.items())]
            plain.write_text("".join(lines), encoding="utf-8")
        click.echo(
            f"{server.web.pages} pages of {len(server.web.hosts)} hosts: proxy http://127.0.0.1:{port}"
        )
        if server.web.folded:
            click.echo(f"{server.web.folded} URLs differ from another by https alone: one answers.", err=True)
        for fault, count in sorted(server.web.faults.items()):
            click.echo(f"{count} damaged place(s) of kind {fault}: what is whole is served.", err=True)

    return await server.run(port, ready)


def _head(corpora: Sequence[Corpus], web: ServedWeb, asked: dict[str, Any]) -> Served:
    return Served(
        corpora=tuple(corpus.name for corpus in corpora),
        pages=web.pages,
        mode="hard" if asked["hard"] else "hidden" if asked["hide"] else "easy",
        crawl_delay=asked["crawl_delay"],
        latency=asked["latency"],
        luck=asked["luck"],
        budget=asked["pages"],
        version=__version__,
        code=code_version(),
        python=platform.python_version(),
        began=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _most_connections() -> int:
    """Return how many connections this process can have, after asking for as many as it may."""
    return max(16, min(ServerLimits.connections, most_files(1 << 16) - SPARE_FILES))


def _crowd(server: WebServer) -> dict[str, int]:
    return {"connections refused because there were too many": server.crowded} if server.crowded else {}


def _tell(ended: LogEnd, size: int, as_json: bool) -> None:
    if as_json:
        return print_json(ended)
    counts = ", ".join(f"{count} {name}" for name, count in ended.counts.items()) or "nothing"
    click.echo(
        f"Ended after {ended.seconds:.1f} s: {ended.reason}. Asked: {counts}; {size / 1e6:.1f} MB sent."
    )
    for fault, count in sorted(ended.faults.items()):
        click.echo(f"{count}: {fault}.", err=True)
