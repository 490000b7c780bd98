"""Soft 404s: pages that say with status 200 that there is no page."""

import re
from functools import cache

from msgspec.structs import replace

from thresher.core.enums import Detail, Outcome
from thresher.core.records import Page, Visit
from thresher.gate.duplicates import has_bytes
from thresher.text.languages import LANGUAGES, Missing

LONGEST = 1_200  # bytes of text; who writes more has something to say


def looks_missing(page: Page) -> bool:
    """Tell whether a page is an error page in disguise: short, and its heading and its text both say so."""
    text = page.main or page.text
    if has_bytes(text, LONGEST + 1):
        return False
    heading = page.title or text.partition("\n")[0]
    if not _heading().search(heading):
        return False
    return _text().search(text) is not None or len(text.replace(heading, "").split()) <= 2


_ENGLISH = LANGUAGES["en"].missing or Missing("", "")
_THING, _NOT_THERE = _ENGLISH.thing, _ENGLISH.not_there
_ELSEWHERE = "|".join(
    f"{said.thing}{said.apart}{said.not_there}|{said.not_there}{said.apart}{said.thing}"
    for language in LANGUAGES.values()
    if (said := language.missing) and said is not _ENGLISH
)


@cache
def _heading() -> re.Pattern[str]:
    """Return what headings of error pages say, compiled for the first short page: both take 18 ms."""
    return re.compile(
        r"^\W*(?:(?:http |error |status )*4(?:04|10)\b|(?:file |page |content )?not found\b)"
        r"|\b(?:error 404|404 error|404 not found)\b"
        rf"|{_THING} (?:{_NOT_THERE}|missing|unavailable)|{_ELSEWHERE}",
        re.IGNORECASE,
    )


@cache
def _text() -> re.Pattern[str]:
    """Return what their texts say."""
    return re.compile(
        rf"{_THING}[^.!?。]{{0,60}}{_NOT_THERE}|{_NOT_THERE}[^.!?。]{{0,30}}{_THING}"
        rf"|\b404\b[^.!?。]{{0,20}}\bnot found\b|{_ELSEWHERE}",
        re.IGNORECASE,
    )


def drop_missing(visit: Visit) -> Visit:
    """Return the visit as it is kept: a soft 404 is gone."""
    page, detail = visit.page, Detail.SOFT_404
    if page is None or visit.outcome is not Outcome.FETCHED or not looks_missing(page):
        return visit
    return replace(visit, outcome=Outcome.GONE, page=None, relevance=0.0, reason=detail.value, detail=detail)


def drop_noindex(visit: Visit) -> Visit:
    """Return the visit as it is kept: a noindex page keeps its links but no word."""
    page = visit.page
    if page is None or visit.outcome is not Outcome.FETCHED or not page.noindex:
        return visit
    return replace(visit, page=replace(page, title="", text="", main=""), words={})
