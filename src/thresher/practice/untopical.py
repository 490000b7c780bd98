"""The part of a plan that belongs to no topic: everyday pages, and the homes and sections that list them."""

from collections.abc import Iterator, Sequence

from thresher.practice.seeded_random import Dice
from thresher.practice.site_plan import Address, Change, Draft, Kind, PagePlan, Quirk, Role, Site, link
from thresher.practice.subjects import EVERYDAY, TOPICS
from thresher.practice.topical import Territory
from thresher.practice.traps import entrances

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


AT_HOME, ANYWHERE = {True: 2, False: 4}, {True: 2, False: 9}
"""How many everyday pages a relevant page (True) and an off-topic one (False) link to, here and elsewhere."""


class Noise:
    """Where links lead that follow no topic."""

    def __init__(self, draft: Draft, territories: Sequence[Territory], dead_ends: Sequence[Address]) -> None:
        """Remember what may be linked: `dead_ends` are moved, missing and forbidden addresses."""
        self.draft, self.dice = draft, Dice(draft.atlas.seed, "noise")
        self.pools = {language: _Pool(language, draft, territories, dead_ends) for language in ("en", "zh")}

    def spread(self) -> None:
        """Give every page its share, then make sure that every tunnel, hub and trap has a way in."""
        for page in list(self.draft.atlas.pages.values()):
            if page.kind is Kind.ARTICLE:
                link(page, self._around(page))
            elif page.kind in (Kind.HUB, Kind.STUFFER):
                link(page, [*self._at_home(page, 1), *self._anywhere(page, 4)])
        for pool in self.pools.values():
            for page in [*pool.tunnels, *pool.lists]:
                for source in self._anywhere(page, 2):
                    link(source, [page])
            for entrance in pool.traps:
                link(self.draft.atlas.pages[entrance.partition("/")[0] + "/"], [entrance])

    def _around(self, page: PagePlan) -> Iterator[PagePlan | Address]:
        yield self.draft.atlas.pages[f"{page.site.name}/"]
        yield from self._at_home(page, AT_HOME[bool(page.label)])
        yield from self._anywhere(page, ANYWHERE[bool(page.label)])
        yield from self._sometimes(page)

    def _sometimes(self, page: PagePlan) -> Iterator[PagePlan | Address]:
        """Yield what only some pages link to; one in thirty does so in the other language."""
        pool = self.pools[page.site.language if self.dice.chance(0.97) else "zh"]
        rarities: tuple[tuple[float, Sequence[PagePlan | Address]], ...] = (
            (0.3 if page.label else 0.08, pool.trails),
            (0.12, pool.dead_ends),
            (0.04, pool.stuffers),
            (0.02, pool.lists),
            (0.02, pool.traps),
        )
        for chance, targets in rarities:
            if self.dice.chance(chance):
                yield self.dice.one(targets)

    def _at_home(self, page: PagePlan, count: int) -> list[PagePlan]:
        return self.dice.some(self.draft.everyday[page.site.name], count)

    def _anywhere(self, page: PagePlan, count: int) -> list[PagePlan]:
        return [self.dice.one(self.pools[page.site.language].everyday) for _ in range(count)]


class _Pool:
    """What there is to link to in one language."""

    def __init__(
        self, language: str, draft: Draft, territories: Sequence[Territory], dead_ends: Sequence[Address]
    ) -> None:
        sites = [site for site in draft.atlas.sites.values() if site.language == language]
        names = {site.name for site in sites}
        spoken = [territory for territory in territories if territory.subject.language == language]
        self.everyday = [page for site in sites for page in draft.everyday[site.name]]
        self.trails = [page for territory in spoken for page in territory.trail]
        self.lists = [page for territory in spoken for page in territory.hubs]
        self.stuffers = [page for territory in spoken for page in territory.stuffers]
        self.tunnels = [way[0] for territory in spoken for way in territory.tunnels[::2]]
        self.dead_ends = [address for address in dead_ends if address.partition("/")[0] in names]
        self.traps = entrances(sites)


MIRRORED, PRINTED = 4, 4
MOVED, GONE = 3, 2
DETOURS = (
    ("go/a", 302, "go/b"),  # a chain that ends at the home of the site
    ("go/b", 301, "go/c"),
    ("go/c", 307, ""),
    ("go/round", 301, "go/trip"),  # a loop that never ends
    ("go/trip", 302, "go/round"),
)


def move_and_lose(draft: Draft, territories: Sequence[Territory]) -> list[Address]:
    """Leave old addresses that lead on or lead nowhere, and return them."""
    atlas, dice = draft.atlas, Dice(draft.atlas.seed, "moves")
    for place, territory in enumerate(territories):
        for number, page in enumerate(dice.some(territory.trail, MOVED)):
            atlas.moved[f"{page.site.name}/old/{place}-{number}.html"] = (301, page.address)
        for number, page in enumerate(dice.some(territory.trail, GONE)):
            atlas.gone[f"{page.site.name}/lost/{place}-{number}.html"] = (404, 410)[number % 2]
    news = draft.by_role[Role.NEWS][0].name
    for here, status, there in DETOURS:
        atlas.moved[f"{news}/{here}"] = (status, f"{news}/{there}")
    return [*atlas.moved, *atlas.gone]


def copy_pages(draft: Draft, territories: Sequence[Territory]) -> None:
    """Repeat some pages: under index.html, on the mirror, and as print versions."""
    atlas, dice = draft.atlas, Dice(draft.atlas.seed, "copies")
    mirror = draft.by_role[Role.MIRROR][0]
    for site in atlas.sites.values():
        home = atlas.pages[f"{site.name}/"]
        alias = draft.copy(home, Kind.ALIAS, site, "index.html")
        link(dice.one(draft.everyday[site.name]), [alias])
    for territory in territories:
        chosen = dice.some(territory.trail, MIRRORED + PRINTED)
        for page in chosen[:MIRRORED]:
            copied = draft.copy(page, Kind.MIRROR, mirror, f"{page.site.name}/{page.path or 'home.html'}")
            link(dice.one(draft.everyday[mirror.name]), [copied])
        for page in chosen[MIRRORED:]:
            link(page, [draft.copy(page, Kind.PRINT, page.site, f"print/{page.path or 'home.html'}")])


def make_odd(draft: Draft) -> None:
    """Hand out odd HTML and changing pages, and add a frameset and a page that only refreshes."""
    dice = Dice(draft.atlas.seed, "oddities")
    for number, page in enumerate(list(draft.atlas.pages.values())):
        if page.kind is Kind.ARTICLE and page.path:
            page.quirk = _QUIRKS.get(number % 40, Quirk.NONE)
            page.change = _change(page, dice)
        elif page.kind is Kind.STUFFER and number % 4 == 0:
            page.quirk = Quirk.NOFOLLOW
    for site in draft.by_role[Role.COMMUNITY]:
        frames = draft.page(site, Kind.FRAMES, draft.everyday[site.name][0].subject, "frames/")
        link(frames, draft.everyday[site.name][:2])
        refresh = draft.page(site, Kind.REFRESH, frames.subject, "welcome/")
        link(refresh, draft.everyday[site.name][2:3])
        link(draft.atlas.pages[f"{site.name}/"], [frames, refresh])


def _change(page: PagePlan, dice: Dice) -> Change:
    if page.site.role is Role.NEWS and dice.chance(0.5):
        return Change.NEWS
    return Change.COUNTER if dice.chance(0.1) else Change.STILL


_QUIRKS = {7: Quirk.BASE, 17: Quirk.UNTITLED, 27: Quirk.NOINDEX}
