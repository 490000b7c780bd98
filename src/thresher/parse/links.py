"""References as written into links that can be followed."""

import re
from collections.abc import Iterable
from functools import lru_cache

from thresher.core.enums import Origin
from thresher.core.errors import InvalidUrl
from thresher.core.records import Link, Url
from thresher.core.url import host_of, join, parse
from thresher.parse.anchors import Mention

LONGEST = 2_048  # characters of a reference worth following; sitemaps and browsers stop here too
REMEMBERED = 32_768  # complete references of at most SHORT characters, some 10 MB
SHORT = 256


class UrlResolver(dict[str, Url | None]):
    """References of one page into URLs: its base and its encoding decide what they mean.

    resolver[reference] is the http(s) URL it leads to, None when it leads nowhere or stays on the page.
    """

    def __init__(self, page: Url, base: str = "", charset: str = "utf-8") -> None:
        super().__init__()
        self._charset = charset or "utf-8"
        self._lie_in(page)
        self._lie_in(self._join(base.partition("#")[0]) or page)

    def __missing__(self, reference: str) -> Url | None:
        """Find out where a reference leads."""
        if reference.startswith(_COMPLETE) and len(reference) <= SHORT and reference.isascii():
            target = self[reference] = _complete(reference)
            return target
        document, fragment, _ = reference.partition("#")
        target = self[reference] = self[document] if fragment else self._join(document)
        return target

    def _lie_in(self, base: Url) -> None:
        self._base = base
        self._folder = base.partition("?")[0].rpartition("/")[0] + "/"
        self._host = host_of(base)

    def _above(self, steps: int) -> str:
        """Return the folder so many steps above the page's own; that of the host has none above it."""
        path = self._folder[len(self._host) :].split("/")[:-1]
        return self._host + "/".join((*path[: max(1, len(path) - steps)], ""))

    def _join(self, reference: str) -> Url | None:
        # Most references are plain: nothing in them needs the care of a URL parser.
        if len(reference) <= LONGEST and (found := _PLAIN.fullmatch(reference)):
            if up := found["up"]:
                return Url(self._above(len(up) // 3) + reference[len(up) :])
            return Url((self._host if reference[0] == "/" else self._folder) + reference)
        return _joined(self._base, reference, self._charset)


def links_of(page: Url, mentions: Iterable[Mention], resolver: UrlResolver, limit: int) -> tuple[Link, ...]:
    """Return the links of a page in document order, without exact repeats and without those to itself."""
    return placed_links(page, mentions, resolver, limit)[0]


def placed_links(
    page: Url, mentions: Iterable[Mention], resolver: UrlResolver, limit: int
) -> tuple[tuple[Link, ...], tuple[int, ...]]:
    """Return the links of a page, and where the anchor of each begins in the text of the page."""
    seen: set[tuple[Url, str, str]] = set()
    links, offsets, origin = list[Link](), list[int](), Origin.PAGE
    for each in mentions:
        target = resolver[each.reference]
        if target is not None and target != page and (known := (target, each.anchor, each.rel)) not in seen:
            seen.add(known)
            links.append(
                Link(page, target, each.anchor, each.context, each.rel, each.place, origin, each.heading)
            )
            offsets.append(each.offset)
    return tuple(links[:limit]), tuple(offsets[:limit])


def canonical_of(references: Iterable[str], resolver: UrlResolver) -> Url | None:
    """Return the one canonical address a page declares; two that differ cancel each other (RFC 6596)."""
    targets = {target for reference in references if reference.strip() and (target := resolver[reference])}
    return targets.pop() if len(targets) == 1 else None


def canonicals_in_header(value: str) -> list[str]:
    """Return the targets of rel=canonical in a Link header, also where a comma or semicolon is missing."""
    return [
        entry["target"]
        for entry in _LINK_VALUE.finditer(value)
        if (rel := _LINK_REL.search(entry["parameters"])) and "canonical" in rel[1].lower().split()
    ]


@lru_cache(maxsize=REMEMBERED)
def _complete(reference: str) -> Url | None:
    """Return the URL that a complete reference leads to, whatever page it stands on.

    Menus stand on many pages, and the same object need not compute its hash again.
    """
    document, fragment, _ = reference.partition("#")
    if fragment:
        return _complete(document)
    if (found := _PLAIN_COMPLETE.fullmatch(document)) and _is_normal(found[1]):
        return Url(document)
    return _joined(_ANYWHERE, document, "utf-8")


def _joined(base: Url, reference: str, charset: str) -> Url | None:
    """Return where a reference leads that may need all the care of a URL parser."""
    stripped = reference.strip(_BLANK)
    if len(stripped) > LONGEST:
        return None
    try:
        return join(base, stripped, charset)
    except InvalidUrl:
        return None


@lru_cache(maxsize=65_536)
def _is_normal(authority: str) -> bool:
    """Tell whether scheme, host and port are spelled as the normal form has them."""
    try:
        return parse(f"{authority}/") == f"{authority}/"
    except InvalidUrl:
        return False


_SEGMENT = "[A-Za-z0-9_][A-Za-z0-9_.~+,=@!$&()*-]*"
_PATH = rf"{_SEGMENT}(?:/{_SEGMENT})*/?(?:\?[A-Za-z0-9_.~+,=@!$&()*/:;?-]*)?"
_PLAIN = re.compile(rf"(?:/|(?P<up>(?:\.\./)*)){_PATH}")
_PLAIN_COMPLETE = re.compile(rf"(https?://[a-z0-9.-]+(?::[0-9]+)?)/{_PATH}")
_COMPLETE = ("http://", "https://")
_ANYWHERE = Url("http://localhost/")  # a complete reference does not ask where it stands
_BLANK = "".join(map(chr, range(0x21)))
_LINK_VALUE = re.compile(r"<(?P<target>[^<>]*)>(?P<parameters>[^<]*)")
_LINK_REL = re.compile(r"""\brel\s*=\s*["']?([^"',;]*)""", re.IGNORECASE)
