"""The HTML of a practice web, written when it is fetched."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from html import escape

from msgspec import Struct

from thresher_practice.grammar import GRAMMARS
from thresher_practice.site_plan import Address, Atlas, Evolution, PageKind, PagePlan, Quirk, Role, Site
from thresher_practice.text import EVERYDAY, TOPICS, Dice, Prose

# Traps: pages without end


class TrapPage(Struct, frozen=True):
    """One page of a trap: what it is called, and where it leads, as its HTML writes it."""

    title: str
    hrefs: tuple[tuple[str, str], ...]  # reference, anchor


ENTRANCES = {
    Role.EVENTS: "calendar/2024/1/",
    Role.FORUM: "thread/1?sid=0f0f0f0f0f0f0f0f",
    Role.SHOP: "filter?c=1",
    Role.PERSONAL: "album/photos/",
}
"""Where the trap of a site begins: a calendar, session ids, a query that grows, a path that repeats."""


def entrances(sites: Iterable[Site]) -> list[Address]:
    """Return the addresses at which the sites' traps begin."""
    return [f"{site.name}/{ENTRANCES[site.role]}" for site in sites if site.role in ENTRANCES]


def trap(site: Site, path: str) -> TrapPage | None:
    """Return the page of the site's trap at a path, or None where there is no trap."""
    pattern, build = _TRAPS.get(site.role, (_NOTHING, _calendar))
    found = pattern.fullmatch(path)
    return build(found) if found else None


def _calendar(found: re.Match[str]) -> TrapPage:
    year, month, day = int(found[1]), int(found[2]), int(found[3] or 0)
    later, earlier = year * 12 + month, year * 12 + month - 2
    months = (
        (f"/calendar/{at // 12}/{at % 12 + 1}/", f"{at // 12}-{at % 12 + 1:02}") for at in (earlier, later)
    )
    days = ((f"/calendar/{year}/{month}/{at}", f"{at}") for at in range(day + 1, min(day + 8, 29)))
    return TrapPage(f"{year}-{month:02}" + (f"-{day:02}" if day else ""), (*months, *days))


def _thread(found: re.Match[str]) -> TrapPage:
    number, session = int(found[1]), found[2]
    dice = Dice("session", number, session)
    others = (number + 1, number + 2, max(number - 1, 1))
    fresh = ("".join(dice.one("0123456789abcdef") for _ in range(16)) for _ in others)
    hrefs = tuple((f"/thread/{at}?sid={sid}", f"#{at}") for at, sid in zip(others, fresh, strict=True))
    return TrapPage(f"Thread {number}", hrefs)


def _filter(found: re.Match[str]) -> TrapPage:
    query = found[1]
    return TrapPage(
        f"Filter {query.count('=')}", tuple((f"/filter?{query}&c={at}", f"+{at}") for at in range(1, 6))
    )


def _album(found: re.Match[str]) -> TrapPage:
    depth = found[0].count("/")
    return TrapPage(f"Album {depth}", (("photos/", "photos"), ("album/", "album"), ("../", "back")))


_NOTHING = re.compile("(?!)")
_TRAPS = {
    Role.EVENTS: (re.compile(r"calendar/(\d{1,9})/(1[0-2]|[1-9])/(\d{1,2})?"), _calendar),
    Role.FORUM: (re.compile(r"thread/(\d{1,9})\?sid=([0-9a-f]{16})"), _thread),
    Role.SHOP: (re.compile(r"filter\?((?:c=\d&?)+)"), _filter),
    Role.PERSONAL: (re.compile(r"album/(?:photos/|album/)*"), _album),
}

Locate = Callable[[Address], str]
"""Turns an address into a URL."""


