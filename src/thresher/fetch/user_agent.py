"""Who we say we are: one honest user agent, with somebody to write to."""

import re

from thresher.settings.model import WebSettings

NAME = "thresher"
VERSION = "0.1"
BROAD_PAGES = 1_000
"""How many pages a crawl beyond the seeds' domains may ask for while nobody can be written to."""


def user_agent(contact: str = "") -> str:
    """Return the user agent, with the web or mail address of whoever runs the crawl."""
    contact = contact.strip()
    return f"{NAME}/{VERSION} (+{contact})" if contact else f"{NAME}/{VERSION}"


def agent_of(settings: WebSettings) -> str:
    """Return the user agent of a crawl: the user's own, or ours with their contact address."""
    return settings.user_agent or user_agent(settings.contact)


def product_token(agent: str) -> str:
    """Return the word that robots.txt files know a user agent by: 'thresher' for 'thresher/0.1 (+...)'."""
    found = re.match(r"[A-Za-z_-]+", agent)
    return found[0].lower() if found else ""


def has_contact(agent: str) -> bool:
    """Tell whether a user agent names a web or mail address somebody can be reached at."""
    return re.search(r"https?://[^\s)]+|[^\s@(+]+@[^\s@)]+\.[^\s@)]+", agent) is not None


def contact_needed(*, agent: str, pages: int | None, leaves_domains: bool, private: bool) -> str:
    """Return the sentence that refuses a broad crawl without a contact address, or the empty string.

    `pages` is the number asked for (None: no limit), `leaves_domains` whether the crawl may leave the seeds'
    registered domains, `private` whether every seed is on loopback or in an allowed network.
    """
    broad = leaves_domains and not private and (pages is None or pages > BROAD_PAGES)
    if not broad or has_contact(agent):
        return ""
    asked = "without a limit" if pages is None else f"of {pages:,} pages"
    return (
        f"A crawl {asked} beyond the domains of its seeds needs an address where site owners can reach you. "
        'Say it with --set web.contact="https://example.org/bot" (or a mail address), '
        f"stay on the seeds' domains with --domain, or ask for at most {BROAD_PAGES:,} pages."
    )
