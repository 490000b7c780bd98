"""The links of a plan that follow no topic: they make a web of the pieces, and a crawl's life harder."""

from collections.abc import Iterator, Sequence

from thresher.web.practice.atlas import Address, Kind, PagePlan
from thresher.web.practice.dice import Dice
from thresher.web.practice.draft import Draft, link
from thresher.web.practice.topical import Territory
from thresher.web.practice.traps import entrances

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
