"""The part of a page worth reading: without menus, side columns, footers, comments and lists of links.

1. What is boilerplate by its tag, its role, its class or its id goes, unless it holds much of the prose.
2. Of what is left, the element that is known to hold an article and has most of its prose is the root; where
   none has, it is what holds the parent of most paragraphs and nearly all of the prose. Prose between the
   heading and the root is its lead; without a heading, prose that is near does.
3. Of the lines of both, those that are links go, headings over links, and what stands before the first or
   far behind the last line of prose, but for a heading or a list. Code, tables and addresses stay.

Anchors are marked at both ends before the text is rendered, so that every line shows how much of it is links.
The tree is used up. Where this loses what people read: results/main-text/README.md
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice, repeat
from typing import NamedTuple

from turbohtml import Document, Element, Node, PlainText, Text

from tests.reference.lines import CODE, LINKS, LONG, PROSE, SHORT_LINE, Kind, Line, Lines
from thresher.core.caches import remembered

# What of a page is no part of its text: menus, side columns, footers, comments, captions, forms.
#
# An element is boilerplate by its tag, role, class or id, unless it holds much of the prose, or the
# heading of the page: names lie. What others said and the page quotes is none, whatever it is called.


MUCH, MUCH_OF_ALL = 0.1, 0.45  # of the prose that boilerplate cannot hold: called so, and surely so
BLOCK = 300  # letters of prose that nothing holds that is boilerplate by a word others use, too
HEADED = 400  # letters of an element that is more than the head of a page, if the heading is in it

LAYOUT = PlainText(layout="strict", bullet="", table_cell_separator=" ", images=False)
BOILERPLATE_TAGS = tuple("nav footer aside figcaption form button select textarea dialog menu svg".split())
BOILERPLATE_ROLES = frozenset(
    "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar "
    "tablist".split()
)
BOILERPLATE = ",".join(
    (*BOILERPLATE_TAGS, *(f"[role={role}]" for role in sorted(BOILERPLATE_ROLES)), "[aria-hidden=true]",
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
    """Take out boilerplate, unless it holds so much of the prose that it is none; return the names met.

    Elements are asked for their names once for this and for the roots: each pass over the tree takes time.
    """
    roles, parts = set(), set()
    for element in document.select(_MAY_BE_BOILERPLATE):
        if (role := element.attr("role")) is not None:
            roles.add(role)
        if (part := element.attr("itemprop")) is not None:
            parts.add(part)
        if _is_boilerplate(element, role) and element.parent is not None and not _is_content(element, lines):
            element.extract()
    return Names(roles, parts, *_clear_named(document, lines))


def _is_boilerplate(element: Element, role: str | None) -> bool:
    """Tell whether an element is boilerplate by its tag or its role."""
    if element.tag in BOILERPLATE_TAGS or role in BOILERPLATE_ROLES:
        return True
    return "true" in (element.attr("aria-hidden"), element.attr("aria-modal"))


def _clear_named(document: Document, lines: Lines) -> tuple[set[str | None], set[str | None]]:
    """Take out what is called boilerplate; return all classes and ids."""
    named = document.select(_NAMED)
    called, known_as = ([*map(Element.attr, named, repeat(name))] for name in ("class", "id"))
    classes, ids = set(called), set(known_as)
    boilerplate = {*filter(_calls_boilerplate, classes)}, _ids_of_boilerplate(ids)
    inside = 0  # elements to come that went with what stood round them
    for element, its_class, its_id in zip(named, called, known_as, strict=True) if any(boilerplate) else ():
        if inside:
            inside -= 1
        elif (
            (its_class in boilerplate[0] or its_id in boilerplate[1])
            and element.tag in CONTAINERS
            and not _is_content(element, lines)
        ):
            inside = len(element.select(_NAMED))
            element.extract()
    return classes, ids


def _ids_of_boilerplate(ids: set[str | None]) -> set[str | None]:
    """Return the ids that say so of an element; most pages have none, so all are asked at once."""
    if CALLED_SO.isdisjoint(_words_of("\n".join(filter(None, ids)))):
        return set()
    return {*filter(_calls_boilerplate, ids)}


def _is_content(element: Element, lines: Lines) -> bool:
    """Tell whether what looks like boilerplate holds too much of the prose."""
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
def _calls_boilerplate(names: str | None) -> bool:
    """Tell whether a class or an id says that an element is boilerplate."""
    words = _words_of(names) if names else ()
    return not CALLED_SO.isdisjoint(words) and QUOTED.isdisjoint(words)


@remembered(4096)
def _calls_surely(names: str | None) -> bool:
    """Tell whether a class or an id says that an element is surely boilerplate."""
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
_MAY_BE_BOILERPLATE = ",".join((*BOILERPLATE_TAGS, "[role]", "[aria-hidden]", "[aria-modal]", "[itemprop]"))
_COMMENT = re.compile(r"(?:^|\s)comment")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

LEAST_PROSE = 250  # letters of prose in a root
FEW, MOST_OF_ITS_KIND, PARAGRAPHS, WITHIN = 0.25, 0.6, 0.6, 0.85  # shares of the prose that a root must have
LEAD, LEAD_LINE = 12, 40  # lines between the heading and the root, and letters of one that belongs to both
LONGEST_BEFORE = 20_000  # characters before the root in which its lead is looked for: a bound on the cost
TEASERS, TEASED = 2, 0.75  # links with prose under them that list other articles, and the most they can be
NEAR, LONGEST_LEAD = 6, 1.0  # lines of it where there is no heading, and its length as a share of the rest
LIST, LIST_BEFORE = 3, 4  # short lines behind the last line of prose, or before the first, that are a list
TAIL, SIGNED = 7, 2  # lines behind the last line of prose that belong to it: if these are all, or not

LITTLE_PROSE = 250  # letters of a text below which the links of a page may be worth more
MANY = 100  # elements that may be the root: no more are looked at
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
    roots = _may_be_there(clear_away(document, lines))
    _mark_as_it_is(body)
    whole = body.to_text(LAYOUT)
    root = _root(body, whole, lines, roots)
    if root is None:
        return _worth_reading(lines.of(whole), has_foot=True)
    text = root.to_text(LAYOUT)
    read = lines.of(text)
    return _worth_reading([*_lead(body, whole, read, lines), *read], has_foot=False)


def _mark_as_it_is(body: Element) -> None:
    """Mark code, and tables that have a heading, at both ends: all of their lines belong to the text."""
    tables: dict[Element | None, None] = {}  # in their order
    for element in body.select("pre,th"):
        if element.tag == "th":
            tables[element.closest("table")] = None
        else:
            element.insert(0, Text(CODE))
            element.append(Text(CODE))
    for table in tables:
        if table is not None and not table.select("table,pre"):
            cells = table.select("th,td")
            cells[0].insert(0, Text(CODE))
            cells[-1].append(Text(CODE))


def _may_be_there(names: Names) -> list[str]:
    """Return the selectors of roots that are worth a look, the surest last."""
    asked = {
        "[itemprop=articleBody]": "articleBody" in names.parts,
        "article": True,
        "main,[role=main]" if "main" in names.roles else "main": True,
        _BY_CLASS: any(map(_is_called_root, names.classes)),
        _BY_ID: "content" in names.classes or not names.ids.isdisjoint(ROOT_IDS),
    }
    return [selector for selector, may_be in asked.items() if may_be]


@remembered(4096)
def _is_called_root(names: str | None) -> bool:
    """Tell whether a class says that an element holds an article."""
    return names is not None and any(name in names for name in ROOT_CLASSES)


def _root(body: Element, whole: str, lines: Lines, selectors: Iterable[str]) -> Element | None:
    """Return the element that holds the article, or None if it is all of the page."""
    best: Element | None = None
    prose, shortest = lines.prose(whole), _size(whole)
    for selector in selectors:
        found = {each: each.to_text(LAYOUT) for each in _outermost((best or body).select(selector)[:MANY])}
        sizes = {each: lines.prose(text) for each, text in found.items()}
        likeliest = max(sizes, key=sizes.__getitem__, default=None)
        if likeliest is None or _size(found[likeliest]) >= shortest:
            continue
        enough = max(LEAST_PROSE, (WITHIN if best else FEW) * prose, MOST_OF_ITS_KIND * sum(sizes.values()))
        if sizes[likeliest] >= enough:
            best, prose, shortest = likeliest, sizes[likeliest], _size(found[likeliest])
    return best or _parent_of_paragraphs(body, prose, lines)


def _size(text: str) -> int:
    """Return how much there is to read of a text, however it is indented and spaced."""
    return len(text) - text.count(" ") - text.count("\n")


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
    if best is None or sizes[best] < max(LEAST_PROSE, PARAGRAPHS * prose):
        return None
    return _with_the_rest(best, prose, lines)


def _with_the_rest(root: Element, prose: float, lines: Lines) -> Element | None:
    """Return the smallest element round a root that has nearly all of the prose, None for the whole page."""
    found: Node | None = root
    while isinstance(found, Element) and found.tag != "body" and lines.patience:
        text = found.to_text(LAYOUT)
        if lines.prose(text) >= WITHIN * prose:
            return found
        lines.patience = max(0, lines.patience - len(text))
        found = found.parent
    return None


def _lead(body: Element, whole: str, read: Iterable[Line], lines: Lines) -> list[Line]:
    """Return the prose between the heading of a page and its root; where there is none, what is near."""
    first = next((line.text.strip() for line in read if line.kind is PROSE), "")
    end = whole.find(first) if first else -1
    if end <= 0:
        return []
    heading = body.find("h1")
    title = heading.to_text(LAYOUT).strip().partition("\n")[0].strip() if heading is not None else ""
    start = whole.rfind(title, 0, end) if title else -1
    begin = max(start + len(title) if start >= 0 else 0, end - LONGEST_BEFORE)
    between = lines.of(whole[begin:end])[-(LEAD if start >= 0 else NEAR) :]
    lead = [line for line in between if line.kind is PROSE and line.letters >= LEAD_LINE]
    return lead if not lead or _letters_in(lead) <= LONGEST_LEAD * _letters_in(read) else []


def _worth_reading(every: list[Line], *, has_foot: bool) -> str:
    """Return the lines from the first of prose to the last, and a list behind it, without lines of links.

    Where the whole page is the text, short lines at its end are its foot.
    """
    kinds = [line.kind for line in every]
    if (end := _teasers(kinds)) < len(kinds) and _letters_in(every[end:]) < TEASED * _letters_in(every):
        del kinds[end:], every[end:]
    first, last = _prose_between(kinds, has_foot)
    kept = _without_links(every, kinds, first, last)
    short = [line for line, kind in zip(every, kinds, strict=True) if kind is SHORT_LINE]
    if _letters_in(kept) < _letters_in(short):  # a page of short lines: a list, a poem, a table
        kept = [line for line, kind in zip(every, kinds, strict=True) if kind is not LINKS]
    read = _letters_in(kept)
    is_index = 2 * read < _letters_in(every) and (PROSE not in kinds or read < LITTLE_PROSE)
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


def _prose_between(kinds: Sequence[Kind], has_foot: bool) -> tuple[int, int]:
    """Return where the first line of prose is, and where the last ends, or the list or the name behind it."""
    if PROSE not in kinds:
        return 0, 0
    last = len(kinds) - kinds[::-1].index(PROSE)
    if len(kinds) - last <= TAIL and not has_foot:
        return _first(kinds), len(kinds)
    behind = next((place for place in range(last, len(kinds)) if kinds[place] is not SHORT_LINE), len(kinds))
    is_list = behind - last >= LIST and LINKS not in kinds[behind : behind + 1]
    return _first(kinds), behind if is_list else last if has_foot else min(behind, last + SIGNED)


def _first(kinds: Sequence[Kind]) -> int:
    """Return where a text begins: a heading before its first line of prose belongs to it, and a list does."""
    prose = kinds.index(PROSE)
    short = next((place for place in range(prose, 0, -1) if kinds[place - 1] is not SHORT_LINE), 0)
    return short if prose - short >= LIST_BEFORE else max(short, prose - 1)


def _without_links(every: Sequence[Line], kinds: Sequence[Kind], first: int, last: int) -> list[Line]:
    """Return lines from the first to the last but for those that are links, or a heading over two of them."""
    following = zip(every, kinds, [*kinds[1:], PROSE], [*kinds[2:], PROSE, PROSE], strict=False)
    return [
        line
        for line, kind, one, two in islice(following, first, last)
        if kind is PROSE or (kind is SHORT_LINE and not (one is LINKS is two))
    ]


_BY_CLASS = ",".join(f"[class*={name}]" for name in ROOT_CLASSES)
_BY_ID = ",".join((*(f"[id={name}]" for name in ROOT_IDS), "[class=content]"))
