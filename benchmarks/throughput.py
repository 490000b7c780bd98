"""One row of the throughput harness: the whole durable crawl, and what it did as the line RESULT.

python benchmarks/throughput.py SEEDS_FILE PAGES FOLDER CONCURRENCY PER_HOST [STRATEGY [WORKERS]]

WORKERS is a number of processes, or the engine over which others join; RESULT tells the processor seconds of
this process and of its children apart. STRATEGY may name a form and a topic as contenders of the laboratory
do: fcmrps+sound+rich. The rich topic is a node of the taxonomy beside the keywords, without which CT-FC has
no lexicon and FCMRPS no path.
"""

import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

sys.dont_write_bytecode = False  # who installs a program compiles it once, not for every crawl
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

import uvloop  # noqa: E402

from thresher.build import run  # noqa: E402
from thresher.settings.load import read  # noqa: E402
from thresher.store.folder import CrawlFolder  # noqa: E402
from thresher_lab.contenders.named import check, contender_of  # noqa: E402

WORDS = (
    "thread concurrent lock mutex synchronized parallel task executor async await future atomic "
    "queue process scheduler semaphore deadlock memory event worker"
).split()
NODE = "Computers/Programming"


def main(
    seeds: str,
    pages: str,
    folder: str,
    concurrency: str,
    per_host: str,
    strategy: str = "best_first",
    workers: str = "0",
) -> None:
    """Crawl every page of the harness's loopback web."""
    keywords = {word: 1.0 + 0.1 * (20 - place) for place, word in enumerate(WORDS)}
    check(contender := contender_of(strategy))
    node = NODE if contender.model == "rich" else ""
    settings = read(
        None,
        [
            ("topic", {"name": "concurrency", "keywords": keywords, "node": node}),
            ("seeds", tuple(Path(seeds).read_text(encoding="utf-8").split())),
            ("strategy", {"name": contender.strategy, "parameters": contender.parameters}),
            ("judge.name", "cosine"),  # as every row of the harness judges
            ("stop.pages", int(pages)),
            ("scope.include", (r"^http://127\.",)),
            ("web", web_of(int(concurrency), int(per_host), workers)),
            ("cluster.bus", "" if workers.isdigit() else workers),
        ],
    )
    crawl = CrawlFolder(Path(folder) / "crawl")
    result = uvloop.run(run(settings, crawl))
    with closing(sqlite3.connect(crawl.database)) as database:
        (links,) = database.execute("SELECT ifnull(sum(length(targets)) / 8, 0) FROM link").fetchone()
    here, others = (sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    cpu = {"here": round(here, 2), "others": round(others, 2), "seconds": round(result.seconds, 2)}
    print("RESULT " + json.dumps({"pages": result.pages, "links": links, **cpu}))


def web_of(concurrency: int, per_host: int, workers: str) -> dict[str, object]:
    """Return the settings of the web: loopback without pauses."""
    return {
        "kind": "live",
        "delay": 0.0,
        "concurrency": concurrency,
        "per_host": per_host,
        "per_address": per_host,
        "workers": int(workers) if workers.isdigit() else 0,
        "allow_networks": ("127.0.0.0/8",),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
