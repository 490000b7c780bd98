"""Snippets: the piece of a page where the words stand closest together, with the words marked."""

import re
from collections.abc import Iterator, Sequence

from thresher.search.query import Term
from thresher.search.tokens import stem
from thresher.text.chinese import simplify
from thresher.text.tokenize import fold

LENGTH = 180  # letters
LONGEST_WORD = 16
FIRST = 8000  # letters in which the words usually stand
LOOK = 200_000  # letters of a page looked through

Span = tuple[int, int]
Marked = tuple[str, ...]
"""Text in pieces: plain, marked, plain, marked, ..."""


def marked(text: str, terms: Sequence[Term]) -> Marked:
    """Return a text whole, with the words of the terms marked."""
    return _pieces(text, _spans(text, terms), 0, len(text))


def snippet(text: str, terms: Sequence[Term], length: int = LENGTH) -> Marked:
    """Return the piece of a text that has most of the terms, or its beginning if it has none."""
    whole, text = text, _line(text[:FIRST])
    spans = _spans(text, terms)
    if not spans and terms and len(whole) > FIRST:
        text = _line(whole[:LOOK])
        spans = _spans(text, terms)
    start = _at_word(text, _best_start(spans, length))
    end = min(len(text), start + length)
    return _pieces(text, [span for span in spans if span[0] >= start and span[1] <= end], start, end)


def _line(text: str) -> str:
    return " ".join(text.split())


def _best_start(spans: Sequence[Span], length: int) -> int:
    """Return where the window with the most marked letters begins, a little before its first mark."""
    best, best_marked = 0, 0
    last = covered = 0
    for first, (start, end) in enumerate(spans):
        while last < len(spans) and spans[last][1] <= start + length * 3 // 4:
            covered += spans[last][1] - spans[last][0]
            last += 1
        if covered > best_marked:
            best, best_marked = start, covered
        if last > first:
            covered -= end - start
        else:
            last = first + 1
    return max(0, best - length // 5)


def _at_word(text: str, start: int) -> int:
    """Return the place behind the next space, if one is near: Chinese has none."""
    space = text.find(" ", start, start + LONGEST_WORD) if start else -1
    return space + 1 if space >= 0 else start


def _spans(text: str, terms: Sequence[Term]) -> list[Span]:
    """Return where words of the terms stand, in order, none over another."""
    plain = simplify(text)  # letter by letter: places stay
    spans = [*_english(plain, terms), *_chinese(plain, terms)] if terms else []
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _english(text: str, terms: Sequence[Term]) -> Iterator[Span]:
    """Yield the words with the stems of the terms; only what begins like one is stemmed."""
    stems = {stem(run.text) for term in terms for run in term.runs if not run.is_han}
    begun = tuple(term.runs[-1].text for term in terms if term.is_open)
    beginnings = "|".join(sorted(re.escape(_beginning(word)) for word in {*stems, *begun} if word))
    if not beginnings:
        return
    for found in re.finditer(rf"(?<![^\W_])(?:{beginnings})[^\W_]*", text, re.IGNORECASE):
        word = fold(found[0])
        if stem(word) in stems or (begun and word.startswith(begun)):
            yield found.span()


def _beginning(stemmed: str) -> str:
    """Return what all words of a stem begin with: happi is that of happy, ski that of skies and sky."""
    return stemmed[:2] if len(stemmed) < 4 else stemmed[:-1] if stemmed[-1] in "iy" else stemmed


def _chinese(text: str, terms: Sequence[Term]) -> Iterator[Span]:
    """Yield the places of Chinese words, also those over one another."""
    for word in {run.text for term in terms for run in term.runs if run.is_han}:
        at = text.find(word)
        while at >= 0:
            yield at, at + len(word)
            at = text.find(word, at + 1)


def _pieces(text: str, spans: Sequence[Span], start: int, end: int) -> Marked:
    out: list[str] = []
    at = start
    for first, last in spans:
        out += [text[at:first], text[first:last]]
        at = last
    out.append(text[at:end])
    out[0] = f"… {out[0]}" if start else out[0]
    out[-1] = f"{out[-1]} …" if end < len(text) else out[-1]
    return tuple(out)