class PageWriter:
    """Writes one page: `edition` counts how often time has changed it, last at the moment `since`."""

    def __init__(self, atlas: Atlas, page: PagePlan, locate: Locate, edition: int, since: int) -> None:
        """Take up the pen; a copy is written with the dice of its original."""
        self.atlas, self.page, self.locate = atlas, page, locate
        self.edition, self.since = edition, since
        self.source = page.original or page
        rewritten = edition if self.source.change is Evolution.NEWS else 0
        self.dice = Dice(atlas.seed, self.source.address, rewritten)
        self.grammar = GRAMMARS[page.subject.language]
        self.prose = Prose(page.subject, self.dice, self.source.oblique)

    def html(self) -> str:
        """Return the whole page."""
        if self.page.kind is PageKind.FRAMES:
            return self._frames()
        if self.page.kind is PageKind.REFRESH:
            return self._refresh()
        main = self._list() if self.page.kind in (PageKind.HUB, PageKind.INDEX) else self._article()
        if self.page.kind is PageKind.PRINT:
            return self._document(main)
        return self._document([*self._menu(), *main, *self._ring(), *self._comments(), self._footer()])

    def _document(self, body: Iterable[str]) -> str:
        page = self.page
        head = [f'<meta charset="{page.site.charset}">'] if not page.site.charset_in_header else []
        if page.quirk is not Quirk.UNTITLED:
            head.append(f"<title>{escape(page.title)} - {page.site.name}</title>")
        head += _QUIRK_TAGS.get(page.quirk, [])
        if page.kind is PageKind.PRINT and page.original:
            head.append(f'<link rel="canonical" href="{self.locate(page.original.address)}">')
        lines = ["<!DOCTYPE html>", f'<html lang="{page.subject.language}">', "<head>", *head, "</head>"]
        return "\n".join([*lines, "<body>", *body, "</body>", "</html>", ""])

    def _menu(self) -> Iterator[str]:
        """Yield a menu; where time leaves its mark, the entries change places."""
        entries = [f'<a href="/">{self.grammar.home}</a>', self.page.site.name]
        turned = entries[::-1] if self.edition % 2 else entries
        yield f'<div id="menu">{" | ".join(turned)}</div>'

    def _article(self) -> Iterator[str]:
        """Yield heading and paragraphs, half of the links inside them and the rest in a list below."""
        page = self.page
        yield f"<h1>{escape(page.title)}</h1>"
        if self.dice.chance(0.3):
            yield f'<img src="/img/{self.dice.between(1, 40)}.gif" alt="{self.grammar.more[0]}">'
        inside, below = page.links[::2], page.links[1::2]
        texts = self._paragraphs()
        for number, text in enumerate(texts):
            anchors = [self._anchor(address) for address in inside[number :: len(texts)]]
            yield f"<p>{' '.join([escape(text), *anchors])}</p>"
        yield from self._links(below)

    def _paragraphs(self) -> list[str]:
        page, prose = self.source, self.prose
        if page.kind is PageKind.STUFFER:
            filler, name = Prose(EVERYDAY[page.subject.language][0], self.dice), page.subject.name
            return [prose.stuffed(name, 6), *filler.paragraphs(1), prose.stuffed(name, 4)]
        extra = [prose.named() for _ in range(self.dice.between(1, 3))] if page.named else []
        extra += [prose.passing(name) for name in self._same_language_mentions()]
        paragraphs = prose.paragraphs(self.dice.between(3, 5), extra)
        if page.digression:
            paragraphs += Prose(page.digression, self.dice).paragraphs(1)
        return paragraphs

    def _list(self) -> Iterator[str]:
        yield f"<h1>{escape(self.page.title)}</h1>"
        if self.page.kind is PageKind.INDEX:
            yield f"<p>{escape(self.prose.paragraphs(1)[0])}</p>"
        yield from self._links(self.page.links)

    def _links(self, addresses: Iterable[Address]) -> Iterator[str]:
        yield "<ul>"
        yield from (f"<li>{self._anchor(address)}</li>" for address in addresses)
        yield "</ul>"

    def _anchor(self, address: Address, trusted: bool = True) -> str:
        href, text = escape(self._reference(address)), escape(self._anchor_text(address))
        return f'<a href="{href}">{text}</a>' if trusted else f'<a href="{href}" rel="nofollow">{text}</a>'

    def _reference(self, address: Address) -> str:
        """Return what the page writes: a path on its own site, a whole URL elsewhere."""
        site, _, path = address.partition("/")
        if site != self.page.site.name:
            return self.locate(address)
        return f"{UP}{path}" if self.page.quirk is Quirk.BASE else f"/{path}"

    def _anchor_text(self, address: Address) -> str:
        """Return the title of the target, unless this page keeps quiet about what it links to."""
        target = self.atlas.pages.get(address)
        if self.page.kind is PageKind.HUB and self.dice.chance(0.85):
            return self.prose.entry()
        if target is None or self.dice.chance(0.2) or self._is_shy_of(target):
            return self.prose.more()
        return self.grammar.print if target.kind is PageKind.PRINT else target.title

    def _is_shy_of(self, target: PagePlan) -> bool:
        """Say whether the target's title would give away a name that this page never says."""
        source = self.source
        return target.kind is PageKind.STUFFER and source.label == target.subject.name and not source.named

    def _ring(self) -> Iterator[str]:
        said = self._same_language_mentions()
        names = [name for name in self.source.mentions if name not in said]
        if names:
            yield f'<div id="ring">{self.grammar.ring}: {", ".join(names)}</div>'

    def _comments(self) -> Iterator[str]:
        for address in self.page.distrusted:
            yield f'<div class="comment">{self._anchor(address, trusted=False)}</div>'

    def _footer(self) -> str:
        marks = [self.page.site.name]
        if self.source.change is not Evolution.STILL:
            date = datetime.fromtimestamp(self.since, UTC).strftime("%Y-%m-%d %H:%M")
            marks += [date, f"{1000 + 37 * self.edition % 900_000}"]
        return f'<div id="footer">{" | ".join(marks)}</div>'

    def _same_language_mentions(self) -> tuple[str, ...]:
        """Return the mentions that sentences can make; the others stand in the web ring."""
        if self.source.kind is not PageKind.ARTICLE:
            return ()
        language = self.page.subject.language
        return tuple(name for name in self.source.mentions if _LANGUAGES[name] == language)[:2]

    def _frames(self) -> str:
        frames = "".join(f'<frame src="{escape(self._reference(address))}">' for address in self.page.links)
        title = f"<title>{escape(self.page.title)}</title>"
        return f'<html><head>{title}</head><frameset cols="30%,70%">{frames}</frameset></html>\n'

    def _refresh(self) -> str:
        target = escape(self._reference(self.page.links[0]))
        meta = f'<meta http-equiv="refresh" content="0; url={target}">'
        return f"<html><head>{meta}</head><body></body></html>\n"


def trap_html(page: TrapPage, prose: Prose) -> str:
    """Return the HTML of a page of a trap, with a paragraph that many of its pages share."""
    anchors = [f'<li><a href="{escape(href)}">{escape(text)}</a></li>' for href, text in page.hrefs]
    lines = ["<!DOCTYPE html>", f'<html lang="{prose.vocabulary.language}">']
    lines += [f"<head><title>{escape(page.title)}</title></head>", "<body>", f"<h1>{escape(page.title)}</h1>"]
    lines += [f"<p>{escape(prose.paragraphs(1)[0])}</p>", "<ul>", *anchors, "</ul>"]
    return "\n".join([*lines, f'<a href="/">{prose.grammar.home}</a>', "</body>", "</html>", ""])


BASE, UP = "/here/and/now/", "../../../"
"""Where pages with a base say they are, and how their links get back to the root."""

_LANGUAGES = {topic.name: topic.language for topic in TOPICS}
_QUIRK_TAGS = {
    Quirk.BASE: [f'<base href="{BASE}">'],
    Quirk.NOINDEX: ['<meta name="robots" content="noindex">'],
    Quirk.NOFOLLOW: ['<meta name="robots" content="nofollow">'],
}
