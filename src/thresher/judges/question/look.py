"""What the question alone makes of a page: the part of a judgement that needs no state."""

from collections.abc import Sequence
from math import exp, log

from msgspec import Struct

from thresher.judges.question.feedback import Lesson
from thresher.judges.question.vector import Vector
from thresher.judges.question.weights import Line

CLOSEST = 1e-6  # to 0 and 1
TOLD = {True: 0.99, False: 0.01}  # how surely a page is wanted of which the user has said so


class Look(Struct, frozen=True):
    """The stateless part of a judgement: what the question alone makes of a page, and its words."""

    probability: float
    answers: bool  # has any word of the question
    vector: Vector

    def lesson(self, label: bool | None = None) -> Lesson:
        """Return what the page teaches; what the user said of it goes before all else."""
        if label is not None:
            return Lesson(self.vector, TOLD[label])
        return Lesson(self.vector, self.probability if self.answers else 0.0)


def logit(probability: float) -> float:
    """Return the log odds, never infinite."""
    kept = min(1 - CLOSEST, max(CLOSEST, probability))
    return log(kept / (1 - kept))


def sigmoid(line: Line, row: Sequence[float]) -> float:
    """Return the probability that a regression makes of evidence."""
    z = line.constant + sum(map(float.__mul__, line.weights, row))
    return 1 / (1 + exp(-min(30.0, max(-30.0, z))))
