"""Filters of a query as conditions of SQL on the facts of an index."""

import re
from collections.abc import Iterator, Mapping

from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.search.query import Query


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
