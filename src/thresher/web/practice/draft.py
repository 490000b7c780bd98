"""The drawing board of a plan: it makes pages, finds them a path, and links them."""

from collections.abc import Iterable, Sequence
from itertools import count

from thresher.web.practice.atlas import Address, Atlas, Kind, PagePlan, Role, Site
from thresher.web.practice.dice import Dice
from thresher.web.practice.prose import Prose
from thresher.web.practice.subjects import NAMES, TOPICS
from thresher.web.practice.vocabulary import Vocabulary

MENTIONS = 5
"""How many topics a page names without being about them: five of twelve is more than a third."""


class Draft:
    """An atlas under construction. No two pages share an address."""

    def __init__(self, seed: int, sites: Sequence[Site]) -> None:
        """Start with empty sites."""
        self.atlas = Atlas(seed, sites={site.name: site for site in sites})
        self.dice = Dice(seed, "plan")
        self.by_role = {role: [site for site in sites if site.role is role] for role in Role}
        clubs = self.by_role[Role.CLUB]
        self.clubs = {topic.name: clubs[2 * place : 2 * place + 2] for place, topic in enumerate(TOPICS)}
        self.everyday: dict[str, list[PagePlan]] = {site.name: [] for site in sites}  # no hubs, no tunnels
        self._numbers = count(1)

    def page(
        self, site: Site, kind: Kind, subject: Vocabulary, folder: str = "", label: str = ""
    ) -> PagePlan:
        """Put a new page into a folder of a site."""
        title = self._title(Prose(subject, self.dice), kind)
        return self._place(PagePlan(site, self._path(folder, title), kind, subject, title, label))

    def home(self, site: Site, kind: Kind, subject: Vocabulary, label: str = "") -> PagePlan:
        """Put a new page at the root of a site."""
        title = self._title(Prose(subject, self.dice), kind)
        return self._place(PagePlan(site, "", kind, subject, title, label))

    def copy(self, original: PagePlan, kind: Kind, site: Site, path: str) -> PagePlan:
        """Put the text of a page at another address, under the same label."""
        plan = PagePlan(site, path, kind, original.subject, original.title, original.label, original=original)
        plan.named, plan.mentions, plan.links = original.named, original.mentions, list(original.links)
        self.atlas.pages[plan.address] = plan
        return plan

    def sites_for(self, language: str, *roles: Role) -> list[Site]:
        """Return the sites of a language that play one of the roles."""
        return [site for role in roles for site in self.by_role[role] if site.language == language]

    def _title(self, prose: Prose, kind: Kind) -> str:
        if kind is Kind.HUB:
            return prose.list_heading()
        return prose.lure(prose.vocabulary.name) if kind is Kind.STUFFER else prose.heading()

    def _path(self, folder: str, title: str) -> str:
        """Return a path with the title's words in it, made unique by a number."""
        number = next(self._numbers)
        if not title.isascii():
            return f"{folder}{20000 + number}.html"
        return f"{folder}{'-'.join(title.lower().split())}-{number}.html"

    def _place(self, plan: PagePlan) -> PagePlan:
        others = [name for name in NAMES if name not in (plan.label, plan.subject.name)]
        plan.mentions = tuple(self.dice.some(others, MENTIONS))
        self.atlas.pages[plan.address] = plan
        return plan


def link(source: PagePlan, targets: Iterable[PagePlan | Address]) -> None:
    """Let a page link to others, once each and never to itself."""
    for target in targets:
        address = target if isinstance(target, str) else target.address
        if address not in source.links and address != source.address:
            source.links.append(address)
