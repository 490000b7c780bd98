"""A topic as a question: what a page must speak of, and how else each of it may be said.

    question = facets, all of them wanted
    facet    = the names of one thing and further words for it, any of which will do
    phrase   = words that belong together; a Chinese compound is looked for as a whole and by its parts

The forms that the papers ask for (weighted terms, path, lexicon, vocabularies) stand beside it in the topic.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct

from thresher.core.errors import SettingsError
from thresher.core.records import Topic
from thresher.text.chinese import FIRST_HAN, cut_at_and, pieces
from thresher.text.detect import best_guess, script_of
from thresher.text.languages import LANGUAGES, PLAIN
from thresher.text.tokenize import fold, plain_words, tokens
from thresher.text.vectors import shipped_has_all, shipped_vectors

MOST_PHRASES = 200  # of one facet: more say no more, and every page is searched for each
_AND = re.compile(r"\s+and\s+|\s+or\s+|\s*[,;，、；]\s*|\s+[/&]\s+", re.IGNORECASE)
_SIGN_BEFORE = re.compile(r"[.#@]\w")  # .NET is not the net
_NAME = re.compile(r"[^\W\d_]")


class Phrase(Struct, frozen=True):
    """One way to say something: as it is written, and the words by which it is found."""

    text: str
    words: tuple[str, ...]
    literal: bool = False  # found letter by letter, capitals and all: C, Go, .NET

    @property
    def is_compound(self) -> bool:
        """Whether its words may stand apart."""
        return len(self.words) > 1

    @property
    def spaced(self) -> str:
        """Its text, with spaces between the parts of a Chinese compound: those have a meaning, it may not."""
        return " ".join(self.words) if self.words[0] >= FIRST_HAN else self.text


class Facet(Struct, frozen=True):
    """One thing that is wanted: what it is called, and further words for it."""

    names: tuple[Phrase, ...]
    further: tuple[Phrase, ...] = ()
    spellings: tuple[Phrase, ...] = ()  # the names in other spellings: time zones, timezones

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """What was typed."""
        return self.names + self.further


class TopicQuestion(Struct, frozen=True):
    """What a page must speak of."""

    facets: tuple[Facet, ...]
    excluded: tuple[Phrase, ...] = ()
    description: tuple[str, ...] = ()  # its words that are no name
    centroid: dict[str, float] = {}  # the words of the example pages
    language: str = "en"

    def weighted(self, facet: Facet) -> dict[str, float]:
        """Return what stands for a facet in meaning: its phrases, and half as much the description."""
        phrases = {phrase.spaced: 1.0 for phrase in facet.phrases if phrase.words}
        return dict.fromkeys(self.description, DESCRIBED) | phrases


DESCRIBED = 0.5  # a word of the description beside one of the name


def question_of(topic: Topic) -> TopicQuestion:
    """Return the question a topic asks; one made without a question asks for its labels or heaviest words."""
    language = topic.language or PLAIN
    facets = tuple(_facet(texts[:1], texts[1:], language) for texts in topic.facets)
    facets = facets or (_facet_of_words(topic, language),)
    own = {word for facet in facets for phrase in facet.names for word in phrase.words}
    described = dict.fromkeys(word for word in plain_words(topic.description, language) if word not in own)
    chinese = any(word >= FIRST_HAN for word in own)
    return TopicQuestion(
        facets,
        tuple(phrase for text in topic.excluded for phrase in alternatives(text, language)),
        tuple(described),
        topic.centroid,
        topic.language or ("zh" if chinese else "en"),
    )


def phrase_of(text: str, language: str = PLAIN) -> Phrase:
    """Return a phrase with the words it is found by; without any it says nothing."""
    found = tuple(dict.fromkeys(piece for word in plain_words(text, language) for piece in _pieces(word)))
    if _SIGN_BEFORE.match(text.strip()) or (not found and _is_name(text)):
        return Phrase(_as_a_name(text), (_as_a_name(text),), literal=True)
    return Phrase(fold(text).strip(), found)


def alternatives(name: str, language: str = PLAIN) -> tuple[Phrase, ...]:
    """Return the phrases of a name that say something: what stands beside "and" is either."""
    parts = [phrase_of(part, language) for text in _AND.split(name) for part in _chinese_parts(text)]
    return tuple(dict.fromkeys(phrase for phrase in parts if phrase.words))


def _facet(names: Sequence[str], further: Sequence[str], language: str) -> Facet:
    """Return the facet of what something is called and of further words for it."""
    called = tuple(dict.fromkeys(phrase for name in names for phrase in alternatives(name, language)))
    typed = dict.fromkeys(phrase_of(text, language) for text in further[:MOST_PHRASES])
    others = tuple(phrase for phrase in typed if phrase.words and phrase not in called)
    return Facet(called, others, tuple(joined for phrase in called if (joined := _joined(phrase))))


def _facet_of_words(topic: Topic, language: str) -> Facet:
    """Return what a topic made without a question asks for: its labels or heaviest words, then the others."""
    heaviest = max(topic.keywords.values(), default=0.0)
    names = list(topic.labels.values()) or [k for k, weight in topic.keywords.items() if weight == heaviest]
    above = {*topic.path[:-1], *names}
    others = [keyword for keyword in topic.keywords if keyword not in above]
    return _facet(names or [topic.name], others, language)


def _chinese_parts(text: str) -> list[str]:
    return cut_at_and(text) if text and min(text) >= FIRST_HAN else [text]


def _joined(phrase: Phrase) -> Phrase | None:
    """Return two English words as one, as many write them."""
    if len(phrase.words) != 2 or not phrase.text.isascii() or phrase.text.count(" ") != 1:
        return None
    return phrase_of(phrase.text.replace(" ", ""))


def _pieces(word: str) -> list[str]:
    return pieces(word) if word >= FIRST_HAN else [word]


def _is_name(text: str) -> bool:
    """Tell whether what is a stop word or one letter was written as a name: Go, IT, C."""
    stripped = text.strip()
    return bool(_NAME.search(stripped)) and (len(stripped) == 1 or stripped != stripped.lower())


def _as_a_name(text: str) -> str:
    return text.strip().upper() if len(text.strip()) == 1 else text.strip()


# What is wrong with a topic as typed, in a sentence each: what cannot be asked, what may be a slip


SHORTEST_SLIP = 5  # letters: of a shorter word anything may be meant
USUAL = 12_000  # words of the table: a slip is taken for one of these, not for something rarer still
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def check_question(facets: Sequence[Sequence[str]], excluded: Iterable[str]) -> None:
    """Refuse a question that no page could answer, or that contradicts itself."""
    for texts in facets:
        if not any(alternatives(text) for text in texts):
            raise SettingsError(_says_nothing(texts))
    wanted = {phrase_of(text).words for text in chain.from_iterable(facets)}
    for text in excluded:
        phrases = alternatives(text)
        if not phrases:
            raise SettingsError(f"--not {text!r} has no word that could be found; leave it out.")
        if any(phrase.words in wanted for phrase in phrases):
            raise SettingsError(f"{text!r} is both wanted and not wanted; leave it out of one of the two.")


def check_language(language: str) -> None:
    """Refuse what is no language of two letters."""
    if language and not (len(language) == 2 and language.isascii() and language.isalpha()):
        raise SettingsError(f"{language!r} is not a language; write its two letters, such as zh, en or de.")


def language_of_topic(texts: Iterable[str]) -> str:
    """Return the language of a topic in Latin letters that is clearly not English, else nothing.

    Few words tell little: only where not all of them are English is another language thought of.
    """
    typed = " ".join(texts)
    english = shipped_has_all(plain_words(typed))
    found = "" if english or script_of(typed) != "latin" else best_guess(typed)
    language = LANGUAGES.get(found)
    return found if language and language.stemmer and found != PLAIN else ""


def _says_nothing(texts: Sequence[str]) -> str:
    typed = ", ".join(repr(text) for text in texts if text.strip())
    if not typed:
        return "The topic is empty; say what to look for, as in 'thresher crawl beekeeping'."
    if not any(map(tokens, map(fold, texts))):
        return f"Topic {typed} has no letters that could be found on a page; say it in words."
    return (
        f"Topic {typed} has no word that tells pages apart: stop words alone are on every page."
        " Write a name with its capitals (Go, IT), or add words with --keyword."
    )


def remarks(facets: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield what a user should know of the question before a crawl: slips, single letters, too many words."""
    for name in (texts[0] for texts in facets if texts):
        meant = did_you_mean(name)
        if meant != name:
            yield f"{name!r} is looked for as you wrote it; did you mean {meant!r}?"
        yield from (_literally(phrase.text) for phrase in alternatives(name) if phrase.literal)
    for texts in facets:
        if (many := len(texts) - 1) > MOST_PHRASES:
            yield f"{many} further words are many: pages are searched for the {MOST_PHRASES} heaviest."


