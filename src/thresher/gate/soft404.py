"""Soft 404s: pages that say with status 200 that there is no page."""

import re

from msgspec.structs import replace

from thresher.core.records import Detail, Outcome, Page, Visit
from thresher.gate.duplicates import has_bytes

LONGEST = 1_200  # bytes of text; who writes more has something to say


def looks_missing(page: Page) -> bool:
    """Tell whether a page is an error page in disguise: short, and its heading and its text both say so."""
    text = page.main or page.text
    if has_bytes(text, LONGEST + 1):
        return False
    heading = page.title or text.partition("\n")[0]
    if not _HEADING.search(heading):
        return False
    return _TEXT.search(text) is not None or len(text.replace(heading, "").split()) <= 2


_THING = "(?:page|url|address|document|file|article|item|product|content|resource|link|entry|post|thread)"
_NOT_THERE = (
    "(?:not (?:be )?found|doesn.t exist|does not exist|never existed|no longer (?:exists?|available)"
    "|has been (?:removed|deleted)|(?:can|could)(?: ?not|n.t) (?:find|be found)|can.t find|unable to find"
    "|is missing|is not available|is unavailable)"
)
_CHINESE_THING = "(?:页面|頁面|网页|網頁|内容|內容|文章|帖子)"
_CHINESE_NOT_THERE = "(?:不存在|未找到|找不到|已(?:被)?[删刪]除|已失效)"
_CHINESE = (
    f"{_CHINESE_THING}[^。]{{0,12}}{_CHINESE_NOT_THERE}"
    f"|(?:找不到|未找到|[无無]法找到)[^。]{{0,12}}{_CHINESE_THING}"
)
_HEADING = re.compile(
    r"^\W*(?:(?:http |error |status )*4(?:04|10)\b|(?:file |page |content )?not found\b)"
    r"|\b(?:error 404|404 error|404 not found)\b"
    rf"|\b{_THING} (?:{_NOT_THERE}|missing|unavailable)|{_CHINESE}",
    re.IGNORECASE,
)
_TEXT = re.compile(
    rf"\b{_THING}\b[^.!?。]{{0,60}}{_NOT_THERE}|{_NOT_THERE}[^.!?。]{{0,30}}\b{_THING}\b"
    rf"|\b404\b[^.!?。]{{0,20}}\bnot found\b|{_CHINESE}",
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
