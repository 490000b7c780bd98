"""The links of a plan that follow no topic: they make a web of the pieces, and a crawl's life harder."""

from collections.abc import Iterator, Sequence

from thresher.web.practice.atlas import Address, Kind, PagePlan
from thresher.web.practice.dice import Dice
from thresher.web.practice.draft import Draft, link
from thresher.web.practice.topical import Territory
from thresher.web.practice.traps import entrances


class Noise:
    """Where links lead that follow no topic."""

    def __init__(self, draft: Draft, territories: Sequence[Territory], dead_ends: Sequence[Address]) -> None:
        """Remember what may be linked: `dead_ends` are moved, missing and forbidden addresses."""
        self.draft, self.dice = draft, Dice(draft.atlas.seed, "noise")
        self.dead_ends = dead_ends
        self.trails = [page for territory in territories for page in territory.trail]
        self.lists = [page for territory in territories for page in territory.hubs]
        self.tunnels = [territory.tunnels[place][0] for territory in territories for place in range(0, 6, 2)]
        self.stuffers = [page for territory in territories for page in territory.stuffers]
        self.traps = entrances(draft.atlas.sites.values())
        sites = draft.atlas.sites.values()
        self.everyday = {
            language: [
                page for site in sites if site.language == language for page in draft.everyday[site.name]
            ]
            for language in ("en", "zh")
        }

    def spread(self) -> None:
        """Give every page its share, then make sure that every tunnel and hub has a way in."""
        for page in list(self.draft.atlas.pages.values()):
            if page.kind is Kind.ARTICLE:
                link(page, self._around(page))
            elif page.kind in (Kind.HUB, Kind.STUFFER):
                link(page, [*self._at_home(page, 1), *self._anywhere(page, 4)])
        for page in [*self.tunnels, *self.lists]:
            for source in self._anywhere(page, 2):
                link(source, [page])
        for entrance in self.traps:
            link(self.draft.atlas.pages[entrance.partition("/")[0] + "/"], [entrance])

    def _around(self, page: PagePlan) -> Iterator[PagePlan | Address]:
        yield self.draft.atlas.pages[f"{page.site.name}/"]
        yield from self._at_home(page, 2)
        yield from self._anywhere(page, 2 if page.label else 4)
        yield from self._sometimes(page)

    def _sometimes(self, page: PagePlan) -> Iterator[PagePlan | Address]:
        if self.dice.chance(0.3 if page.label else 0.08):
            yield self.dice.one(self.trails)
        rarities: tuple[tuple[float, Sequence[PagePlan | Address]], ...] = (
            (0.12, self.dead_ends),
            (0.04, self.stuffers),
            (0.02, self.lists),
            (0.02, self.traps),
        )
        for chance, targets in rarities:
            if self.dice.chance(chance):
                yield self.dice.one(targets)

    def _at_home(self, page: PagePlan, count: int) -> list[PagePlan]:
        return self.dice.some(self.draft.everyday[page.site.name], count)

    def _anywhere(self, page: PagePlan, count: int) -> list[PagePlan]:
        return [self.dice.one(self.everyday[page.site.language]) for _ in range(count)]
