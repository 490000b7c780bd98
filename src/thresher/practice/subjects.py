"""The subjects of the practice web, from the files in `vocabulary`, and the topics a crawl can ask for."""

from importlib.resources import files

import msgspec
from msgspec import Struct

from thresher.core.records import Topic


class Vocabulary(Struct, frozen=True):
    """The words of one subject, by the part they play; the sentences of its pages are made from them."""

    name: str
    translation: str  # the name in the other language
    things: tuple[str, ...]  # countable; English plurals must be regular
    stuff: tuple[str, ...]  # uncountable
    people: tuple[str, ...]
    deeds: tuple[str, ...]  # verb and object; in English "present/past object"
    qualities: tuple[str, ...]
    facts: tuple[str, ...]  # whole sentences that only this subject would say
    sites: tuple[str, ...]  # first halves of host names
    path: tuple[str, ...] = ()  # where a directory would file it
    spellings: tuple[tuple[str, str, str, str], ...] = ()  # English, abbreviation, pinyin, initials
    node: str = ""  # of the taxonomy, where it has one
    keywords: tuple[str, ...] = ()  # what a user would type besides the name
    language: str = ""  # "en" or "zh"

    @property
    def address(self) -> str:
        """How addresses write its name."""
        english, _, pinyin, _ = self.spellings[-1]
        return pinyin if self.language == "zh" else english.partition("|")[0]


class Subjects(Struct, frozen=True):
    """The subjects of one language: those a crawl can ask for, and those that everybody writes about."""

    topics: tuple[Vocabulary, ...]
    everyday: tuple[Vocabulary, ...]


def _read(language: str) -> Subjects:
    text = (files("thresher.practice") / "vocabulary" / f"{language}.toml").read_text(encoding="utf-8")
    found = msgspec.toml.decode(text, type=Subjects)
    return Subjects(
        *(tuple(_spoken(each, language) for each in kind) for kind in (found.topics, found.everyday))
    )


def _spoken(subject: Vocabulary, language: str) -> Vocabulary:
    return msgspec.structs.replace(subject, language=language)


_SUBJECTS = {language: _read(language) for language in ("en", "zh")}

TOPICS: tuple[Vocabulary, ...] = _SUBJECTS["en"].topics + _SUBJECTS["zh"].topics
EVERYDAY: dict[str, tuple[Vocabulary, ...]] = {name: each.everyday for name, each in _SUBJECTS.items()}
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
        concept=f"topic:{subject.node}" if subject.node else "",
        seeds=seeds,
        facets=((subject.name, *subject.keywords),),
    )
