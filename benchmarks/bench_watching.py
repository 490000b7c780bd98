"""What it costs a crawl to be watched: processor time a page, alone and with a stream on it, by turns.

python benchmarks/bench_watching.py [ROUNDS [PAGES]]

The crawl goes over HTTP to a practice web on this machine. Watched, `thresher serve` looks at its folder,
keeps the index up to date and tells every visit to a client. What the crawling process itself spends is
counted, whatever else the machine does; the order of the two changes from round to round.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import urllib.request
from contextlib import suppress
from pathlib import Path
from statistics import median

from thresher_practice import PracticeWeb
from thresher_practice.server import LOOPBACK, PracticeServer

TOPIC = "beekeeping"


def main(rounds: int = 10, pages: int = 300) -> None:
    """Print what a page took in each round, and the median of the ratios."""
    ratios = []
    seeds = served()
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds):
            spent = {}
            for watched in (False, True) if turn % 2 else (True, False):
                place = Path(folder) / f"{turn}-{watched}"
                place.mkdir()
                spent[watched] = crawl(place, seeds, pages, watched)
            ratios.append(spent[True] / spent[False])
            print(
                f"{turn + 1:>3}: {1000 * spent[False] / pages:.2f} ms a page alone, "
                f"{1000 * spent[True] / pages:.2f} ms watched, {100 * (ratios[-1] - 1):+.1f} %",
                flush=True,
            )
    print(f"median {100 * (median(ratios) - 1):+.1f} % over {rounds} rounds of {pages} pages")


def served() -> list[str]:
    """Serve the practice web in a thread until this process ends, and return where to begin."""
    server, ready = PracticeServer(PracticeWeb(1)), threading.Event()

    async def forever() -> None:
        async with server:
            ready.set()
            await asyncio.Event().wait()

    threading.Thread(target=lambda: asyncio.run(forever()), daemon=True).start()
    ready.wait(10)
    return list(server.web.seeds(TOPIC))


def crawl(place: Path, seeds: list[str], pages: int, watched: bool) -> float:
    """Return the processor seconds of a crawl."""
    command = ["crawl", TOPIC, "--pages", str(pages), "--delay", "0", "--allow-network", f"{LOOPBACK}/32"]
    command += [part for seed in seeds for part in ("--seed", seed)] + ["-o", str(place / "bees")]
    watcher = watching(place) if watched else None
    child = subprocess.Popen(
        [sys.executable, "-m", "thresher", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(child.pid, 0)
    if watcher:
        watcher.terminate()
        watcher.wait(20)
    return usage.ru_utime + usage.ru_stime


def watching(place: Path) -> "subprocess.Popen[str]":
    """Serve a folder, and read the stream of its crawl in a thread."""
    command = [sys.executable, "-m", "thresher", "serve", str(place), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout
    address, _, token = server.stdout.readline().rpartition(" at ")[2].strip().partition("/#token=")

    def read() -> None:
        headers = {"Authorization": f"Bearer {token}", "Last-Event-ID": "0"}
        request = urllib.request.Request(f"{address}/api/v1/events?crawl=bees", headers=headers)
        with suppress(OSError), urllib.request.urlopen(request) as stream:
            for _ in stream:
                pass

    threading.Thread(target=read, daemon=True).start()
    return server


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
