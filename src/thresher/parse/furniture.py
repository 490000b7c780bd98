"""What of a page is no part of its text: menus, side columns, footers, comments, captions, forms.

An element is furniture by its tag, its role, its class or its id, unless it holds much of the prose, or the
heading of the page: names lie. What others said and the page quotes is none, whatever it is called.
"""

import re
from itertools import repeat
from typing import NamedTuple

from turbohtml import Document, Element, PlainText

from thresher.core.caches import remembered
from thresher.parse.lines import LONG, Lines

MUCH, MUCH_OF_ALL = 0.1, 0.45  # of the prose that furniture cannot hold: called so, and surely so
BLOCK = 300  # letters of prose that nothing holds that is furniture by a word others use, too
HEADED = 400  # letters of an element that is more than the head of a page, if the heading is in it

LAYOUT = PlainText(layout="strict", bullet="", table_cell_separator=" ", images=False)
FURNITURE_TAGS = tuple("nav footer aside figcaption form button select textarea dialog menu svg".split())
FURNITURE_ROLES = frozenset(
    "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar "
    "tablist".split()
)
FURNITURE = ",".join(
    (*FURNITURE_TAGS, *(f"[role={role}]" for role in sorted(FURNITURE_ROLES)), "[aria-hidden=true]",
     "[aria-modal=true]")
)  # fmt: skip
SURELY = frozenset(
    "breadcrumb breadcrumbs comment commentlist comments consent cookie cookies disqus footer gdpr menu "
    "mostread nav navbar navi navigation newsletter outbrain pager pagination popular recommend "
    "recommendation recommendations recommended related respond share sharing sidebar social taboola "
    "trending".split()
)
CALLED_SO = SURELY | frozenset(
    "abo ad adbox addtoany ads adslot advert advertisement adverts aside authorbox banner barrier "
    "bio byline caption carousel categories catlinks copyright copyrights credit dateline "
    "disclaimer drawer dropdown edit editsection feedback flyout follow foot gutter hatnote "
    "headerlink infobox jumplink latest legal lightbox lineno linenos login masthead meta metadata "
    "modal navbox noprint offcanvas overlay pagenav paging paywall player poll popup postmeta print promo "
    "promoted promotion quiz rating ratings recirc register replies reply search searchform "
    "sharedaddy sharer shares shariff side signup sitesub skip socials sponsor sponsored submenu "
    "subscribe subscription tagcloud taglist tags timestamp toolbar toolbox tools tooltip topbar "
    "utility visuallyhidden vote widget widgetarea widgets".split()
)
CONTAINERS = frozenset(
    "a b center div dl figure h2 h3 h4 header li ol p section span strong table td ul".split()
)
QUOTED = frozenset("embed embedded quote tweet".split())


class Names(NamedTuple):
    """What the elements of a page are called."""

    roles: set[str]
    parts: set[str]
    classes: set[str | None]
    ids: set[str | None]


def clear_away(document: Document, lines: Lines) -> Names:
    """Take out furniture, unless it holds so much of the prose that it is none; return the names met.

    Elements are asked for their names once for this and for the roots: each look through the tree takes time.
    """
    roles, parts = set(), set()
    for element in document.select(_MAY_BE_FURNITURE):
        if (role := element.attr("role")) is not None:
            roles.add(role)
        if (part := element.attr("itemprop")) is not None:
            parts.add(part)
        if _is_furniture(element, role) and element.parent is not None and not _is_content(element, lines):
            element.extract()
    return Names(roles, parts, *_clear_named(document, lines))


def _is_furniture(element: Element, role: str | None) -> bool:
    """Tell whether an element is furniture by its tag or its role."""
    if element.tag in FURNITURE_TAGS or role in FURNITURE_ROLES:
        return True
    return "true" in (element.attr("aria-hidden"), element.attr("aria-modal"))


def _clear_named(document: Document, lines: Lines) -> tuple[set[str | None], set[str | None]]:
    """Take out what is called furniture; return all classes and ids."""
    named = document.select(_NAMED)
    called, known_as = ([*map(Element.attr, named, repeat(name))] for name in ("class", "id"))
    classes, ids = set(called), set(known_as)
    furniture = {*filter(_calls_furniture, classes)}, _ids_of_furniture(ids)
    inside = 0  # elements to come that went with what stood round them
    for element, its_class, its_id in zip(named, called, known_as, strict=True) if any(furniture) else ():
        if inside:
            inside -= 1
        elif (
            (its_class in furniture[0] or its_id in furniture[1])
            and element.tag in CONTAINERS
            and not _is_content(element, lines)
        ):
            inside = len(element.select(_NAMED))
            element.extract()
    return classes, ids


def _ids_of_furniture(ids: set[str | None]) -> set[str | None]:
    """Return the ids that say so of an element; most pages have none, so all are asked at once."""
    if CALLED_SO.isdisjoint(_words_of("\n".join(filter(None, ids)))):
        return set()
    return {*filter(_calls_furniture, ids)}


def _is_content(element: Element, lines: Lines) -> bool:
    """Tell whether what looks like furniture holds too much of the prose."""
    surely = (
        element.tag in ("nav", "footer")
        or _calls_surely(element.attr("class"))
        or _calls_surely(element.attr("id"))
    )
    much = max(LONG, lines.all_prose * MUCH_OF_ALL if surely else min(BLOCK, lines.all_prose * MUCH))
    if not lines.patience:
        return True
    size = len(element.text)
    lines.patience = max(0, lines.patience - size)
    if size > HEADED and element.find("h1") is not None:
        return True
    if lines.heaviest * size <= much:
        return False  # spare most of them the longer question
    text = element.to_text(LAYOUT)  # a table may be laid out much wider than it was written
    lines.patience = max(0, lines.patience - len(text))
    return lines.prose(text) > much


@remembered(4096)
def _calls_furniture(names: str | None) -> bool:
    """Tell whether a class or an id says that an element is furniture."""
    words = _words_of(names) if names else ()
    return not CALLED_SO.isdisjoint(words) and QUOTED.isdisjoint(words)


@remembered(4096)
def _calls_surely(names: str | None) -> bool:
    """Tell whether a class or an id says that an element is surely furniture."""
    return names is not None and not SURELY.isdisjoint(_words_of(names))


def _words_of(names: str) -> list[str]:
    """Return the words of classes or an id; "comment" only where a name begins with it: reporters comment."""
    if not names.islower():
        names = _CAMEL.sub("-", names).lower()
    words = names.replace("-", " ").replace("_", " ").split()
    if "comment" in words and _COMMENT.search(names) is None:
        words = [word for word in words if word != "comment"]
    return words


_NAMED = "[class],[id]"
_MAY_BE_FURNITURE = ",".join((*FURNITURE_TAGS, "[role]", "[aria-hidden]", "[aria-modal]", "[itemprop]"))
_COMMENT = re.compile(r"(?:^|\s)comment")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
