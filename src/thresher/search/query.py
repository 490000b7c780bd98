"""The language of queries: words, "phrases", -word, word*, host:, lang:, since:, relevant: and label:.

What cannot be read as a filter is searched as words, and said.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import Stemmer
from msgspec import Struct

from thresher.core.errors import UsageError
from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.report.changes import moment_of
from thresher.text.chinese import HAN, segment, simplify
from thresher.text.languages import ENGLISH_STOP_WORDS
from thresher.text.tokenize import fold

# The tokens of the index: English by its stems, Chinese by every pair of neighbouring characters.
#
# A Chinese word of two characters, the usual one, is then a token wherever it stands, and a longer one a
# phrase of its pairs; the last character of a run stands alone as well, so that one character is the
# beginning of some token of every page that has it. Stop words stay, or phrases would not be found.


RUN = re.compile(rf"(?P<han>[{HAN}]+)|(?:(?![{HAN}])[^\W_])+")
"""A run of Chinese characters, or a word or number of any other script."""

_stem = Stemmer.Stemmer("english", 0).stemWord


class LetterRun(Struct, frozen=True, gc=False):
    """A run of letters of one kind, folded, and where it stands."""

    text: str
    is_han: bool
    start: int
    end: int


def runs(text: str) -> Iterator[LetterRun]:
    """Yield the runs of a text; where they stand is said of the text as it was given."""
    for found in RUN.finditer(text):
        yield LetterRun(fold(found[0]), found["han"] is not None, found.start(), found.end())


def index_text(text: str) -> str:
    """Return the tokens of a text as the index gets them, divided by spaces."""
    out: list[str] = []
    for found in RUN.finditer(fold(text)):
        run = found[0]
        if found["han"] is None:
            out.append(stem(run))
        else:
            out += pairs(run)
            out.append(run[-1])
    return " ".join(out)


def pairs(run: str) -> list[str]:
    """Return every pair of neighbours of a run."""
    return [run[at : at + 2] for at in range(len(run) - 1)]


def stem(word: str) -> str:
    """Return the stem of an English word; others stay as they are."""
    return str(_stem(word)) if word.isascii() else word


LETTERS, TERMS = 400, 16  # of a query at most
FIELDS = ("host", "lang", "since", "relevant", "label")

_PART = re.compile(
    r'(?P<minus>-?)(?:(?P<field>[a-z]+):(?P<value>"[^"]*"|\S*)|"(?P<phrase>[^"]*)"?|(?P<word>\S+))'
)
_ABOVE = re.compile(r"([<>])=?(0?\.\d+|[01](?:\.0*)?)")


class Term(Struct, frozen=True):
    """Words that stand side by side; of the last one only the beginning, if it is open."""

    runs: tuple[LetterRun, ...]
    is_open: bool = False

    def tokens(self) -> list[str]:
        """Return what of the term the index has as it stands."""
        *before, last = self.runs
        return [token for run in before for token in _whole(run)] + _last(last, self.is_open)

    def expression(self) -> str:
        """Return the term in the language of SQLite's full-text index."""
        last = self.runs[-1]
        prefix = "*" if self.is_open or (last.is_han and len(last.text) == 1) else ""
        return f'"{" ".join(self.tokens())}"{prefix}'

    def is_common(self) -> bool:
        """Tell whether it is a single word that every page has and that tells none from another."""
        return len(self.runs) == 1 and self.runs[0].text in ENGLISH_STOP_WORDS

    def words(self) -> list["Term"]:
        """Return the words of a run of Chinese as terms of their own; anything else is one."""
        if len(self.runs) > 1 or not self.runs[0].is_han:
            return [self]
        found = segment(self.runs[0].text)
        return [Term((LetterRun(word, True, 0, len(word)),)) for word in dict.fromkeys(found)]


class Query(Struct, frozen=True):
    """What is looked for: terms to be there, terms not to be there, and what else must hold of a page."""

    terms: tuple[Term, ...] = ()
    without: tuple[Term, ...] = ()
    host: str = ""
    language: str = ""
    since: float = 0.0
    at_least: float = 0.0  # relevance
    below: float = 2.0
    relevant: bool | None = None
    label: str = ""  # yes, no or none
    remarks: tuple[str, ...] = ()  # what was not understood

    def stages(self) -> list[str]:
        """Return what to look for, the strictest first: all as written, all words, any word.

        Chinese writes no spaces, so a long run stands for one thing first and for its words then.
        """
        telling = [term for term in self.terms if not term.is_common()] or self.terms
        loose = [word for term in telling for word in term.words()]
        asked = [self._expression(telling), self._expression(loose), self._expression(loose, " OR ")]
        return list(dict.fromkeys(asked))

    def _expression(self, terms: Sequence[Term], joined: str = " AND ") -> str:
        """Return terms in the language of SQLite's full-text index, or '' if there are none."""
        wanted = joined.join(term.expression() for term in terms)
        if not wanted or not self.without:
            return wanted
        return f"({wanted}) NOT ({' OR '.join(term.expression() for term in self.without)})"


