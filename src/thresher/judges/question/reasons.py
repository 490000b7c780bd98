"""Why a page got its probability, in the words of the question: the pieces that spoke for it."""

from collections.abc import Mapping, Sequence

from thresher.core.records import Reason
from thresher.judges.question.features import View
from thresher.judges.question.fields import Fields
from thresher.judges.question.weights import Line
from thresher.judges.word_evidence import shared_out

SAID = {
    "url": "in its URL",
    "beginning": "in its first lines",
    "top": "at its top",
    "meaning": "what its words mean",
    "further_mean": "further words",
    "further_best": "further words",
    "further_title": "further words in its title",
    "description": "words of the description",
    "examples": "words of the examples",
}
"""How the columns that stand for no single word are called."""


def reasons(view: View, line: Line, row: Sequence[float], fields: Fields, score: float) -> list[Reason]:
    """Return what spoke for the page, each piece with its share of the probability, the strongest first."""
    worth = {name: w * value for name, w, value in zip(view.columns, line.weights, row, strict=True)}
    parts = _shares(worth["words"], view.word_parts(fields)) | _shares(worth["near"], view.near_parts(fields))
    if together := worth["all_words"] + worth["phrase"]:
        names = " or ".join(phrase.text for phrase in view.facet.names) or "the words together"
        parts[names] = parts.get(names, 0.0) + together
    for column, said in SAID.items():
        if worth.get(column, 0.0) > 0:
            parts[said] = parts.get(said, 0.0) + worth[column]
    return shared_out(score, list(parts.items()))


def _shares(worth: float, parts: Mapping[str, float]) -> dict[str, float]:
    """Return what a column is worth, shared out among the words that made it."""
    whole = sum(parts.values())
    return {word: worth * part / whole for word, part in parts.items()} if whole and worth else {}
