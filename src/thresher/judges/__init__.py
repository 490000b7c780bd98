"""The judges: how well a page or a short text fits the topic, from 0 to 1, and why."""

from collections.abc import Callable
from inspect import signature

from thresher.core.errors import UnknownName
from thresher.core.protocols import Judge
from thresher.core.records import Topic
from thresher.judges.combined import Combined, Examples
from thresher.judges.cosine import Cosine, Lexicon
from thresher.judges.question.judge import QuestionJudge
from thresher.judges.tfidf import TfIdf
from thresher.judges.topic_vector import TopicVector
from thresher.judges.vectors import Semantic
from thresher.judges.vocabulary import Vocabulary

DEFAULT_JUDGE = "question"

JUDGES: dict[str, Callable[..., Judge]] = {
    "question": QuestionJudge,
    "combined": Combined,
    "cosine": Cosine,
    "vocabulary": Vocabulary,
    "tfidf": TfIdf,
    "topic_vector": TopicVector,
    "lexicon": Lexicon,
    "semantic": Semantic,
    "examples": Examples,
}
"""Every judge by its name; each takes the topic and, if it should differ from its own, a threshold."""


def own_threshold(name: str) -> float:
    """Return from which score on a judge calls a page relevant, unless told otherwise."""
    return float(signature(_known(name)).parameters["threshold"].default)


def make_judge(topic: Topic, name: str = DEFAULT_JUDGE, threshold: float | None = None) -> Judge:
    """Return the judge of that name for a topic."""
    return _known(name)(topic, own_threshold(name) if threshold is None else threshold)


def _known(name: str) -> Callable[..., Judge]:
    if name not in JUDGES:
        raise UnknownName("judge", name, JUDGES)
    return JUDGES[name]
