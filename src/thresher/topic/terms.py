"""The words and phrases of a topic in one list, each with its weight: what every judge starts from."""

from collections.abc import Iterable, Mapping, Sequence

from thresher.core.records import Topic
from thresher.text.words import plain_words

DESCRIPTION_WEIGHT = 0.5  # a word of the description, beside 1 for the heaviest keyword


def terms(topic: Topic) -> dict[str, float]:
    """Return keywords, path labels and the words of the description, the heaviest weighing 1.

    A topic of which nothing but the name is known is about its name.
    """
    heaviest = max(topic.keywords.values(), default=1.0) or 1.0
    weighted = {keyword: weight / heaviest for keyword, weight in topic.keywords.items()}
    for label, weight in path_weights(topic.path).items():
        weighted[label] = max(weight, weighted.get(label, 0.0))
    for label in topic.labels.values():
        weighted.setdefault(label, 1.0)
    for word in plain_words(topic.description):
        weighted.setdefault(word, DESCRIPTION_WEIGHT)
    return weighted or {topic.name: 1.0}


def path_weights(path: Sequence[str]) -> dict[str, float]:
    """Return w_i = i/D for the labels of a taxonomy path, the root first (Chen et al. 2009)."""
    return {label: position / len(path) for position, label in enumerate(path, start=1)}


def word_weights(weighted: Mapping[str, float]) -> dict[str, float]:
    """Return the weight of each single word of weighted phrases; a word of two phrases keeps the larger."""
    weights: dict[str, float] = {}
    for phrase, weight in weighted.items():
        for word in plain_words(phrase):
            weights[word] = max(weight, weights.get(word, 0.0))
    return weights


def phrase_words(phrases: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the words of each phrase that has any; one made of stop words alone has none."""
    split = {phrase: tuple(plain_words(phrase)) for phrase in phrases}
    return {phrase: found for phrase, found in split.items() if found}
