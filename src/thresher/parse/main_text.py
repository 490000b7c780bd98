"""The part of a page worth reading: without menus, side columns, footers, comments and lists of links.

1. What is furniture by its tag, its role, its class or its id goes, unless it holds much of the prose.
2. Of what is left, the element that is known to hold an article and has most of its prose is the root; where
   none has, the parent of most paragraphs is. What stands between the heading and the root is its lead.
3. Of the lines of both, those that are links go, headings over links, and what stands before the first or
   behind the last line of prose.

Anchors are marked at both ends before the text is rendered, so that every line shows how much of it is links.
The tree is used up. Where this loses what people read: results/main-text/README.md
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice, repeat

from turbohtml import Document, Element, PlainText, Text

from thresher.parse.lines import (
    CODE,
    LINKS,
    LONG,
    LONGEST_LINKS,
    PROSE,
    SHORT_LINE,
    WIDE,
    Kind,
    Line,
    Lines,
)

MUCH, MUCH_OF_ALL = 0.1, 0.35  # of the prose that furniture cannot hold: called so, and surely so
LEAST_PROSE = 250  # letters of prose in a root
FEW, MOST_OF_ITS_KIND, PARAGRAPHS, WITHIN = 0.25, 0.6, 0.6, 0.85  # shares of the prose that a root must have
LEAD, LEAD_LINE = 12, 40  # lines between the heading and the root, and letters of one that belongs to both
TEASERS, TEASED = 2, 0.75  # links with prose under them that list other articles, and the most they can be
LIST = 3  # short lines behind the last line of prose that are a list

MANY = 100  # elements that may be the root: no more are looked at
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
    "disclaimer drawer dropdown edit editsection embed feedback flyout follow foot gutter hatnote "
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
ROOT_CLASSES = (
    "article-body articleBody article__body article-content articleContent entry-content post-content "
    "post-body postBody story-body storytext single-content post-text article-text blog-content "
    "page-content".split()
)
ROOT_IDS = ("content", "main-content", "main", "article")


def main_text(document: Document, marked: str) -> str:
    """Return the part of a document that is worth reading, marks and all; `marked` is what is seen of it."""
    body = document.find("body") or document.root
    if body is None:
        return ""
    lines = Lines(marked)
    roots = _clear_away(document, lines)
    for code in body.select("pre"):
        code.insert(0, Text(CODE))
        code.append(Text(CODE))
    whole = body.to_text(LAYOUT)
    root = _root(body, whole, lines, roots)
    if root is None:
        return _worth_reading(lines.of(whole))
    text = root.to_text(LAYOUT)
    read = lines.of(text)
    return _worth_reading([*_lead(body, whole, read, lines), *read])


def _clear_away(document: Document, lines: Lines) -> list[str]:
    """Take out furniture, unless it holds so much of the prose that it is none; return the roots to look for.

    Elements are asked for their names once for both questions: each look through the tree takes time.
    """
    roles, parts = set(), set()
    for element in document.select(_MAY_BE_FURNITURE):
        if (role := element.attr("role")) is not None:
            roles.add(role)
        if (part := element.attr("itemprop")) is not None:
            parts.add(part)
        if _is_furniture(element, role) and element.parent is not None and not _is_content(element, lines):
            element.extract()
    classes, ids = _clear_named(document, lines)
    asked = {
        "[itemprop=articleBody]": "articleBody" in parts,
        "article": True,
        "main,[role=main]" if "main" in roles else "main": True,
        _BY_CLASS: any(map(_is_called_root, classes)),
        _BY_ID: "content" in classes or not ids.isdisjoint(ROOT_IDS),
    }
    return [selector for selector, may_be in asked.items() if may_be]


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
    much = max(LONG, lines.all_prose * (MUCH_OF_ALL if surely else MUCH))
    if not lines.patience:
        return True
    size = len(element.text)
    lines.patience = max(0, lines.patience - size)
    if (1 + WIDE) * size <= much:
        return False  # spare most of them the longer question
    return lines.prose(element.to_text(LAYOUT)) > much


@lru_cache(maxsize=4096)
def _calls_furniture(names: str | None) -> bool:
    """Tell whether a class or an id says that an element is furniture."""
    return names is not None and not CALLED_SO.isdisjoint(_words_of(names))


@lru_cache(maxsize=4096)
def _calls_surely(names: str | None) -> bool:
    """Tell whether a class or an id says that an element is surely furniture."""
    return names is not None and not SURELY.isdisjoint(_words_of(names))


@lru_cache(maxsize=4096)
def _is_called_root(names: str | None) -> bool:
    """Tell whether a class says that an element holds an article."""
    return names is not None and any(name in names for name in ROOT_CLASSES)


def _words_of(names: str) -> list[str]:
    if not names.islower():
        names = _CAMEL.sub("-", names).lower()
    return names.replace("-", " ").replace("_", " ").split()


def _root(body: Element, whole: str, lines: Lines, selectors: Iterable[str]) -> Element | None:
    """Return the element that holds the article, or None if it is all of the page."""
    best: Element | None = None
    prose, shortest = lines.prose(whole), len(whole)
    for selector in selectors:
        found = {each: each.to_text(LAYOUT) for each in _outermost((best or body).select(selector)[:MANY])}
        sizes = {each: lines.prose(text) for each, text in found.items()}
        likeliest = max(sizes, key=sizes.__getitem__, default=None)
        if likeliest is None or len(found[likeliest]) >= shortest:
            continue
        enough = max(LEAST_PROSE, (WITHIN if best else FEW) * prose, MOST_OF_ITS_KIND * sum(sizes.values()))
        if sizes[likeliest] >= enough:
            best, prose, shortest = likeliest, sizes[likeliest], len(found[likeliest])
    return best or _parent_of_paragraphs(body, prose, lines)


def _outermost(elements: Sequence[Element]) -> list[Element]:
    known = set(elements)
    return [each for each in elements if len(elements) == 1 or known.isdisjoint(each.ancestors)]


def _parent_of_paragraphs(body: Element, prose: float, lines: Lines) -> Element | None:
    """Return the parent of the paragraphs that have most of the prose, if one parent has."""
    sizes: dict[Element, float] = {}
    for paragraph in body.select("p") if lines.patience else ():
        text = paragraph.text
        lines.patience = max(0, lines.patience - len(text))
        prose_of_it = lines.prose_of(text.replace("\n", " "))
        if prose_of_it and isinstance(parent := paragraph.parent, Element):
            sizes[parent] = sizes.get(parent, 0.0) + prose_of_it
    best = max(sizes, key=sizes.__getitem__, default=None)
    return best if best is not None and sizes[best] >= max(LEAST_PROSE, PARAGRAPHS * prose) else None


def _lead(body: Element, whole: str, read: Iterable[Line], lines: Lines) -> list[Line]:
    """Return the lines of prose between the heading of a page and its root."""
    heading = body.find("h1")
    first = next((line.text.strip() for line in read if line.kind is PROSE), "")
    title = heading.to_text(LAYOUT).strip().partition("\n")[0].strip() if heading is not None else ""
    start = whole.find(title) + len(title) if title and first else -1
    end = whole.find(first, start) if start > 0 else -1
    between = lines.of(whole[start:end]) if 0 < start < end and end - start <= LEAD * LONGEST_LINKS else []
    return [line for line in between[:LEAD] if line.kind is PROSE and line.letters >= LEAD_LINE]


def _worth_reading(every: list[Line]) -> str:
    """Return the lines from the first of prose to the last, and a list behind it, without lines of links."""
    kinds = [line.kind for line in every]
    if _letters_in(every[(end := _teasers(kinds)) :]) < TEASED * _letters_in(every):
        del kinds[end:], every[end:]
    first, last = _prose_between(kinds)
    kept = _without_links(every, kinds, first, last)
    short = [line for line, kind in zip(every, kinds, strict=True) if kind is SHORT_LINE]
    if _letters_in(kept) < _letters_in(short):  # a page of short lines: a list, a poem, a table
        kept = [line for line, kind in zip(every, kinds, strict=True) if kind is not LINKS]
    is_index = PROSE not in kinds and 2 * _letters_in(kept) < _letters_in(every)
    return "\n".join(line.text for line in (every if is_index else kept))


def _letters_in(lines: Iterable[Line]) -> float:
    return sum([line.letters for line in lines])


def _teasers(kinds: Sequence[Kind]) -> int:
    """Return where links to other articles begin at the end, each with some prose under it."""
    begin, several = len(kinds), 0
    for place in range(len(kinds) - 1, 0, -1):
        if kinds[place] is not PROSE:
            continue
        if LINKS not in kinds[max(0, place - 2) : place] or PROSE in kinds[place - 1 : place]:
            break
        begin, several = place - 1, several + 1
    return begin if several >= TEASERS else len(kinds)


def _prose_between(kinds: Sequence[Kind]) -> tuple[int, int]:
    """Return where the first line of prose is, and where the last ends, or the list behind it."""
    if PROSE not in kinds:
        return 0, 0
    last = len(kinds) - kinds[::-1].index(PROSE)
    behind = next((place for place in range(last, len(kinds)) if kinds[place] is not SHORT_LINE), len(kinds))
    is_list = behind - last >= LIST and LINKS not in kinds[behind : behind + 1]
    return kinds.index(PROSE), behind if is_list else last


def _without_links(every: Sequence[Line], kinds: Sequence[Kind], first: int, last: int) -> list[Line]:
    """Return lines from the first to the last but for those that are links, or a heading over two of them."""
    following = zip(every, kinds, [*kinds[1:], PROSE], [*kinds[2:], PROSE, PROSE], strict=False)
    return [
        line
        for line, kind, one, two in islice(following, first, last)
        if kind is PROSE or (kind is SHORT_LINE and not (one is LINKS is two))
    ]


_NAMED = "[class],[id]"
_MAY_BE_FURNITURE = ",".join((*FURNITURE_TAGS, "[role]", "[aria-hidden]", "[aria-modal]", "[itemprop]"))
_BY_CLASS = ",".join(f"[class*={name}]" for name in ROOT_CLASSES)
_BY_ID = ",".join((*(f"[id={name}]" for name in ROOT_IDS), "[class=content]"))
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
