"""The plan of a practice web: its sites and pages, before a word of them is written."""

from dataclasses import dataclass, field
from enum import Enum

from thresher.web.practice.vocabulary import Vocabulary

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


class Kind(Enum):
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


class Change(Enum):
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
    kind: Kind
    subject: Vocabulary
    title: str
    label: str = ""
    named: bool = False  # says the name of its own topic
    oblique: bool = False  # is about its topic without using the keywords
    digression: Vocabulary | None = None  # what else a paragraph of it is about
    mentions: tuple[str, ...] = ()  # names of topics it is not about
    links: list[Address] = field(default_factory=list)
    distrusted: list[Address] = field(default_factory=list)  # linked with rel=nofollow
    original: "PagePlan | None" = None
    change: Change = Change.STILL
    quirk: Quirk = Quirk.NONE

    @property
    def address(self) -> Address:
        """Where the page lives."""
        return f"{self.site.name}/{self.path}"


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
