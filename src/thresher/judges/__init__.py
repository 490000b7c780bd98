"""The judges: how well a page or a short text fits the topic, from 0 to 1, and why."""

from inspect import signature
from typing import Any

from thresher.core.errors import UnknownName
from thresher.core.interfaces import Judge
from thresher.core.optional import Registry
from thresher.core.records import Topic

DEFAULT_JUDGE = "question"

JUDGES: Registry[type[Judge]] = Registry(
    {
        "question": "thresher.judges.question.judge:QuestionJudge",
        "cosine": "thresher.judges.baselines:Cosine",
        "vocabulary": "thresher.judges.baselines:VocabularyJudge",
        "tfidf": "thresher.judges.baselines:TfIdf",
        "topic_vector": "thresher.judges.baselines:TopicVector",
        "lexicon": "thresher.judges.baselines:LexiconJudge",
    }
)
"""Every judge by its name; each takes the topic and, if it should differ from its own, a threshold."""


def own_threshold(name: str) -> float:
    """Return from which score on a judge calls a page relevant, unless told otherwise."""
    return float(signature(_known(name)).parameters["threshold"].default)


def make_judge(topic: Topic, name: str = DEFAULT_JUDGE, threshold: float | None = None) -> Judge:
    """Return the judge of that name for a topic."""
    judge: Judge = _known(name)(topic, own_threshold(name) if threshold is None else threshold)
    return judge


def _known(name: str) -> type[Any]:
    if name not in JUDGES:
        raise UnknownName("judge", name, JUDGES)
    return JUDGES[name]
