"""What workers bring and cost: one process beside two workers, by turns, over the harness's loopback web.

python benchmarks/worker_rounds.py SEEDS_FILE [--pages 1000] [--rounds 5] [--strategy best_first] [--nats]

Every turn is a crawl of a fifth of the pages and one of all of them; what a page costs and how fast it comes
is taken from the difference, so that starts and imports do not blur it. Ratios are taken
inside a round. The harness's server must run; nothing else should, if pages a second are to mean anything.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

CRAWL = Path(__file__).with_name("throughput.py")
SMALLER = 5
JOIN = re.compile(r"--connect '([^']+)'")
WORKERS = 2


@dataclass(frozen=True)
class Run:
    """One crawl: pages, seconds on the clock, and processor seconds of its own process and of all others."""

    pages: int
    seconds: float
    here: float
    others: float

    def __sub__(self, other: "Run") -> "Run":
        return Run(
            self.pages - other.pages,
            self.seconds - other.seconds,
            self.here - other.here,
            self.others - other.others,
        )

    @property
    def speed(self) -> float:
        """Pages a second."""
        return self.pages / self.seconds

    @property
    def fold(self) -> float:
        """Processor milliseconds of the crawl's own process a page."""
        return 1000 * self.here / self.pages

    @property
    def sum(self) -> float:
        """Processor milliseconds of everybody a page."""
        return 1000 * (self.here + self.others) / self.pages


def main() -> None:
    """Print every round, and the medians of the ratios."""
    parser = argparse.ArgumentParser(prog="worker_rounds.py", description=__doc__)
    parser.add_argument("seeds", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--strategy", default="best_first")
    parser.add_argument("--nats", action="store_true", help="workers that join over an engine, too")
    asked = parser.parse_args()
    kinds = ["0", str(WORKERS), *(["bus"] if asked.nats else [])]
    found: dict[str, list[tuple[float, float, float]]] = {kind: [] for kind in kinds[1:]}
    for turn in range(asked.rounds):
        order = kinds if turn % 2 else kinds[::-1]
        runs = {kind: difference(asked, kind) for kind in order}
        for kind in kinds:
            print(f"{turn + 1:>2} {told(kind, runs[kind], runs['0'])}", flush=True)
        for kind, ratios in found.items():
            run, one = runs[kind], runs["0"]
            ratios.append((run.speed / one.speed, run.fold / one.sum, run.sum / one.sum))
    for kind, ratios in found.items():
        speed, fold, total = (median(each) for each in zip(*ratios, strict=True))
        ratio = f"{speed:.2f} times the pages a second, fold {fold:.3f}, sum {total:.3f}"
        print(f"{asked.strategy}, workers {kind}: {ratio}")


def told(kind: str, run: Run, single: Run) -> str:
    """Return one run in a line."""
    return (
        f"workers {kind:>3}: {run.speed:6.1f} pages/s ({run.speed / single.speed:.2f}), "
        f"fold {run.fold:.2f} ms a page, everybody {run.sum:.2f} ({run.sum / single.sum:.3f})"
    )


def difference(asked: argparse.Namespace, kind: str) -> Run:
    """Return what the last four fifths of a crawl take."""
    return crawl(asked, kind, asked.pages) - crawl(asked, kind, asked.pages // SMALLER)


def crawl(asked: argparse.Namespace, kind: str, pages: int) -> Run:
    """Return what one crawl took, the workers that joined it included."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [str(asked.seeds), str(pages), folder, "64", "8", asked.strategy, kind]
        command = [sys.executable, str(CRAWL), *arguments]
        program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        joined = joined_by(program) if kind == "bus" else []
        out, err = program.communicate()
        others = sum(ended(worker) for worker in joined)
    results = [line for line in out.splitlines() if line.startswith("RESULT ")]
    if not results:
        sys.exit(f"The crawl failed: {err[-2000:]}")
    result = json.loads(results[0].removeprefix("RESULT "))
    return Run(result["pages"], result["seconds"], result["here"], result["others"] + others)


def joined_by(program: "subprocess.Popen[str]") -> list["subprocess.Popen[bytes]"]:
    """Start workers by the line that a crawl prints, and let what it says later flow away."""
    assert program.stderr
    line = next((match for each in program.stderr if (match := JOIN.search(each))), None)
    if line is None:
        return []
    threading.Thread(target=program.stderr.read, daemon=True).start()
    command = [sys.executable, "-m", "thresher", "worker", "--connect", line[1], "--concurrency", "32"]
    return [subprocess.Popen([*command, "--allow-network=127.0.0.0/8"]) for _ in range(WORKERS)]


def ended(worker: "subprocess.Popen[bytes]") -> float:
    """Return the processor seconds of a worker that is told to leave."""
    time.sleep(0.1)
    worker.send_signal(signal.SIGTERM)
    _, _, usage = os.wait4(worker.pid, 0)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
