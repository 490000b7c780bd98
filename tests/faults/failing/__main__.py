"""The long form: every write and fsync of a small crawl fails in turn, then another one of the next run."""

import random
import tempfile
import time
from pathlib import Path

from tests.faults.failing.crawl import Archive, Database, Part, fail_and_resume, operations
from tests.faults.failing.disk import Fault


def main() -> None:
    """Say for each part and fault how many runs failed, and that nothing came of it."""
    for part in (Archive, Database):
        for fault in Fault:
            began = time.monotonic()
            tried, stopped = every_operation(part, fault)
            print(
                f"{part.__name__}, {fault.value}: each of {tried} writes and fsyncs failed in turn, "
                f"then another in the next run; {stopped} runs stopped with a sentence, nothing was lost "
                f"({time.monotonic() - began:.0f} s)",
                flush=True,
            )


def every_operation(part: Part, fault: Fault) -> tuple[int, int]:
    dice, stopped = random.Random(1), 0
    with tempfile.TemporaryDirectory() as scratch:
        count = operations(part, Path(scratch) / "whole")
        for at in range(1, count + 1):
            again = (dice.randint(1, count), dice.choice(list(Fault)))
            stopped += fail_and_resume(part, [(at, fault), again], Path(scratch) / str(at))
    return count, stopped


if __name__ == "__main__":
    main()
