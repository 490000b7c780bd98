"""Responses to parse: the shortest way to write one down."""

from thresher.core.records import Candidate, Fetched, Page
from thresher.core.url import parse as url
from thresher.parse import parse

HTML = "text/html; charset=utf-8"


def fetched(
    body: str | bytes, at: str = "http://a.com/x/", content_type: str = HTML, **headers: str
) -> Fetched:
    """Write a response; the name of a header is given with underscores."""
    raw = body.encode() if isinstance(body, str) else body
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    kind = (("content-type", content_type),) if content_type else ()
    return Fetched(Candidate(url(at)), url(at), 200, kind + named, raw, fetched_at=1_700_000_000.0)


def page(body: str | bytes, at: str = "http://a.com/x/", content_type: str = HTML, **headers: str) -> Page:
    """Parse a response written down in place."""
    return parse(fetched(body, at, content_type, **headers))


def targets(found: Page) -> list[str]:
    """Return where the links of a page lead."""
    return [str(link.target) for link in found.links]
