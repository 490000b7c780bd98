"""How long a worker takes from its start to its first page, over an engine with TLS.

python benchmarks/worker_joins.py [ROUNDS]

The crawl waits on loopback, with the practice web before it; the moment of the first page is the first
`ended` line of its ledger, which -vv prints.
"""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

from thresher_practice import PracticeWeb
from thresher_practice.server import LOOPBACK, PracticeServer

JOIN = re.compile(r"--connect '([^']+)'")
ENDED = re.compile(r"ended \w{16} \d+")
TOPIC = "beekeeping"
PROGRAM = (sys.executable, "-m", "thresher")


def main(rounds: int = 5) -> None:
    """Print every round and the median."""
    seeds, taken = served(), list[tuple[float, float]]()
    for turn in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            taken.append(joined(Path(folder), seeds, 4300 + turn))
        clock, processor = taken[-1]
        print(
            f"{turn + 1:>2}: {clock:.2f} s from its start to its first page, {processor:.2f} of the processor"
        )
    clocks, processors = zip(*taken, strict=True)
    print(
        f"median {median(clocks):.2f} s, longest {max(clocks):.2f}; of the processor {median(processors):.2f}"
    )


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


def joined(place: Path, seeds: list[str], port: int) -> tuple[float, float]:
    """Return the seconds from the start of a worker to the first page it brought, and its processor's."""
    command = ["crawl", TOPIC, "-o", str(place / "bees"), "--pages", "5", "--delay", "0", "-vv"]
    command += [part for seed in seeds for part in ("--seed", seed)]
    command += ["--allow-network", f"{LOOPBACK}/32", "--workers", f"bus://127.0.0.3:{port}"]
    crawl = subprocess.Popen(
        [*PROGRAM, *command], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert crawl.stderr
    line = next(found for each in crawl.stderr if (found := JOIN.search(each)))
    time.sleep(1.0)
    begun = time.monotonic()
    worker = [*PROGRAM, "worker", "--connect", line[1], "--allow-network", f"{LOOPBACK}/32"]
    hand = subprocess.Popen(worker, stderr=subprocess.DEVNULL)
    try:
        next(each for each in crawl.stderr if ENDED.search(each))
        return time.monotonic() - begun, processor_of(hand.pid)
    finally:
        hand.kill()
        hand.wait()
        crawl.kill()
        crawl.communicate()


def processor_of(process: int) -> float:
    """Return the processor seconds that a process has taken so far."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
