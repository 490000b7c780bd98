"""T and rel(): the words of the topic, and what a text says of them (Ratna et al. 2012, section 5).

T          the keywords that the user gave, cut into words; where there are none, the names of the topic
rel(text)  the words of a text, and all names of a concept of which one name stands whole in the text
relevancy  |T & rel(text)| / |T|: ATR of an anchor, CTR of a cohesive text

Several names of one concept are one member of T: who says one of them has said it.
"""

from collections.abc import Iterable

from thresher.core.records import Topic
from thresher.text.tokenize import fold, plain_words, words
from thresher.topic.build import word_weights

ITSELF = 1.0  # what the names of the concept itself weigh in a lexicon; those beside it weigh less


class TopicWords:
    """The members of T, each with the words and phrases that stand for it."""

    def __init__(self, topic: Topic) -> None:
        """Take the keywords, and join those that are names of one thing."""
        given = _given(topic)
        self.query = frozenset(word_weights(dict.fromkeys(given, 1.0)))
        self._members = 0
        self._words: dict[str, int] = {}
        self._phrases: dict[str, int] = {}
        for group in _groups(topic, given):
            self._add(group)
        for word in sorted(self.query):
            if word not in self._words and not any(word in phrase.split() for phrase in self._phrases):
                self._add([word])
        self.words = frozenset(self._words) | {word for each in self._phrases for word in each.split()}

    def __len__(self) -> int:
        """Return |T|."""
        return self._members

    def relevancy(self, text: str) -> float:
        """Return the share of T that a text speaks of."""
        found = words(text)
        said = {self._words[word] for word in self._words.keys() & found}
        if self._phrases:
            line, folded = f" {' '.join(found)} ", fold(text)
            said |= {member for phrase, member in self._phrases.items() if _stands(phrase, line, folded)}
        return len(said) / self._members

    def _add(self, names: Iterable[str]) -> None:
        """Add a member with all its names."""
        for name in names:
            stems = plain_words(name) if not name.isascii() or " " in name else words(name) or [name]
            if len(stems) == 1:
                self._words.setdefault(stems[0], self._members)
            elif stems:
                phrase = " ".join(stems) if name.isascii() else fold(name)
                self._phrases.setdefault(phrase, self._members)
        self._members += 1


def _stands(phrase: str, line: str, folded: str) -> bool:
    """Tell whether a phrase stands whole in a text, given as a line of stems and as it is written."""
    return f" {phrase} " in line if phrase.isascii() else phrase in folded


def _given(topic: Topic) -> list[str]:
    """Return the user's keywords; the labels of a node are not the user's, but stand in for them."""
    paths = [topic.path, *topic.paths.values()]
    labels = {label for path in paths for label in path}
    given = [keyword for keyword in topic.keywords if keyword not in labels]
    own = [label for path in paths for label in path[-1:]]
    return given or own or list(topic.keywords) or [topic.name]


def _groups(topic: Topic, given: list[str]) -> list[list[str]]:
    """Return the names of the topic's concept, if one of them is given: they are one thing."""
    names = {label for label, weight in topic.lexicon.items() if weight >= ITSELF}
    concept = names | set(topic.labels.values())
    return [sorted(concept)] if concept.intersection(given) else []
