"""The verb `serve`: the crawls of a folder in a browser, on this machine and for its user alone."""

import asyncio
import secrets
import socket
import webbrowser
from contextlib import suppress
from pathlib import Path

import click
from aiohttp import web

from thresher.cli.options import mode_option
from thresher.cli.output import show_logs
from thresher.core.errors import UsageError
from thresher.core.files import open_new
from thresher.core.platform import can_others_read
from thresher.serve.app import Server
from thresher.serve.processes import Processes
from thresher.serve.security import Guards, Signer
from thresher.serve.state import CrawlRegistry
from thresher.settings.load import PRIVATE
from thresher.store.folder import CrawlFolder

PORT = 8417
LOOPBACK = ("127.0.0.1", "::1", "localhost")
EVERYWHERE = ("0.0.0.0", "::")
EXAMPLES = """\b
Examples:
  thresher serve
  thresher serve crawls --open
  thresher serve demo --port 0
  thresher serve --mcp beekeeping
"""


@click.command(epilog=EXAMPLES)
@click.argument("folders", nargs=-1, metavar="[FOLDER]...", type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0: a free one.")
@click.option("--open", "opens", is_flag=True, help="Open the browser.")
@click.option("--contact", metavar="ADDRESS", help="Where site owners reach you, for crawls started here.")
@click.option(
    "--allow-network",
    "networks",
    metavar="NETWORK",
    multiple=True,
    help="A private network that crawls started here may visit.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen at; another than this machine's own needs --token-file.",
)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the token in this file, for programs; made if it is not there.",
)
@mode_option("--mcp", "Serve crawls to language models over stdin and stdout")
@click.option("-v", "--verbose", count=True, help="Say more on stderr.")
def command(
    folders: tuple[Path, ...],
    port: int,
    opens: bool,
    contact: str | None,
    networks: tuple[str, ...],
    host: str,
    token_file: Path | None,
    verbose: int,
) -> int:
    """Open a dashboard in the browser, or serve crawls to language models.

    FOLDER is a crawl, or holds crawls; without one, this folder. The address that is printed has a token in
    it, which opens the crawls and begins others. Crawls that are begun here go on when the server
    ends. Ctrl-C ends it.
    """
    show_logs(verbose)
    for missing in (folder for folder in folders if not folder.is_dir()):
        CrawlFolder(missing).must_exist()
    roots = [folder.resolve() for folder in folders or (Path(),)]
    if host not in LOOPBACK and token_file is None:
        raise UsageError(f"{host} can be reached by others: name a file for the token with --token-file.")
    listening = listen(host, port)
    port = listening.getsockname()[1]
    token = token_of(token_file)
    given = (f"--set=contact={contact}",) if contact else ()
    allowed = tuple(f"--allow-network={network}" for network in networks)
    desk = CrawlRegistry(roots, Signer(secrets.token_bytes(32)), Processes((*given, *allowed), networks))
    server = Server(desk, Guards(names_of(host, port), token))
    address = f"http://{'127.0.0.1' if host in LOOPBACK else host}:{port}/#token={token}"
    click.echo(f"{len(desk.crawls())} crawls at {address}")
    if host not in LOOPBACK:
        click.echo(
            f"Others can reach {host}:{port}, and the token crosses the network in plain text.", err=True
        )
    if opens:
        webbrowser.open(address)
    with suppress(KeyboardInterrupt):
        asyncio.run(run(server, listening))
    return 0


async def run(server: Server, listening: socket.socket) -> None:
    """Answer until it is stopped."""
    runner = web.AppRunner(server.app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    await web.SockSite(runner, listening).start()
    try:
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def listen(host: str, port: int) -> socket.socket:
    """Return a socket at an address, or say that it is taken."""
    made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as error:
        made.close()
        raise UsageError(
            f"Port {port} of {host} cannot be had ({error.strerror}). --port 0 takes a free one."
        ) from None
    made.listen(128)
    return made


def names_of(host: str, port: int) -> frozenset[str]:
    """Return the names by which browsers may call the server."""
    here = ("127.0.0.1", "localhost", "[::1]")  # also of who listens everywhere: a container's port, say
    names = here if host in LOOPBACK else (host, *(here if host in EVERYWHERE else ()))
    return frozenset(f"{name}:{port}" for name in names)


def token_of(file: Path | None) -> str:
    """Return a new token, or that of a file, which only its owner may read."""
    if file is None:
        return secrets.token_urlsafe(32)
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with open_new(file, PRIVATE) as out:
            out.write(secrets.token_urlsafe(32).encode())
    token = file.read_text(encoding="ascii", errors="replace").strip()
    if len(token) < 32:
        raise UsageError(f"{file} holds no token of 32 letters or more. Remove it, and one will be made.")
    if can_others_read(file):
        raise UsageError(f"{file} can be read by others. Fix it with 'chmod 600 {file}'.")
    return token
