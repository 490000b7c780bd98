"""What is wrong with a topic as typed, in a sentence each: what cannot be asked, what may be a slip."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from thresher.core.errors import SettingsError
from thresher.text.detect import best_guess, script_of
from thresher.text.languages import LANGUAGES, PLAIN
from thresher.text.tokenize import fold, plain_words, tokens
from thresher.text.vectors import shipped_has_all, shipped_vectors
from thresher.topic.question import MOST_PHRASES, alternatives, phrase_of

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
        raise SettingsError(f"{language!r} is no language; write its two letters, such as zh, en or de.")


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
    """Return the name with each unknown word replaced by a usual one that is a slip away, if there is one."""
    corrected = name
    for token in dict.fromkeys(tokens(fold(name))):
        if right := _corrected(token):
            at = fold(corrected).find(token)
            corrected = f"{corrected[:at]}{right}{corrected[at + len(token) :]}"
    return corrected


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
