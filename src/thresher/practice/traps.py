"""The traps of a practice web: pages without end, made when somebody asks for them."""

import re
from collections.abc import Iterable

from msgspec import Struct

from thresher.practice.seeded_random import Dice
from thresher.practice.site_plan import Address, Role, Site


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
