"""A second look at a page before it is kept: there may be none, or its author may not want it kept."""

from msgspec.structs import replace

from thresher.core.records import Outcome, Visit
from thresher.crawling.missing import looks_missing

SOFT_404 = "soft 404"


def review(visit: Visit) -> Visit:
    """Return the visit as it is kept: a soft 404 is gone, a noindex page keeps its links but no word."""
    page = visit.page
    if page is None or visit.outcome is not Outcome.FETCHED:
        return visit
    if looks_missing(page):
        return replace(visit, outcome=Outcome.GONE, page=None, relevance=0.0, reason=SOFT_404)
    return replace(visit, page=replace(page, title="", text="", main="")) if page.noindex else visit
