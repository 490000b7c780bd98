"""The subjects of the practice web, and small articles about them, drawn from a seed."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import TypeVar

import msgspec
from msgspec import Struct

from thresher.core.records import Topic
from thresher_practice.grammar import GRAMMARS, Grammar

# Dice that fall the same way in every process and on every Python version.


T = TypeVar("T")


class Dice:
    """A source of choices fixed by its name.

    Built on `Random.random` alone, the one method whose sequence Python promises never to change.
    """

    __slots__ = ("_roll",)

    def __init__(self, *name: object) -> None:
        """Name the dice; equal names give equal falls."""
        self._roll = Random("/".join(map(str, name))).random

    def below(self, limit: int) -> int:
        """Return a whole number from 0 up to, but not including, the limit."""
        return int(self._roll() * limit)

    def between(self, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with that probability."""
        return self._roll() < probability

    def one(self, items: Sequence[T]) -> T:
        """Return one of the items."""
        return items[int(self._roll() * len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return that many different items, or all of them, in random order."""
        return shuffled(items, self.rolls(min(count, len(items))))

    def rolls(self, count: int) -> list[float]:
        """Return the rolls by which so many items will be taken."""
        roll = self._roll
        return [roll() for _ in range(count)]


def shuffled(items: Sequence[T], rolls: Sequence[float]) -> list[T]:
    """Return as many items as there are rolls, in the order that the rolls say."""
    pool, size = list(items), len(items)
    for place, roll in enumerate(rolls):
        other = place + int(roll * (size - place))
        pool[place], pool[other] = pool[other], pool[place]
    return pool[: len(rolls)]


# Subjects, from the files in `vocabulary`


class SubjectWords(Struct, frozen=True):
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
    """The subjects of one language: those a crawl can ask for, and the common ones."""

    topics: tuple[SubjectWords, ...]
    everyday: tuple[SubjectWords, ...]


def _read(language: str) -> Subjects:
    text = (files("thresher_practice") / "vocabulary" / f"{language}.toml").read_text(encoding="utf-8")
    found = msgspec.toml.decode(text, type=Subjects)
    return Subjects(
        *(tuple(_spoken(each, language) for each in kind) for kind in (found.topics, found.everyday))
    )


def _spoken(subject: SubjectWords, language: str) -> SubjectWords:
    return msgspec.structs.replace(subject, language=language)


_SUBJECTS = {language: _read(language) for language in ("en", "zh")}

TOPICS: tuple[SubjectWords, ...] = _SUBJECTS["en"].topics + _SUBJECTS["zh"].topics
EVERYDAY: dict[str, tuple[SubjectWords, ...]] = {name: each.everyday for name, each in _SUBJECTS.items()}
NAMES: tuple[str, ...] = tuple(subject.name for subject in TOPICS)


def topic_of(subject: SubjectWords, seeds: tuple[str, ...]) -> Topic:
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


# Articles, made from a vocabulary and a grammar


class Prose:
    """A writer on one subject: the same dice write the same words."""

    def __init__(self, vocabulary: SubjectWords, dice: Dice, oblique: bool = False) -> None:
        """Choose the words this text keeps coming back to; an oblique text avoids the keywords."""
        self.vocabulary = vocabulary
        self.grammar = GRAMMARS[vocabulary.language]
        self.dice = dice
        avoided = vocabulary.keywords if oblique else ()
        self._facts = _without(avoided, vocabulary.facts)
        self._holes = _Holes(vocabulary, self.grammar, dice, avoided)

    def heading(self) -> str:
        """Return a title without the subject's name."""
        return _capital(self._fill(self.grammar.headings))

    def paragraphs(self, count: int, extra: Sequence[str] = ()) -> list[str]:
        """Return paragraphs that say the extra sentences somewhere among their own, and nothing twice."""
        patterns = self.dice.some(self.grammar.plain, count * 4 - 2) + self.dice.some(self._facts, 2)
        sentences = [
            self._finish(pattern.format_map(self._holes)) for pattern in self.dice.some(patterns, 99)
        ]
        for sentence in extra:
            sentences.insert(1 + self.dice.below(len(sentences)), sentence)
        size = -(-len(sentences) // count)
        return [
            self.grammar.gap.join(sentences[start : start + size]) for start in range(0, len(sentences), size)
        ]

    def named(self) -> str:
        """Return a sentence that names the subject."""
        return self._finish(self._fill(self.grammar.named))

    def passing(self, name: str) -> str:
        """Return a sentence that names a topic and says nothing about it."""
        return self._finish(self.dice.one(self.grammar.passing).format(name=name))

    def stuffed(self, name: str, count: int) -> str:
        """Return that many sentences which repeat a topic's name and say nothing."""
        patterns = (self.dice.one(self.grammar.stuffed) for _ in range(count))
        return self.grammar.gap.join(self._finish(pattern.format(name=name)) for pattern in patterns)

    def lure(self, name: str) -> str:
        """Return the title of a keyword stuffer."""
        return _capital(self.dice.one(self.grammar.lures).format(name=name))

    def list_heading(self) -> str:
        """Return the title of a hub."""
        return self.dice.one(self.grammar.lists)

    def entry(self) -> str:
        """Return an anchor that names the finder of a page, not what it is about."""
        return self._fill(self.grammar.entries)

    def more(self) -> str:
        """Return an anchor that says nothing."""
        return self.dice.one(self.grammar.more)

    def _fill(self, patterns: Sequence[str]) -> str:
        return self.dice.one(patterns).format_map(self._holes)

    def _finish(self, sentence: str) -> str:
        return _capital(sentence) + self.grammar.stop


class _Holes(dict[str, str]):
    """Fills each hole of a pattern with a new word of the right kind.

    What words of a kind it keeps to is rolled at once and looked up on first use: a title needs few.
    """

    def __init__(
        self, vocabulary: SubjectWords, grammar: Grammar, dice: Dice, avoided: Sequence[str]
    ) -> None:
        super().__init__(name=vocabulary.name)
        self.grammar, self.dice = grammar, dice
        self._choices, rolls = _choices(vocabulary, avoided)
        self._rolls = dice.rolls(rolls)
        self._chosen: dict[str, list[str]] = {}

    def one(self, kind: str) -> str:
        """Return one of the words of a kind that this text keeps to."""
        if kind not in self._chosen:
            words, start, end = self._choices[kind]
            self._chosen[kind] = shuffled(words, self._rolls[start:end])
        return self.dice.one(self._chosen[kind])

    def __missing__(self, hole: str) -> str:
        return _FILLERS[hole](self)


@lru_cache(maxsize=64)
def _choices(
    vocabulary: SubjectWords, avoided: Sequence[str]
) -> tuple[dict[str, tuple[Sequence[str], int, int]], int]:
    """Return the words of each kind with the rolls that choose from them, and how many rolls there are."""
    choices, end = {}, 0
    for kind, favourites in _FAVOURITES:
        words: Sequence[str] = getattr(vocabulary, kind)
        words = _without(avoided, words) or words
        start, end = end, end + min(favourites, len(words))
        choices[kind] = words, start, end
    return choices, end


_FAVOURITES = (("things", 8), ("stuff", 4), ("people", 3), ("qualities", 4), ("deeds", 5))
_FILLERS: dict[str, Callable[[_Holes], str]] = {
    "thing": lambda holes: holes.one("things"),
    "things": lambda holes: plural(holes.one("things")),
    "a_thing": lambda holes: article(holes.one("things")),
    "stuff": lambda holes: holes.one("stuff"),
    "person": lambda holes: holes.one("people"),
    "people": lambda holes: plural(holes.one("people")),
    "quality": lambda holes: holes.one("qualities"),
    "a_quality": lambda holes: article(holes.one("qualities")),
    "do": lambda holes: present(holes.one("deeds")),
    "did": lambda holes: past(holes.one("deeds")),
    "season": lambda holes: holes.dice.one(holes.grammar.seasons),
    "number": lambda holes: holes.dice.one(holes.grammar.numbers),
    "author": lambda holes: holes.dice.one(holes.grammar.authors),
}


def _without(avoided: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    return [word for word in words if not any(part in word for part in avoided)] if avoided else words


def plural(noun: str) -> str:
    """Return the regular English plural."""
    if noun.endswith("man"):
        return noun[:-2] + "en"
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def present(deed: str) -> str:
    """Return 'feed the bees' for 'feed/fed the bees', and a deed of one form as it is."""
    verb, _, rest = deed.partition("/")
    return f"{verb} {rest.partition(' ')[2]}" if rest else verb


def past(deed: str) -> str:
    """Return 'fed the bees' for 'feed/fed the bees'."""
    return deed.partition("/")[2]


def article(words: str) -> str:
    """Return the words after their indefinite article."""
    return f"{'an' if words[0] in 'aeiou' and not words.startswith(('ewe', 'uni')) else 'a'} {words}"


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
