"""The fitted figures of the default judge: what each piece of evidence is worth, by what a person gave.

`thresher lab fit-judge FOLDER...` makes weights.json from labelled webs: a set fitted on all of them, which
the product uses, and for each web a set that never saw its labels, by which the lab judges it.
"""

from functools import cache
from importlib.resources import files

import msgspec
import numpy as np
from msgspec import Struct

from thresher.text.vectors import Floats, shipped_vectors


class Line(Struct, frozen=True):
    """A logistic regression: weights in the order of its columns, and a constant."""

    weights: tuple[float, ...]
    constant: float


class EffortWeights(Struct, frozen=True):
    """What was fitted for one effort: on the question alone, and with what the crawl has taught."""

    question: Line
    feedback: Line  # logit of the question, likeness, bayes


class WeightSet(Struct, frozen=True):
    """Everything that was fitted on one set of webs."""

    efforts: dict[str, EffortWeights]
    mean_page: dict[str, tuple[float, ...]]  # language -> mean direction of its pages
    threshold: float = 0.5

    def mean(self, language: str) -> Floats:
        """Return the direction of a mean page; of a language without one that of no page at all."""
        found = self.mean_page.get(language)
        return np.array(found, "f4") if found else np.zeros(shipped_vectors().width, "f4")


class Weights(Struct, frozen=True):
    """The set of all webs, and those without one of them by its name."""

    everything: WeightSet
    without: dict[str, WeightSet] = {}

    def for_web(self, name: str) -> WeightSet:
        """Return weights that never saw the labels of a web."""
        return self.without.get(name, self.everything)


@cache
def shipped_weights() -> Weights:
    """Return the figures that come with the package."""
    text = files("thresher.judges.question").joinpath("weights.json").read_bytes()
    return msgspec.json.decode(text, type=Weights)
