"""Snippets: the piece of a page where the words stand closest together, with the words marked."""

from collections.abc import Iterator, Sequence

from thresher.search.query import Term
from thresher.search.tokens import runs, stem

LENGTH = 180  # letters
LONGEST_WORD = 16
LOOK = 200_000  # letters of a page looked through

Span = tuple[int, int]
Marked = tuple[str, ...]
"""Text in pieces: plain, marked, plain, marked, ..."""


def marked(text: str, terms: Sequence[Term]) -> Marked:
    """Return a text whole, with the words of the terms marked."""
    return _pieces(text, list(_spans(text, terms)), 0, len(text))


def snippet(text: str, terms: Sequence[Term], length: int = LENGTH) -> Marked:
    """Return the piece of a text that has most of the terms, or its beginning if it has none."""
    text = " ".join(text[:LOOK].split())
    spans = list(_spans(text, terms))
    start = _at_word(text, _best_start(spans, length))
    end = min(len(text), start + length)
    return _pieces(text, [span for span in spans if span[0] >= start and span[1] <= end], start, end)


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


def _spans(text: str, terms: Sequence[Term]) -> Iterator[Span]:
    """Yield where words of the terms stand, in order, none over another."""
    stems = {stem(run.text) for term in terms for run in term.runs if not run.is_han}
    open_ones = tuple(term.runs[-1].text for term in terms if term.is_open)
    chinese = [run.text for term in terms for run in term.runs if run.is_han]
    for run in runs(text):
        if run.is_han:
            yield from _within(run.text, run.start, chinese) if len(run.text) == run.end - run.start else ()
        elif stem(run.text) in stems or (open_ones and run.text.startswith(open_ones)):
            yield run.start, run.end


def _within(run: str, offset: int, words: Sequence[str]) -> Iterator[Span]:
    """Yield where any of the words stands in a run of Chinese."""
    hits = bytearray(len(run))
    for word in words:
        at = run.find(word)
        while at >= 0:
            hits[at : at + len(word)] = b"\1" * len(word)
            at = run.find(word, at + 1)
    start = hits.find(1)
    while start >= 0:
        end = hits.find(0, start)
        end = len(run) if end < 0 else end
        yield offset + start, offset + end
        start = hits.find(1, end)


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
