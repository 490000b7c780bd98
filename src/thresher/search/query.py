"""The language of queries: words, "phrases", -word, word*, host:, lang:, since:, relevant: and label:.

What cannot be read as a filter is searched as words, and said.
"""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from thresher.core.errors import UsageError
from thresher.report.changes import moment_of
from thresher.search.tokens import Run, pairs, runs, stem
from thresher.text.chinese import segment
from thresher.text.languages import ENGLISH_STOP_WORDS

LETTERS, TERMS = 400, 16  # of a query at most
FIELDS = ("host", "lang", "since", "relevant", "label")

_PART = re.compile(
    r'(?P<minus>-?)(?:(?P<field>[a-z]+):(?P<value>"[^"]*"|\S*)|"(?P<phrase>[^"]*)"?|(?P<word>\S+))'
)
_ABOVE = re.compile(r"([<>])=?(0?\.\d+|[01](?:\.0*)?)")


class Term(Struct, frozen=True):
    """Words that stand side by side; of the last one only the beginning, if it is open."""

    runs: tuple[Run, ...]
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
        return [Term((Run(word, True, 0, len(word)),)) for word in dict.fromkeys(found)]


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


def _whole(run: Run) -> list[str]:
    """Return the tokens of a run that others follow."""
    return [*pairs(run.text), run.text[-1]] if run.is_han else [stem(run.text)]


def _last(run: Run, is_open: bool) -> list[str]:
    """Return the tokens of a run that the page's own may outgrow."""
    if run.is_han:
        return pairs(run.text) or [run.text]
    return [run.text if is_open else stem(run.text)]
