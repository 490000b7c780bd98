"""The forty sites of a practice web."""

from collections.abc import Iterator

from thresher.web.practice.atlas import Role, Site
from thresher.web.practice.dice import Dice
from thresher.web.practice.subjects import EVERYDAY, TOPICS

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
