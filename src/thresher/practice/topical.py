"""The part of a plan that belongs to one topic.

trail     relevant pages that link to their neighbours on it: topical locality with a long way round
hub       a list that gives nothing away; some relevant pages are cited by nobody else
tunnel    two to four off-topic pages, the only way to a few relevant ones
island    relevant pages cited only by hubs that nobody cites: found by asking who links to a known page
stuffer   an off-topic page full of the topic's name
"""

from itertools import pairwise

from thresher.practice.seeded_random import Dice
from thresher.practice.site_plan import Draft, Kind, PagePlan, Role, Site, link
from thresher.practice.subjects import EVERYDAY, Vocabulary

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

    def __init__(self, draft: Draft, subject: Vocabulary) -> None:
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
        stuffers = [self.draft.page(shop, Kind.STUFFER, self.subject, "offers/") for _ in range(STUFFERS)]
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
        page = self.draft.page(site, Kind.ARTICLE, self.subject, folder, label=self.subject.name)
        page.named, page.oblique = named, self.dice.chance(OBLIQUE)
        return page

    def _home(self, site: Site) -> PagePlan:
        page = self.draft.home(site, Kind.ARTICLE, self.subject, self.subject.name)
        page.named = True
        return page

    def _everyday(self) -> PagePlan:
        subject = self.dice.one(EVERYDAY[self.subject.language])
        return self.draft.page(
            self._general_site(), Kind.ARTICLE, subject, self.dice.one(FOLDERS[self.subject.language])
        )

    def _list(self, site: Site) -> PagePlan:
        hub = self.draft.page(site, Kind.HUB, self.dice.one(EVERYDAY[self.subject.language]), "links/")
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
