"""The crawl that is killed: the real command line, which stops dead at a named point if it is told to.

python -m tests.faults.killing.driver POINT TIMES ARGUMENTS_OF_THRESHER...
"""

import sys
import time

from thresher.cli.main import main
from thresher.core import files

REACHED = "reached"


class StandStill:
    """Say so when a point is reached for the n-th time, and wait there to be killed."""

    def __init__(self, point: str, times: int) -> None:
        self.point, self.left = point, times

    def __call__(self, point: str) -> None:
        self.left -= point == self.point
        if not self.left:
            print(REACHED, flush=True)
            time.sleep(600)


if __name__ == "__main__":
    point, times, *arguments = sys.argv[1:]
    if point:
        files.listen(StandStill(point, int(times)))
    main(arguments)
