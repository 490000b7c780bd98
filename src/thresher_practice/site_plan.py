"""The plan of a practice web: its sites and pages, before a word of them is written."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import count

from thresher_practice.text import EVERYDAY, NAMES, TOPICS, Dice, Prose, SubjectWords

Address = str
"""'site/path': where a page lives, whatever port the web is served on. A site's home is 'site/'."""


class Role(Enum):
    """What a site is for."""

    CLUB = "club"  # devoted to one topic
    PORTAL = "portal"
    NEWS = "news"
    COMMUNITY = "community"
    PERSONAL = "personal"
    FORUM = "forum"
    EVENTS = "events"
    MIRROR = "mirror"
    SHOP = "shop"


class PageKind(Enum):
    """What a page is for."""

    ARTICLE = "article"
    INDEX = "index"  # lists pages of its own site
    HUB = "hub"  # lists pages of one topic on many sites, in words that do not give the topic away
    STUFFER = "stuffer"  # repeats the name of a topic it says nothing about
    ALIAS = "alias"  # the same bytes as its original, at another address of the site
    MIRROR = "mirror"  # the text of its original on another site
    PRINT = "print"  # the text of its original without the furniture
    FRAMES = "frames"
    REFRESH = "refresh"


class Evolution(Enum):
    """What time does to a page."""

    STILL = "still"
    NEWS = "news"  # the text is rewritten
    COUNTER = "counter"  # only the date and the number of visitors change


class Quirk(Enum):
    """What is odd about the HTML of a page."""

    NONE = "none"
    BASE = "base"
    UNTITLED = "untitled"
    NOINDEX = "noindex"
    NOFOLLOW = "nofollow"


@dataclass(slots=True)
class Site:
    """One host. `disallowed` and `delay` are what its robots.txt asks for."""

    name: str
    role: Role
    language: str
    charset: str = "utf-8"
    charset_in_header: bool = True
    disallowed: tuple[str, ...] = ()
    delay: int = 0
    has_robots: bool = True
    has_sitemap: bool = False


@dataclass(slots=True)
class PagePlan:
    """One page. `label` is the topic it is truly about, or empty."""

    site: Site
    path: str
    kind: PageKind
    subject: SubjectWords
    title: str
    label: str = ""
    named: bool = False  # says the name of its own topic
    oblique: bool = False  # is about its topic without using the keywords
    digression: SubjectWords | None = None  # what else a paragraph of it is about
    mentions: tuple[str, ...] = ()  # names of topics it is not about
    links: list[Address] = field(default_factory=list)
    distrusted: list[Address] = field(default_factory=list)  # linked with rel=nofollow
    original: "PagePlan | None" = None
    change: Evolution = Evolution.STILL
    quirk: Quirk = Quirk.NONE
    address: Address = field(init=False)

    def __post_init__(self) -> None:
        """Write the address down: a plan asks for each one fifteen times."""
        self.address = f"{self.site.name}/{self.path}"


@dataclass(slots=True)
class Atlas:
    """A whole practice web. `pages` holds what an obedient crawler may fetch; the rest is beside it."""

    seed: int
    sites: dict[str, Site] = field(default_factory=dict)
    pages: dict[Address, PagePlan] = field(default_factory=dict)
    forbidden: dict[Address, PagePlan] = field(default_factory=dict)
    moved: dict[Address, tuple[int, Address]] = field(default_factory=dict)
    gone: dict[Address, int] = field(default_factory=dict)
    seeds: dict[str, tuple[Address, ...]] = field(default_factory=dict)
    tunnels: dict[str, list[tuple[Address, ...]]] = field(
        default_factory=dict
    )  # the off-topic pages in order
    islands: dict[str, list[Address]] = field(default_factory=dict)


MENTIONS = 5
"""How many topics a page names without being about them: five of twelve is more than a third."""


