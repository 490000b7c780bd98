"""The practice web behind the door of every web: a synthetic web made from a seed, with known labels."""

import os
import pickle
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from email.utils import formatdate, parsedate_to_datetime
from functools import cached_property
from hashlib import blake2b
from html import escape
from pathlib import Path

from msgspec import Struct
from typing_extensions import override

from thresher.core.errors import HostUnreachable, RobotsForbidden, UnknownName
from thresher.core.files import atomic_write
from thresher.core.interfaces import Clock, Web
from thresher.core.records import Candidate, Fetched, Headers, Topic, Url
from thresher_practice import pages
from thresher_practice.html import Locate, PageWriter, trap, trap_html
from thresher_practice.pages import TRAIL, Noise, Territory
from thresher_practice.site_plan import (
    Address,
    Atlas,
    AtlasDraft,
    Evolution,
    PageKind,
    PagePlan,
    Quirk,
    Role,
    Site,
    choose_sites,
)
from thresher_practice.text import EVERYDAY, NAMES, TOPICS, Dice, Prose, topic_of

# A whole practice web, drawn from its seed


USUAL = 1  # the seed unless another is asked for
COMPILED = Path(__file__).with_name("__pycache__")


def plan_of(seed: int) -> Atlas:
    """Return the plan with this seed; the usual one is kept beside our compiled code, as Python keeps that.

    To draw it takes 80 ms, to read it 12.
    """
    if seed != USUAL or sys.dont_write_bytecode or not os.access(COMPILED, os.W_OK):
        return draw(seed)
    sources = [*COMPILED.parent.glob("*.py"), *COMPILED.parent.glob("vocabulary/*.toml")]
    kept = COMPILED / "atlas.pickle"
    stamp = max(each.stat().st_mtime_ns for each in sources)
    with suppress(Exception):  # whatever a damaged file or one of another version holds
        made, atlas = pickle.loads(kept.read_bytes())
        if made == stamp and isinstance(atlas, Atlas):
            return atlas
    atlas = draw(seed)
    with suppress(OSError), atomic_write(kept) as file:
        pickle.dump((stamp, atlas), file, protocol=5)
    return atlas


def draw(seed: int) -> Atlas:
    """Return the plan of the practice web with this seed."""
    draft = AtlasDraft(seed, choose_sites(Dice(seed, "sites")))
    pages.found_homes(draft)
    territories = [Territory(draft, topic) for topic in TOPICS]
    pages.settle(draft)
    dead_ends = pages.move_and_lose(draft, territories) + pages.forbid(draft)
    Noise(draft, territories, dead_ends).spread()
    pages.make_odd(draft)
    pages.copy_pages(draft, territories)
    _choose_seeds(draft, territories)
    return draft.atlas


