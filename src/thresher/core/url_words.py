"""What a URL says before it is fetched: its words, and where it lies seen from the page that links to it."""

import re
from enum import Enum
from urllib.parse import unquote

from ada_url import idna_to_unicode

from thresher.core.records import Url


class LinkType(Enum):
    """Where a link leads, by the directories of its two ends (Chen et al. 2009, section 3.6)."""

    OUTWARD = "outward"
    SIBLING = "sibling"
    DOWNWARD = "downward"
    UPWARD = "upward"
    CROSSWISE = "crosswise"


def link_type(source: Url, target: Url) -> LinkType:
    """Return where a link leads: to another host, or to the same, a deeper, a higher or another directory."""
    here, there = _directory(source), _directory(target)
    if here == there:
        return LinkType.SIBLING
    if here.split("/", 1)[0] != there.split("/", 1)[0]:
        return LinkType.OUTWARD
    if there.startswith(here):
        return LinkType.DOWNWARD
    return LinkType.UPWARD if here.startswith(there) else LinkType.CROSSWISE


def tokens(url: Url) -> tuple[str, ...]:
    """Return the words of a URL in order, lower case: host, path and query, without what every URL has."""
    host, _, rest = url.partition("//")[2].partition("/")
    if "%" in rest:
        rest = unquote(rest)
    path, _, query = rest.lower().partition("?")
    words = _WORD.findall(f"{_named(host)} {_ENDING.sub('', path)} {query}")
    return tuple(word for word in words if word not in STOP_TOKENS)


def blocks(url: Url) -> tuple[str, ...]:
    """Return the tokens of a URL as Chen et al. 2009 cut them: at '/' and '.', without the stop tokens."""
    host, _, path = url.partition("//")[2].lower().partition("/")
    cut = [*_labels(host), *_CUT.split(path)]
    return tuple(token for token in cut if token and token not in STOP_TOKENS and token not in FILE_TYPES)


FILE_TYPES = frozenset("html htm shtml xhtml php php3 php5 asp aspx jsp jspx cgi do cfm".split())
"""Endings that say how a page is made, not what it is about."""

STOP_TOKENS = frozenset("www com co net org edu gov ac index default home".split())
"""Tokens that every other URL has."""

_WORD = re.compile(r"[^\W_]+")
_CUT = re.compile(r"[/.]")
_ENDING = re.compile(rf"\.(?:{'|'.join(sorted(FILE_TYPES))}|pdf|txt|xml)$")


def _directory(url: Url) -> str:
    """Return host and path up to the last slash; http and https are one place."""
    path = url.partition("?")[0]
    return path[path.index("//") + 2 : path.rindex("/") + 1]


def _named(host: str) -> str:
    """Return the labels of a host that somebody chose, in their own script."""
    return " ".join(idna_to_unicode(label) if label.startswith("xn--") else label for label in _labels(host))


def _labels(host: str) -> list[str]:
    """Return the labels of a host before the last, which is a country or a kind; of an address nothing."""
    labels = host.partition(":")[0].rstrip(".").split(".")
    return [] if labels[-1].isdigit() or host.startswith("[") else labels[:-1]
