"""The server of the browser tests: `python -m tests.browser.server FOLDER [PORT] [WALL...]` leaves walls out.

The command line has no such switch: a wall is left out here alone, to show what it keeps out.
"""

import asyncio
import sys
from pathlib import Path

from thresher.cli.serve import listen, names_of, run
from thresher.serve.app import Server
from thresher.serve.processes import Processes
from thresher.serve.security import Guards, Signer
from thresher.serve.state import CrawlRegistry

TOKEN = "browser-test-token-browser-test-token-1"


def main(place: str, port: str = "0", *left_out: str) -> None:
    """Serve until somebody ends it."""
    listening = listen("127.0.0.1", int(port))
    bound = listening.getsockname()[1]
    guards = Guards(names_of("127.0.0.1", bound), TOKEN, **dict.fromkeys(left_out, False))
    print(bound, flush=True)
    asyncio.run(run(Server(CrawlRegistry([Path(place)], Signer(b"s" * 32), Processes()), guards), listening))


if __name__ == "__main__":
    main(*sys.argv[1:])