class AtlasDraft:
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
        self._sites_for: dict[tuple[str, tuple[Role, ...]], list[Site]] = {}
        self._others: dict[tuple[str, str], list[str]] = {}

    def page(
        self, site: Site, kind: PageKind, subject: SubjectWords, folder: str = "", label: str = ""
    ) -> PagePlan:
        """Put a new page into a folder of a site."""
        title = self._title(Prose(subject, self.dice), kind)
        return self._place(PagePlan(site, self._path(folder, title), kind, subject, title, label))

    def home(self, site: Site, kind: PageKind, subject: SubjectWords, label: str = "") -> PagePlan:
        """Put a new page at the root of a site."""
        title = self._title(Prose(subject, self.dice), kind)
        return self._place(PagePlan(site, "", kind, subject, title, label))

    def copy(self, original: PagePlan, kind: PageKind, site: Site, path: str) -> PagePlan:
        """Put the text of a page at another address, under the same label."""
        plan = PagePlan(site, path, kind, original.subject, original.title, original.label, original=original)
        plan.named, plan.mentions, plan.links = original.named, original.mentions, list(original.links)
        self.atlas.pages[plan.address] = plan
        return plan

    def sites_for(self, language: str, *roles: Role) -> list[Site]:
        """Return the sites of a language that play one of the roles."""
        if (language, roles) not in self._sites_for:
            self._sites_for[language, roles] = [
                site for role in roles for site in self.by_role[role] if site.language == language
            ]
        return self._sites_for[language, roles]

    def _title(self, prose: Prose, kind: PageKind) -> str:
        if kind is PageKind.HUB:
            return prose.list_heading()
        return prose.lure(prose.vocabulary.name) if kind is PageKind.STUFFER else prose.heading()

    def _path(self, folder: str, title: str) -> str:
        """Return a path with the title's words in it, made unique by a number."""
        number = next(self._numbers)
        if not title.isascii():
            return f"{folder}{20000 + number}.html"
        return f"{folder}{'-'.join(title.lower().split())}-{number}.html"

    def _place(self, plan: PagePlan) -> PagePlan:
        own = plan.label, plan.subject.name
        others = self._others.get(own) or self._others.setdefault(own, [n for n in NAMES if n not in own])
        plan.mentions = tuple(self.dice.some(others, MENTIONS))
        self.atlas.pages[plan.address] = plan
        return plan


def link(source: PagePlan, targets: Iterable[PagePlan | Address]) -> None:
    """Let a page link to others, once each and never to itself."""
    own, links = source.address, source.links
    for target in targets:
        address = target if isinstance(target, str) else target.address
        if address not in links and address != own:
            links.append(address)


GENERAL: dict[str, tuple[Role, ...]] = {
    "en": (Role.PORTAL, Role.NEWS, *[Role.COMMUNITY] * 3, Role.PERSONAL, Role.FORUM, Role.MIRROR, Role.SHOP),
    "zh": (Role.PORTAL, Role.NEWS, *[Role.COMMUNITY] * 2, Role.PERSONAL, Role.EVENTS, Role.SHOP),
}
ENDINGS: dict[Role, dict[str, tuple[str, ...]]] = {
    Role.CLUB: {
        "en": ("club", "guild", "notes", "society", "almanac"),
        "zh": ("she", "ju", "tang", "zhai", "yuan"),
    },
    Role.PORTAL: {"en": ("directory",), "zh": ("daohang",)},
    Role.NEWS: {"en": ("gazette", "herald"), "zh": ("ribao", "wanbao")},
    Role.COMMUNITY: {"en": ("village", "online", "commons"), "zh": ("shequ", "jiayuan")},
    Role.PERSONAL: {"en": ("home",), "zh": ("boke",)},
    Role.FORUM: {"en": ("forum",)},
    Role.EVENTS: {"zh": ("huodong",)},
    Role.MIRROR: {"en": ("mirror",)},
    Role.SHOP: {"en": ("bargains",), "zh": ("shangcheng",)},
}


def choose_sites(dice: Dice) -> list[Site]:
    """Return two clubs for each topic and sixteen general sites, with their rules."""
    sites = [Site(name, role, language) for name, role, language in _names(dice)]
    _write_rules(sites)
    return sites


def _names(dice: Dice) -> Iterator[tuple[str, Role, str]]:
    for topic in TOPICS:
        for stem in dice.some(topic.sites, 2):
            yield f"{stem}-{dice.one(ENDINGS[Role.CLUB][topic.language])}", Role.CLUB, topic.language
    for language, roles in GENERAL.items():
        stems = [stem for subject in EVERYDAY[language] for stem in subject.sites]
        for role, stem in zip(roles, dice.some(stems, len(roles)), strict=True):
            yield f"{stem}-{dice.one(ENDINGS[role][language])}", role, language


def _write_rules(sites: list[Site]) -> None:
    """Give every general site a closed folder, one a delay, one no robots.txt, and two the old charset."""
    general = [site for site in sites if site.role is not Role.CLUB]
    for site in general:
        site.disallowed = ("/private/", "/cgi-bin/")
        site.has_sitemap = site.role in (Role.NEWS, Role.COMMUNITY)
    personal = [site for site in general if site.role is Role.PERSONAL]
    personal[0].delay = 1
    personal[-1].has_robots, personal[-1].disallowed = False, ()
    chinese = [site for site in sites if site.language == "zh" and site.role is Role.CLUB]
    chinese[0].charset = chinese[3].charset = "gbk"
    chinese[3].charset_in_header = False
