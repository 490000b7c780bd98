"""What the practice web answers to a request: the same bytes in-process and over HTTP."""

from email.utils import formatdate, parsedate_to_datetime
from hashlib import blake2b
from html import escape

from msgspec import Struct

from thresher.core.records import Headers
from thresher.web.practice.atlas import Address, Atlas, Change, Kind, PagePlan, Site
from thresher.web.practice.dice import Dice
from thresher.web.practice.pages import Locate, Writer, trap_html
from thresher.web.practice.prose import Prose
from thresher.web.practice.subjects import EVERYDAY
from thresher.web.practice.traps import trap

STANDSTILL = 1_700_000_000
"""What time it is on a practice web without a clock."""

FOUNDED = 1_500_000_000
"""When the pages that never change were written."""

PERIODS = {Change.STILL: 0, Change.NEWS: 6 * 3600, Change.COUNTER: 3600}
"""How many seconds an edition of a page lasts; 0 is for ever."""


class Answer(Struct, frozen=True):
    """One response: status, headers in lower case, and body."""

    status: int
    headers: Headers = ()
    body: bytes = b""


class Responder:
    """Answers for every address of an atlas, at any moment."""

    def __init__(self, atlas: Atlas, locate: Locate) -> None:
        """Remember the plan, and how an address is written as a URL."""
        self.atlas, self.locate = atlas, locate

    def is_forbidden(self, address: Address) -> bool:
        """Say whether the site's robots.txt closes the folder; it has only plain prefixes."""
        name, _, path = address.partition("/")
        site = self.atlas.sites.get(name)
        return site is not None and f"/{path}".startswith(site.disallowed or ("//",))

    def answer(self, address: Address, now: float = STANDSTILL, conditions: Headers = ()) -> Answer:
        """Return the response to GET; `conditions` are the request's headers."""
        if address in self.atlas.moved:
            status, target = self.atlas.moved[address]
            return Answer(status, (("location", self.locate(target)), ("content-length", "0")))
        page = self.atlas.pages.get(address) or self.atlas.forbidden.get(address)
        if page:
            return self._page(page, now, conditions)
        return self._special(address)

    def _page(self, page: PagePlan, now: float, conditions: Headers) -> Answer:
        edition, since = _edition(page, now)
        written = page.original if page.original and page.kind is Kind.ALIAS else page
        html = Writer(self.atlas, written, self.locate, edition, since).html()
        body = html.encode(page.site.charset, "xmlcharrefreplace")
        tag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
        known = (("etag", tag), ("last-modified", formatdate(since, usegmt=True)))
        if _is_known(dict(conditions), tag, since):
            return Answer(304, known)
        return Answer(200, (("content-type", _content_type(page.site)), *_length(body), *known), body)

    def _special(self, address: Address) -> Answer:
        """Answer for robots.txt, the sitemap, images and traps; anything else is missing."""
        name, _, path = address.partition("/")
        site = self.atlas.sites[name]
        if path == "robots.txt" and site.has_robots:
            return _text(self._robots(site), "text/plain")
        if path == "sitemap.xml" and site.has_sitemap:
            return _text(self._sitemap(site), "application/xml")
        if path.startswith("img/"):
            return Answer(200, (("content-type", "image/gif"), *_length(_DOT)), _DOT)
        trapped = trap(site, path)
        if trapped:
            prose = Prose(EVERYDAY[site.language][0], Dice(self.atlas.seed, name, len(path) % 12))
            return _text(trap_html(trapped, prose), "text/html; charset=utf-8")
        status = self.atlas.gone.get(address, 404)
        return _text(f"<html><title>{status}</title><h1>{status}</h1></html>\n", "text/html", status)

    def _robots(self, site: Site) -> str:
        lines = ["User-agent: *", *(f"Disallow: {prefix}" for prefix in site.disallowed)]
        lines += [f"Crawl-delay: {site.delay}"] if site.delay else []
        lines += ["", f"Sitemap: {self.locate(site.name + '/sitemap.xml')}"] if site.has_sitemap else []
        return "\n".join([*lines, ""])

    def _sitemap(self, site: Site) -> str:
        """Return what the sections of a site list; what is hidden by design stays hidden."""
        home = self.atlas.pages[f"{site.name}/"]
        indexes = (page for address in home.links if (page := self.atlas.pages.get(address)))
        sections = [page for page in indexes if page.kind is Kind.INDEX and page.site is site]
        listed = [address for section in sections for address in section.links]
        rows = "".join(f"<url><loc>{escape(self.locate(address))}</loc></url>\n" for address in listed)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_SITEMAP}">\n{rows}</urlset>\n'


def _edition(page: PagePlan, now: float) -> tuple[int, int]:
    """Return how often a page has changed, and when it did last."""
    period = PERIODS[(page.original or page).change]
    number = max(0, int(now) // period) if period else 0
    return number, number * period if period else FOUNDED


def _is_known(conditions: dict[str, str], tag: str, since: int) -> bool:
    if "if-none-match" in conditions:
        return tag in conditions["if-none-match"] or conditions["if-none-match"].strip() == "*"
    try:
        return parsedate_to_datetime(conditions["if-modified-since"]).timestamp() >= since
    except (KeyError, ValueError):
        return False


def _content_type(site: Site) -> str:
    return f"text/html; charset={site.charset}" if site.charset_in_header else "text/html"


def _text(text: str, kind: str, status: int = 200) -> Answer:
    body = text.encode()
    return Answer(status, (("content-type", kind), *_length(body)), body)


def _length(body: bytes) -> Headers:
    return (("content-length", str(len(body))),)


_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_DOT = b"GIF89a\1\0\1\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"  # one white pixel
