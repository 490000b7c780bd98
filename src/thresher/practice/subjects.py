"""The subjects of the practice web, and the topics a crawl can ask for."""

from thresher.core.records import Topic
from thresher.practice import chinese, english
from thresher.practice.words import Vocabulary

TOPICS: tuple[Vocabulary, ...] = english.TOPICS + chinese.TOPICS
EVERYDAY: dict[str, tuple[Vocabulary, ...]] = {"en": english.EVERYDAY, "zh": chinese.EVERYDAY}
NAMES: tuple[str, ...] = tuple(subject.name for subject in TOPICS)


def topic_of(subject: Vocabulary, seeds: tuple[str, ...]) -> Topic:
    """Return what a user would ask for: the name counts twice as much as a keyword."""
    other = "zh" if subject.language == "en" else "en"
    return Topic(
        name=subject.name,
        keywords={subject.name: 2.0} | dict.fromkeys(subject.keywords, 1.0),
        path=subject.path,
        labels={subject.language: subject.name, other: subject.translation},
        spellings=subject.spellings,
        description=f"A topic of the practice web ({subject.translation}).",
        seeds=seeds,
        facets=((subject.name, *subject.keywords),),
    )
