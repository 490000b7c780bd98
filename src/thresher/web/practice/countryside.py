"""The part of a plan that belongs to no topic: everyday pages, and the homes and sections that list them."""

from thresher.web.practice.atlas import Address, Kind, PagePlan, Role, Site
from thresher.web.practice.draft import Draft, link
from thresher.web.practice.subjects import EVERYDAY, TOPICS

ON_A_CLUB, ELSEWHERE = 14, 62
SECTION = 20
FORBIDDEN = 3


def found_homes(draft: Draft) -> list[PagePlan]:
    """Give every general site a home; the two portals list all the others."""
    homes = [
        _index(draft, site, home=True) for site in draft.atlas.sites.values() if site.role is not Role.CLUB
    ]
    for home in homes:
        spoken = [other for other in homes if other.site.language == home.site.language]
        link(home, homes if home.site.role is Role.PORTAL else draft.dice.some(spoken, 2))
    return homes


def settle(draft: Draft) -> None:
    """Fill every site with everyday pages, in sections that its home lists."""
    for site in draft.atlas.sites.values():
        count = ON_A_CLUB if site.role is Role.CLUB else ELSEWHERE
        pages = [_everyday(draft, site) for _ in range(count)]
        draft.everyday[site.name] = pages
        home = draft.atlas.pages[f"{site.name}/"]
        for start in range(0, count, SECTION):
            section = _index(draft, site)
            link(section, [home, *pages[start : start + SECTION]])
            link(home, [section])


def forbid(draft: Draft) -> list[Address]:
    """Put a few pages into the folders that robots.txt closes, and return their addresses."""
    atlas = draft.atlas
    for site in list(atlas.sites.values()):
        for folder in site.disallowed[:1]:
            for _ in range(FORBIDDEN):
                page = draft.page(site, Kind.ARTICLE, draft.dice.one(EVERYDAY[site.language]), folder[1:])
                atlas.forbidden[page.address] = atlas.pages.pop(page.address)
                link(page, [f"{site.name}/"])
    return list(atlas.forbidden)


def _everyday(draft: Draft, site: Site) -> PagePlan:
    dice = draft.dice
    page = draft.page(site, Kind.ARTICLE, dice.one(EVERYDAY[site.language]), dice.one(_FOLDERS))
    if dice.chance(0.2):
        page.digression = dice.one([topic for topic in TOPICS if topic.language == site.language])
    return page


def _index(draft: Draft, site: Site, home: bool = False) -> PagePlan:
    subject = draft.dice.one(EVERYDAY[site.language])
    return (
        draft.home(site, Kind.INDEX, subject) if home else draft.page(site, Kind.INDEX, subject, "sections/")
    )


_FOLDERS = ("", "pages/", "2018/", "2019/", "misc/")
