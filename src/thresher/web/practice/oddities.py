"""What makes a plan as untidy as the web: copies, moved and missing pages, odd HTML, pages that change."""

from collections.abc import Sequence

from thresher.web.practice.atlas import Address, Change, Kind, PagePlan, Quirk, Role
from thresher.web.practice.dice import Dice
from thresher.web.practice.draft import Draft, link
from thresher.web.practice.topical import Territory

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
