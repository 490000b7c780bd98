"""What a subject of the practice web talks about: its words, sorted by the part they play in a sentence."""

from msgspec import Struct


class Vocabulary(Struct, frozen=True):
    """The words of one subject; the sentences of its pages are made from them."""

    name: str
    language: str  # "en" or "zh"
    translation: str  # the name in the other language
    path: tuple[str, ...]  # where a directory would file it
    spellings: tuple[tuple[str, ...], ...]  # how addresses write each label of the path
    keywords: tuple[str, ...]  # what a user would type besides the name
    things: tuple[str, ...]  # countable; English plurals must be regular
    stuff: tuple[str, ...]  # uncountable
    people: tuple[str, ...]
    deeds: tuple[str, ...]  # verb and object; in English "present/past object"
    qualities: tuple[str, ...]
    facts: tuple[str, ...]  # whole sentences that only this subject would say
    sites: tuple[str, ...]  # first halves of host names


def words(text: str) -> tuple[str, ...]:
    """Return the comma-separated words of a text."""
    return tuple(part.strip() for part in text.split(","))


def lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text without their indentation."""
    return tuple(line.strip() for line in text.strip().splitlines())