def _literally(text: str) -> str:
    return f"{text!r} is looked for letter by letter, capitals and all; a word more (--keyword) would help."


def did_you_mean(name: str) -> str:
    """Return the name with each unknown word replaced by a usual one that is a slip away, if there is one.

    Usual words are known of English alone: a name in another language stays as it is.
    """
    if language_of_topic([name]) or not name.isascii() or any(map(_is_foreign, tokens(fold(name)))):
        return name
    corrected = name
    for token in dict.fromkeys(tokens(fold(name))):
        if right := _corrected(token):
            at = fold(corrected).find(token)
            corrected = f"{corrected[:at]}{right}{corrected[at + len(token) :]}"
    return corrected


def _is_foreign(token: str) -> bool:
    """Tell whether a word is a stop word of another language, such as `de`, and not English, as `die` is."""
    others = (language.stop_words for code, language in LANGUAGES.items() if code != PLAIN)
    return any(token in words for words in others) and (len(token) < 3 or not shipped_has_all([token]))


def _corrected(token: str) -> str:
    """Return a word that is one slip away from an unknown one, or nothing."""
    if len(token) < SHORTEST_SLIP or not token.isascii() or not token.isalpha():
        return ""
    if any(shipped_has_all([stem]) for stem in plain_words(token)):
        return ""
    vectors = shipped_vectors()
    rank = {word: place for place, word in enumerate(vectors.words[: min(USUAL, vectors.english)])}
    found = [(stem[0], word) for word in _slips(token) if (stem := plain_words(word)) and stem[0] in rank]
    return min(found, key=lambda pair: rank[pair[0]])[1] if found else ""


def _slips(token: str) -> set[str]:
    """Return all that is one letter more, less or other, or two letters swapped (Norvig 2007)."""
    cuts = [(token[:at], token[at:]) for at in range(len(token) + 1)]
    fewer = {left + right[1:] for left, right in cuts if right}
    swapped = {left + right[1] + right[0] + right[2:] for left, right in cuts if len(right) > 1}
    other = {left + letter + right[1:] for left, right in cuts if right for letter in LETTERS}
    more = {left + letter + right for left, right in cuts for letter in LETTERS}
    return fewer | swapped | other | more