def _choose_seeds(draft: AtlasDraft, territories: Sequence[Territory]) -> None:
    """Start each topic from a hub, an ordinary relevant page and an everyday page."""
    dice = Dice(draft.atlas.seed, "seeds")
    for territory in territories:
        community = dice.one(draft.sites_for(territory.subject.language, Role.COMMUNITY))
        far_side = territory.trail[TRAIL // 2 : -TRAIL // 8]  # away from the hub
        chosen = (territory.hubs[0], dice.one(far_side), dice.one(draft.everyday[community.name]))
        draft.atlas.seeds[territory.subject.name] = tuple(page.address for page in chosen)


STANDSTILL = 1_700_000_000
"""What time it is on a practice web without a clock."""

FOUNDED = 1_500_000_000
"""When the pages that never change were written."""

PERIODS = {Evolution.STILL: 0, Evolution.NEWS: 6 * 3600, Evolution.COUNTER: 3600}
"""How many seconds an edition of a page lasts; 0 is for ever."""


class PracticeResponse(Struct, frozen=True):
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

    def answer(self, address: Address, now: float = STANDSTILL, conditions: Headers = ()) -> PracticeResponse:
        """Return the response to GET; `conditions` are the request's headers."""
        if address in self.atlas.moved:
            status, target = self.atlas.moved[address]
            return PracticeResponse(status, (("location", self.locate(target)), ("content-length", "0")))
        page = self.atlas.pages.get(address) or self.atlas.forbidden.get(address)
        if page:
            return self._page(page, now, conditions)
        return self._special(address)

    def _page(self, page: PagePlan, now: float, conditions: Headers) -> PracticeResponse:
        edition, since = _edition(page, now)
        written = page.original if page.original and page.kind is PageKind.ALIAS else page
        html = PageWriter(self.atlas, written, self.locate, edition, since).html()
        body = html.encode(page.site.charset, "xmlcharrefreplace")
        tag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
        known = (("etag", tag), ("last-modified", formatdate(since, usegmt=True)))
        if _is_known(dict(conditions), tag, since):
            return PracticeResponse(304, known)
        return PracticeResponse(
            200, (("content-type", _content_type(page.site)), *_length(body), *known), body
        )

    def _special(self, address: Address) -> PracticeResponse:
        """Answer for robots.txt, the sitemap, images and traps; anything else is missing."""
        name, _, path = address.partition("/")
        site = self.atlas.sites[name]
        if path == "robots.txt" and site.has_robots:
            return _text(self._robots(site), "text/plain")
        if path == "sitemap.xml" and site.has_sitemap:
            return _text(self._sitemap(site), "application/xml")
        if path.startswith("img/"):
            return PracticeResponse(200, (("content-type", "image/gif"), *_length(_DOT)), _DOT)
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
        sections = [page for page in indexes if page.kind is PageKind.INDEX and page.site is site]
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


def _text(text: str, kind: str, status: int = 200) -> PracticeResponse:
    body = text.encode()
    return PracticeResponse(status, (("content-type", kind), *_length(body)), body)


def _length(body: bytes) -> Headers:
    return (("content-length", str(len(body))),)


_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_DOT = b"GIF89a\1\0\1\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"  # one white pixel


class PracticeWeb(Web):
    """A web that is a pure function of its seed, the URL and the time.

    It proves behaviour and is never evidence of merit. Its pages live on `http://NAME.localhost/`, or on
    `http://NAME.localhost:PORT/` when a server lends it a port; nothing else depends on the port.
    Like the live web it refuses what robots.txt forbids, by the plain prefixes its own rules consist of.
    """

    def __init__(
        self, seed: int = 1, clock: Clock | None = None, port: int | None = None, atlas: Atlas | None = None
    ) -> None:
        """Draw the plan, or take one drawn from the same seed; without a clock the pages stand still."""
        self.seed, self.clock, self.port = seed, clock, port
        self.atlas = atlas or plan_of(seed)
        self._authority = f".localhost:{port}/" if port else ".localhost/"
        self._responder = Responder(self.atlas, self.locate)

    @override
    async def get(self, candidate: Candidate) -> Fetched:
        address = self.address(candidate.url)
        if self._responder.is_forbidden(address):
            raise RobotsForbidden(f"robots.txt forbids {candidate.url}.")
        answer = self.answer(address)
        now = self.now()
        return Fetched(candidate, candidate.url, answer.status, answer.headers, answer.body, fetched_at=now)

    @override
    async def close(self) -> None:
        """Let go of nothing: there are no connections."""

    def on_port(self, port: int) -> "PracticeWeb":
        """Return the same web with its sites on another port."""
        return PracticeWeb(self.seed, self.clock, port, self.atlas)

    @cached_property
    def topics(self) -> Sequence[Topic]:
        """The topics of this web, with the seeds to start from."""
        return tuple(topic_of(subject, tuple(self.seeds(subject.name))) for subject in TOPICS)

    @cached_property
    def pages(self) -> Sequence[Url]:
        """Every page an obedient crawler may fetch; traps, redirects and missing pages are not among them."""
        return tuple(self.locate(address) for address in self.atlas.pages)

    def labels(self, topic: str) -> frozenset[Url]:
        """Return the pages that are truly about a topic: for the referee, never for a strategy."""
        _check(topic)
        pages = self.atlas.pages.items()
        return frozenset(self.locate(address) for address, page in pages if page.label == topic)

    def reachable(self, topic: str) -> frozenset[Url]:
        """Return the pages about a topic to which links lead from its seeds, each under one name."""
        _check(topic)
        led = map(self.atlas.pages.get, self._within_reach(self.atlas.seeds[topic]))
        return frozenset(
            self.locate(page.address)
            for page in led
            if page and page.label == topic and page.kind is not PageKind.ALIAS
        )

    def _within_reach(self, seeds: Iterable[Address]) -> set[Address]:
        """Return the addresses to which links lead that a crawler may follow."""
        waiting, seen = list(seeds), set(seeds)
        while waiting:
            fresh = self._onward(waiting.pop()) - seen
            seen |= fresh
            waiting.extend(fresh)
        return seen

    def _onward(self, address: Address) -> set[Address]:
        if address in self.atlas.moved:
            return {self.atlas.moved[address][1]}
        page = self.atlas.pages.get(address)
        if page is None or page.quirk is Quirk.NOFOLLOW:
            return set()
        return set(page.links).difference(page.distrusted)

    def citing(self, url: Url) -> Sequence[Url]:
        """Return the pages that link to a URL, as an index of links would."""
        return self._citing.get(url, ())

    @cached_property
    def _citing(self) -> dict[Url, list[Url]]:
        citing: dict[Url, list[Url]] = {}
        for address, page in self.atlas.pages.items():
            for target in page.links:
                citing.setdefault(self.locate(target), []).append(self.locate(address))
        return citing

    def seeds(self, topic: str) -> tuple[Url, ...]:
        """Return where to start: a hub, an ordinary relevant page and an off-topic page."""
        _check(topic)
        return tuple(self.locate(address) for address in self.atlas.seeds[topic])

    def locate(self, address: Address) -> Url:
        """Return the URL of an address of the plan."""
        name, _, path = address.partition("/")
        return Url(f"http://{name}{self._authority}{path}")

    def address(self, url: str) -> Address:
        """Return the address of the plan that a URL stands for; raise HostUnreachable for another web."""
        name, found, path = url.removeprefix("http://").partition(self._authority)
        if not found or name not in self.atlas.sites:
            raise HostUnreachable(f"{url} is not on this practice web.")
        return f"{name}/{path}"

    def answer(self, address: Address, conditions: Headers = ()) -> PracticeResponse:
        """Return the response to GET now, as the server sends it."""
        return self._responder.answer(address, self.now(), conditions)

    def is_forbidden(self, address: Address) -> bool:
        """Say whether robots.txt closes an address."""
        return self._responder.is_forbidden(address)

    def now(self) -> float:
        """Return the time on this web."""
        return self.clock.now() if self.clock else float(STANDSTILL)


def _check(topic: str) -> None:
    if topic not in NAMES:
        raise UnknownName("topic", topic, NAMES)