def parse(text: str, now: float) -> Query:
    """Return what a user asks for."""
    if len(text) > LETTERS:
        raise UsageError(f"The query has {len(text)} letters; {LETTERS} are read. Leave some words out.")
    terms: list[Term] = []
    without: list[Term] = []
    filters: dict[str, object] = {}
    remarks: list[str] = []
    for part in _PART.finditer(text):
        side = without if part["minus"] else terms
        if part["field"] is None:
            side += _terms(part["phrase"], part["word"])
            continue
        found = {} if part["minus"] else _filter(part["field"], part["value"].strip('"'), now)
        filters |= found
        if not found:
            remarks.append(f"{part[0]!r} was searched as words. Filters: {', '.join(FIELDS)}.")
            side += _terms(None, f"{part['field']} {part['value']}")
    if len(terms) + len(without) > TERMS:
        raise UsageError(f"The query has {len(terms) + len(without)} words; {TERMS} are read.")
    if without and not terms:
        remarks.append("A query of -words alone finds nothing to leave them out of; they were passed over.")
    return Query(tuple(terms), tuple(without), remarks=tuple(remarks), **filters)  # type: ignore[arg-type]


def _terms(phrase: str | None, word: str | None) -> Iterator[Term]:
    """Yield a phrase as one term, a word as one for each of its runs."""
    if phrase is not None:
        if found := tuple(runs(phrase)):
            yield Term(found)
        return
    each = list(runs(word or ""))
    for run in each:
        yield Term((run,), is_open=run is each[-1] and (word or "").endswith("*") and not run.is_han)


def _filter(field: str, value: str, now: float) -> dict[str, object]:
    """Return the fields that a filter sets, or none if it cannot be read."""
    if field == "host" and value:
        return {"host": value.lower()}
    if field == "lang" and value:
        return {"language": value.lower()}
    if field == "since":
        try:
            return {"since": moment_of(value, now)}
        except UsageError:
            return {}
    if field == "relevant":
        return _relevance(value)
    return {"label": value.lower()} if field == "label" and value.lower() in ("yes", "no", "none") else {}


def _relevance(value: str) -> dict[str, object]:
    if value.lower() in ("yes", "no"):
        return {"relevant": value.lower() == "yes"}
    if found := _ABOVE.fullmatch(value):
        return {"at_least" if found[1] == ">" else "below": float(found[2])}
    return {}


def _whole(run: LetterRun) -> list[str]:
    """Return the tokens of a run that others follow."""
    return [*pairs(run.text), run.text[-1]] if run.is_han else [stem(run.text)]


def _last(run: LetterRun, is_open: bool) -> list[str]:
    """Return the tokens of a run that the page's own may outgrow."""
    if run.is_han:
        return pairs(run.text) or [run.text]
    return [run.text if is_open else stem(run.text)]


# Filters of a query as conditions of SQL


def clauses_of(query: Query, threshold: float, labels: Mapping[Url, bool]) -> Iterator[tuple[object, ...]]:
    """Yield what must hold of a page besides its words, and the values for it; the user's word goes first."""
    if query.host:
        hosts = "SELECT id FROM host WHERE replace(name, '//', '.') || ':' LIKE '%.' || ? || ':%' ESCAPE '!'"
        yield f"fact.host IN ({hosts})", re.sub("[%_!]", r"!\g<0>", query.host)
    if query.language:
        yield "language = ?", query.language
    if query.since:
        yield "at >= ?", query.since
    if query.at_least:
        yield "relevance >= ?", query.at_least
    if query.below < 2.0:
        yield "relevance < ?", query.below
    if query.relevant is not None:
        sign = ">=" if query.relevant else "<"
        ours, others = (_keys(labels, said) for said in (query.relevant, not query.relevant))
        judged = f"relevance {sign} ?"
        yield (
            (f"(key IN {_LIST} OR {judged} AND key NOT IN {_LIST})", ours, threshold, others)
            if labels
            else (judged, threshold)  # by the index alone: a million pages are counted in no time
        )
    if query.label == "none":
        yield f"key NOT IN {_LIST}", str([key_of(url) for url in labels])
    elif query.label:
        yield f"key IN {_LIST}", _keys(labels, query.label == "yes")


_LIST = "(SELECT value FROM json_each(?))"


def _keys(labels: Mapping[Url, bool], said: bool) -> str:
    """Return the keys of the pages that the user said so of, as JSON."""
    return str([key_of(url) for url, label in labels.items() if label is said])


# Snippets: the piece of a page where the words stand closest together, with the words marked


LENGTH = 180  # letters
LONGEST_WORD = 16
FIRST = 8000  # letters in which the words usually stand
SNIPPET_LETTERS = 200_000  # letters of a page looked through

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
        text = _line(whole[:SNIPPET_LETTERS])
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
