"""The pages of a plan: those of a topic, and everyday ones."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from thresher_practice.html import entrances
from thresher_practice.site_plan import (
    Address,
    AtlasDraft,
    Evolution,
    PageKind,
    PagePlan,
    Quirk,
    Role,
    Site,
    link,
)
from thresher_practice.text import EVERYDAY, TOPICS, Dice, SubjectWords

# The part of a plan that belongs to one topic.
#
# trail     relevant pages that link to their neighbours on it: topical locality with a long way round
# hub       a list that gives nothing away; some relevant pages are cited by nobody else
# tunnel    two to four off-topic pages, the only way to a few relevant ones
# island    relevant pages cited only by hubs that nobody cites: found by asking who links to a known page
# stuffer   an off-topic page full of the topic's name


TRAIL = 150
NEIGHBOURHOOD = 3  # a page knows others up to three places away
FRIENDS = 4
SHORTCUT = 0.1  # the share of pages that know one far away
HUBS, HUB_TRAIL, HUB_ONLY = 3, 4, 4
TUNNELS, TUNNEL_END = 8, 4
HIDDEN_HUBS, ISLANDS_EACH = 4, 7
STUFFERS = 8
NAMED, OBLIQUE = 0.52, 0.15  # the shares of relevant pages that say the name, and that avoid the keywords
FOLDERS = {"en": ("notes/", "pages/", "2019/", ""), "zh": ("wz/", "pages/", "2019/", "")}


class Territory:
    """The pages of one topic, as they are laid out."""

    def __init__(self, draft: AtlasDraft, subject: SubjectWords) -> None:
        """Lay out the pages of a topic and the links among them."""
        self.draft, self.subject = draft, subject
        self.dice: Dice = draft.dice
        self.trail = self._lay_trail()
        self.hubs = [self._lay_hub(place) for place in range(HUBS)]
        self.tunnels = [self._dig_tunnel(place) for place in range(TUNNELS)]
        self.islands = [page for place in range(HIDDEN_HUBS) for page in self._raise_islands(place)]
        self.stuffers = self._lay_stuffers()
        atlas = draft.atlas
        atlas.tunnels[subject.name] = [tuple(page.address for page in way) for way in self.tunnels]
        atlas.islands[subject.name] = [page.address for page in self.islands]

    def near(self, place: int, count: int) -> list[PagePlan]:
        """Return some neighbours of a place on the trail."""
        around = range(place - NEIGHBOURHOOD, place + NEIGHBOURHOOD + 1)
        return [self.trail[step % TRAIL] for step in self.dice.some(around, count)]

    def _lay_trail(self) -> list[PagePlan]:
        homes = [self._home(site) for site in self.draft.clubs[self.subject.name]]
        rest = iter([self._relevant(self._somewhere()) for _ in range(TRAIL - len(homes))])
        ends = {TRAIL * number // len(homes): home for number, home in enumerate(homes)}
        self.trail = [ends.get(place) or next(rest) for place in range(TRAIL)]
        for place, page in enumerate(self.trail):
            link(page, [self.trail[(place + 1) % TRAIL], *self.near(place, FRIENDS)])
            if self.dice.chance(SHORTCUT):
                link(page, [self.dice.one(self.trail)])
        return self.trail

    def _lay_hub(self, place: int) -> PagePlan:
        """Put a hub beside the trail, with a few pages that only it knows."""
        hub = self._list(self._list_site())
        middle = TRAIL * (2 * place + 1) // (2 * HUBS)
        secrets = [self._relevant(self._general_site()) for _ in range(HUB_ONLY)]
        for secret in secrets:
            link(secret, self.near(middle, 2))
        around = [self.trail[(middle + step) % TRAIL] for step in range(-HUB_TRAIL // 2, HUB_TRAIL // 2)]
        link(hub, self.dice.some(around + secrets, len(around) + len(secrets)))
        for citing in self.near(middle, 2):
            link(citing, [hub])
        return hub

    def _dig_tunnel(self, place: int) -> list[PagePlan]:
        """Dig through two, three or four off-topic pages to a few relevant ones."""
        way = [self._everyday() for _ in range(2 + place % 3)]
        end = [self._relevant(self._general_site()) for _ in range(TUNNEL_END)]
        for step, following in pairwise(way):
            link(step, [following])
        link(way[-1], end[:2])
        for number, page in enumerate(end):
            link(page, [*end[number + 1 :], *self.dice.some(end, 1), *self.near(self.dice.below(TRAIL), 1)])
        if place % 2:
            link(self.dice.one(self.trail), way[:1])
        return way

    def _raise_islands(self, place: int) -> list[PagePlan]:
        """Raise islands that share their only citing page with places on the trail."""
        hub = self._list(self._list_site())
        islands = [self._relevant(self._general_site()) for _ in range(ISLANDS_EACH)]
        spouses = self.near(TRAIL * place // HIDDEN_HUBS, 6)
        link(hub, self.dice.some(islands + spouses, len(islands) + len(spouses)))
        for island in islands:
            link(island, self.near(self.dice.below(TRAIL), 2))
        return islands

    def _lay_stuffers(self) -> list[PagePlan]:
        shop = self.draft.sites_for(self.subject.language, Role.SHOP)[0]
        stuffers = [self.draft.page(shop, PageKind.STUFFER, self.subject, "offers/") for _ in range(STUFFERS)]
        link(self.draft.atlas.pages[f"{shop.name}/"], stuffers)
        for page in stuffers:
            link(page, self.dice.some(stuffers, 3))
            self.dice.one(self.trail).distrusted.append(page.address)
        return stuffers

    def _relevant(self, site: Site) -> PagePlan:
        named = self.dice.chance(NAMED)
        folder = (
            f"{self.subject.address}/"
            if named and self.dice.chance(0.3)
            else self.dice.one(FOLDERS[self.subject.language])
        )
        page = self.draft.page(site, PageKind.ARTICLE, self.subject, folder, label=self.subject.name)
        page.named, page.oblique = named, self.dice.chance(OBLIQUE)
        return page

    def _home(self, site: Site) -> PagePlan:
        page = self.draft.home(site, PageKind.ARTICLE, self.subject, self.subject.name)
        page.named = True
        return page

    def _everyday(self) -> PagePlan:
        subject = self.dice.one(EVERYDAY[self.subject.language])
        return self.draft.page(
            self._general_site(), PageKind.ARTICLE, subject, self.dice.one(FOLDERS[self.subject.language])
        )

    def _list(self, site: Site) -> PagePlan:
        hub = self.draft.page(site, PageKind.HUB, self.dice.one(EVERYDAY[self.subject.language]), "links/")
        hub.mentions = tuple(name for name in hub.mentions if name != self.subject.name)
        return hub

    def _somewhere(self) -> Site:
        clubs = self.draft.clubs[self.subject.name]
        return self.dice.one(clubs) if self.dice.chance(0.25) else self._general_site()

    def _general_site(self) -> Site:
        roles = (Role.COMMUNITY, Role.NEWS, Role.PERSONAL, Role.FORUM, Role.EVENTS, Role.CLUB)
        return self.dice.one(self.draft.sites_for(self.subject.language, *roles))

    def _list_site(self) -> Site:
        roles = (Role.PORTAL, Role.PERSONAL, Role.COMMUNITY)
        return self.dice.one(self.draft.sites_for(self.subject.language, *roles))


# Pages of no topic: everyday pages, and the homes and sections that list them


ON_A_CLUB, ELSEWHERE = 14, 62
SECTION = 20
FORBIDDEN = 3


def found_homes(draft: AtlasDraft) -> list[PagePlan]:
    """Give every general site a home; the two portals list all the others."""
    homes = [
        _index(draft, site, home=True) for site in draft.atlas.sites.values() if site.role is not Role.CLUB
    ]
    for home in homes:
        spoken = [other for other in homes if other.site.language == home.site.language]
        link(home, homes if home.site.role is Role.PORTAL else draft.dice.some(spoken, 2))
    return homes


def settle(draft: AtlasDraft) -> None:
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


def forbid(draft: AtlasDraft) -> list[Address]:
    """Put a few pages into the folders that robots.txt closes, and return their addresses."""
    atlas = draft.atlas
    for site in list(atlas.sites.values()):
        for folder in site.disallowed[:1]:
            for _ in range(FORBIDDEN):
                page = draft.page(site, PageKind.ARTICLE, draft.dice.one(EVERYDAY[site.language]), folder[1:])
                atlas.forbidden[page.address] = atlas.pages.pop(page.address)
                link(page, [f"{site.name}/"])
    return list(atlas.forbidden)


def _everyday(draft: AtlasDraft, site: Site) -> PagePlan:
    dice = draft.dice
    page = draft.page(site, PageKind.ARTICLE, dice.one(EVERYDAY[site.language]), dice.one(_FOLDERS))
    if dice.chance(0.2):
        page.digression = dice.one([topic for topic in TOPICS if topic.language == site.language])
    return page


def _index(draft: AtlasDraft, site: Site, home: bool = False) -> PagePlan:
    subject = draft.dice.one(EVERYDAY[site.language])
    return (
        draft.home(site, PageKind.INDEX, subject)
        if home
        else draft.page(site, PageKind.INDEX, subject, "sections/")
    )


_FOLDERS = ("", "pages/", "2018/", "2019/", "misc/")


AT_HOME, ANYWHERE = {True: 2, False: 4}, {True: 2, False: 9}
"""How many everyday pages a relevant page (True) and an off-topic one (False) link to, here and elsewhere."""


class Noise:
    """Where links lead that follow no topic."""

    def __init__(
        self, draft: AtlasDraft, territories: Sequence[Territory], dead_ends: Sequence[Address]
    ) -> None:
        """Remember what may be linked: `dead_ends` are moved, missing and forbidden addresses."""
        self.draft, self.dice = draft, Dice(draft.atlas.seed, "noise")
        self.pools = {language: _Pool(language, draft, territories, dead_ends) for language in ("en", "zh")}

    def spread(self) -> None:
        """Give every page its share, then make sure that every tunnel, hub and trap has a way in."""
        for page in list(self.draft.atlas.pages.values()):
            if page.kind is PageKind.ARTICLE:
                link(page, self._around(page))
            elif page.kind in (PageKind.HUB, PageKind.STUFFER):
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
        self, language: str, draft: AtlasDraft, territories: Sequence[Territory], dead_ends: Sequence[Address]
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


def move_and_lose(draft: AtlasDraft, territories: Sequence[Territory]) -> list[Address]:
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


def copy_pages(draft: AtlasDraft, territories: Sequence[Territory]) -> None:
    """Repeat some pages: under index.html, on the mirror, and as print versions."""
    atlas, dice = draft.atlas, Dice(draft.atlas.seed, "copies")
    mirror = draft.by_role[Role.MIRROR][0]
    for site in atlas.sites.values():
        home = atlas.pages[f"{site.name}/"]
        alias = draft.copy(home, PageKind.ALIAS, site, "index.html")
        link(dice.one(draft.everyday[site.name]), [alias])
    for territory in territories:
        chosen = dice.some(territory.trail, MIRRORED + PRINTED)
        for page in chosen[:MIRRORED]:
            copied = draft.copy(page, PageKind.MIRROR, mirror, f"{page.site.name}/{page.path or 'home.html'}")
            link(dice.one(draft.everyday[mirror.name]), [copied])
        for page in chosen[MIRRORED:]:
            link(page, [draft.copy(page, PageKind.PRINT, page.site, f"print/{page.path or 'home.html'}")])


def make_odd(draft: AtlasDraft) -> None:
    """Hand out odd HTML and changing pages, and add a frameset and a page that only refreshes."""
    dice = Dice(draft.atlas.seed, "oddities")
    for number, page in enumerate(list(draft.atlas.pages.values())):
        if page.kind is PageKind.ARTICLE and page.path:
            page.quirk = _QUIRKS.get(number % 40, Quirk.NONE)
            page.change = _change(page, dice)
        elif page.kind is PageKind.STUFFER and number % 4 == 0:
            page.quirk = Quirk.NOFOLLOW
    for site in draft.by_role[Role.COMMUNITY]:
        frames = draft.page(site, PageKind.FRAMES, draft.everyday[site.name][0].subject, "frames/")
        link(frames, draft.everyday[site.name][:2])
        refresh = draft.page(site, PageKind.REFRESH, frames.subject, "welcome/")
        link(refresh, draft.everyday[site.name][2:3])
        link(draft.atlas.pages[f"{site.name}/"], [frames, refresh])


def _change(page: PagePlan, dice: Dice) -> Evolution:
    if page.site.role is Role.NEWS and dice.chance(0.5):
        return Evolution.NEWS
    return Evolution.COUNTER if dice.chance(0.1) else Evolution.STILL


_QUIRKS = {7: Quirk.BASE, 17: Quirk.UNTITLED, 27: Quirk.NOINDEX}
