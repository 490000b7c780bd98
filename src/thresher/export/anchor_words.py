"""Which words of anchors led to relevant pages: a word is worth what the visits behind it brought."""

from collections import Counter
from collections.abc import Iterable, Iterator

from thresher.core.records import Lesson, Visit
from thresher.text.words import fold, plain_words, tokens

FEWEST = 3  # visits before a word says anything


def words_that_paid(visits: Iterable[Visit], threshold: float) -> list[Lesson]:
    """Return the words of the anchors that led to pages, the greatest gain over usual visits first.

    A word counts once a visit, in all its forms, and is called by the commonest.
    """
    counts: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = {}
    seen = found = 0
    for visit in visits:
        relevant = visit.relevance >= threshold
        seen, found = seen + 1, found + relevant
        stems = dict(_forms(visit.candidate.via.anchor)) if visit.candidate.via else {}
        for stem, form in stems.items():
            counts[stem] += 1
            hits[stem] += relevant
            forms.setdefault(stem, Counter())[form] += 1
    lessons = [
        Lesson(
            "word", _commonest(forms[stem]), "", count, hits[stem] / count, hits[stem] - count * found / seen
        )
        for stem, count in counts.items()
        if count >= FEWEST
    ]
    return sorted(lessons, key=lambda lesson: (-lesson.gain, lesson.name))


def _forms(anchor: str) -> Iterator[tuple[str, str]]:
    """Yield the stem and the form of each word that is no stop word."""
    for token in tokens(fold(anchor)):
        yield from ((stem, token) for stem in plain_words(token)[:1])


def _commonest(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], form))
