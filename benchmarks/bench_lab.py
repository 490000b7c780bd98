"""Prints how long a comparison takes: ten strategies on a recorded web, with pages parsed before and not.

python benchmarks/bench_lab.py                    two topics of the practice web, 300 pages
python benchmarks/bench_lab.py --full [FOLDER]    all topics (of a corpus folder), 1,000 pages
"""

import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from thresher_lab.corpus import Corpus
from thresher_lab.experiment import carry_out
from thresher_lab.record import record_practice
from thresher_lab.results import ExperimentSettings

CONTENDERS = (
    "breadth_first", "label_oracle", "best_first", "best_first+rich", "fish_search", "fish_search+rich",
    "shark_search", "shark_search+rich", "shark_simple", "shark_simple+rich",
)  # fmt: skip


def timed(asked: ExperimentSettings, folder: Path, name: str) -> float:
    started = perf_counter()
    results = carry_out(asked, folder / f"{name}.jsonl", folder / "cache", os.cpu_count() or 1)
    seconds = perf_counter() - started
    pages = sum(result.measures.pages for result in results)
    print(
        f"{name:8} {len(results)} runs, {pages} pages: {seconds:.1f} s, {1e3 * seconds / pages:.2f} ms a page"
    )
    return seconds


def main() -> None:
    full = "--full" in sys.argv
    named = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        corpus = Corpus(Path(named[0])) if named else record_practice(folder / "practice")
        topics = tuple(corpus.topics) if full else tuple(corpus.topics)[:2]
        asked = ExperimentSettings(
            (str(corpus.path),), CONTENDERS, topics, modes=("easy",), pages="1000" if full else "300"
        )
        first = timed(asked, folder, "cold")
        print(f"parsed pages kept: {timed(asked, folder, 'warm') / first:.2f} of the time")


if __name__ == "__main__":
    main()
