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
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from turbohtml import Document, Element, PlainText, Text

from thresher.parse.tidied import BEGIN, BREAK, END

LONG = 60  # letters of a line from which on it is prose, whatever it ends with
SENTENCE = 25  # letters of one that ends as a sentence does
SHORTEST_PROSE = 24  # characters, all of them wide
WIDE = 1.5  # a Chinese character counts for so many letters more
LINKED, SHORT_LINKED, SHORT, LONGEST_LINKS = 0.8, 0.6, 60, 200  # shares of a line in links that make it one
MUCH, MUCH_OF_ALL = 0.1, 0.35  # of the prose that furniture cannot hold: called so, and surely so
LEAST_PROSE = 250  # letters of prose in a root
FEW, MOST_OF_ITS_KIND, PARAGRAPHS, WITHIN = 0.25, 0.6, 0.6, 0.85  # shares of the prose that a root must have
LEAD, LEAD_LINE = 12, 40  # lines between the heading and the root, and letters of one that belongs to both
HEADED = 2  # lines of links under a heading that is theirs
TEASERS, TEASED = 2, 0.75  # links with prose under them that list other articles, and the most they can be
LIST = 3  # short lines behind the last line of prose that are a list

PATIENCE, LITTLE, MANY = 50, 1_000_000, 100  # what a page that wants to keep us busy gets
CODE = "\x0e"  # stands at both ends of what was set as it is; tidying takes it away
LAYOUT = PlainText(layout="strict", bullet="", table_cell_separator=" ", images=False)
FURNITURE = (
    "nav,footer,aside,figcaption,form,button,select,textarea,dialog,menu,svg,[role=navigation],[role=banner],"
    "[role=contentinfo],[role=complementary],[role=search],[role=dialog],[role=alertdialog],[role=menu],"
    "[role=menubar],[role=toolbar],[role=tablist],[aria-hidden=true],[aria-modal=true]"
)
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
ROOTS = (
    "[itemprop=articleBody]",
    "article",
    "main,[role=main]",
    ",".join(
        f"[class*={name}]"
        for name in (
            "article-body articleBody article__body article-content articleContent entry-content "
            "post-content post-body postBody story-body storytext single-content post-text article-text "
            "blog-content page-content".split()
        )
    ),
    "[id=content],[id=main-content],[id=main],[id=article],[class=content]",
)


class Kind(Enum):
    """What a line of a page is."""

    PROSE = "prose"
    LINKS = "links"
    SHORT = "short"  # a heading, an item, a date, a name


class Line(NamedTuple):
    """A line as it is rendered, marks and all: its letters, and those of them that are in links."""

    text: str
    letters: float
    linked: float
    is_code: bool = False

    @property
    def kind(self) -> Kind:
        """What the line is."""
        if self.is_code:
            return Kind.PROSE  # however short: it was set as it is
        enough = LINKED if self.letters >= SHORT else SHORT_LINKED
        if self.linked >= enough * self.letters and self.letters < LONGEST_LINKS:
            return Kind.LINKS
        is_sentence = self.letters >= SENTENCE and _ENDED.search(self.text.rstrip(_BLANK)) is not None
        return Kind.PROSE if self.letters >= LONG or is_sentence else Kind.SHORT


def main_text(document: Document, marked: str) -> str:
    """Return the part of a document that is worth reading, marks and all; `marked` is what is seen of it."""
    body = document.find("body") or document.root
    if body is None:
        return ""
    lines = _Lines(marked)
    _clear_away(document, lines)
    for code in body.select("pre"):
        code.insert(0, Text(CODE))
        code.append(Text(CODE))
    whole = body.to_text(LAYOUT)
    root = _root(body, whole, lines)
    if root is None:
        return _worth_reading(lines.of(whole))
    text = root.to_text(LAYOUT)
    return _worth_reading([*_lead(body, whole, text, lines), *lines.of(text)])


def _clear_away(document: Document, lines: "_Lines") -> None:
    """Take out furniture, unless it holds so much of the prose that it is none."""
    for element in document.select(FURNITURE):
        if element.parent is not None and not _is_content(element, lines):
            element.extract()
    inside = 0  # elements to come that went with what stood round them
    for element in list(document.iter_elements(CONTAINERS)):
        if inside:
            inside -= 1
        elif _is_called(_names(element), CALLED_SO) and not _is_content(element, lines):
            inside = sum(1 for _ in element.iter_elements(CONTAINERS))
            element.extract()


def _is_content(element: Element, lines: "_Lines") -> bool:
    """Tell whether what looks like furniture holds too much of the prose."""
    surely = element.tag in ("nav", "footer") or _is_called(_names(element), SURELY)
    much = max(LONG, lines.all_prose * (MUCH_OF_ALL if surely else MUCH))
    if not lines.patience:
        return True
    size = len(element.text)
    lines.patience = max(0, lines.patience - size)
    if (1 + WIDE) * size <= much:
        return False  # spare most of them the longer question
    return lines.prose(element.to_text(LAYOUT)) > much


def _names(element: Element) -> str:
    return f"{element.attr('class') or ''} {element.attr('id') or ''}"


@lru_cache(maxsize=4096)
def _is_called(names: str, what: frozenset[str]) -> bool:
    """Tell whether the names of an element say what it is."""
    return not what.isdisjoint(_NAME.split(_CAMEL.sub("-", names).lower()))


def _root(body: Element, whole: str, lines: "_Lines") -> Element | None:
    """Return the element that holds the article, or None if it is all of the page."""
    best: Element | None = None
    prose, shortest = lines.prose(whole), len(whole)
    for selector in ROOTS:
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


def _parent_of_paragraphs(body: Element, prose: float, lines: "_Lines") -> Element | None:
    """Return the parent of the paragraphs that have most of the prose, if one parent has."""
    sizes: dict[Element, float] = {}
    for paragraph in body.select("p") if lines.patience else ():
        text, parent = paragraph.text, paragraph.parent
        lines.patience = max(0, lines.patience - len(text))
        if len(text) >= SHORTEST_PROSE and isinstance(parent, Element):
            sizes[parent] = sizes.get(parent, 0.0) + lines.prose(text.replace("\n", " "))
    best = max(sizes, key=sizes.__getitem__, default=None)
    return best if best is not None and sizes[best] >= max(LEAST_PROSE, PARAGRAPHS * prose) else None


def _lead(body: Element, whole: str, text: str, lines: "_Lines") -> list[Line]:
    """Return the lines of prose between the heading of a page and its root."""
    heading = body.find("h1")
    first = next((line.text.strip() for line in lines.of(text) if line.kind is Kind.PROSE), "")
    title = heading.to_text(LAYOUT).strip().partition("\n")[0].strip() if heading is not None else ""
    start = whole.find(title) + len(title) if title and first else -1
    end = whole.find(first, start) if start > 0 else -1
    between = [*lines.of(whole[start:end])] if 0 < start < end and end - start <= LEAD * LONGEST_LINKS else []
    return [line for line in between[:LEAD] if line.kind is Kind.PROSE and line.letters >= LEAD_LINE]


def _worth_reading(lines: Iterable[Line]) -> str:
    """Return the lines from the first of prose to the last, and a list behind it, without lines of links."""
    every = list(lines)
    kinds = [line.kind for line in every]
    if _letters_in(every[(end := _teasers(kinds)) :]) < TEASED * _letters_in(every):
        del kinds[end:], every[end:]
    first, last = _prose_between(kinds)
    kept = [every[place] for place in range(first, last) if not _is_of_links(kinds, place)]
    short = [line for line, kind in zip(every, kinds, strict=True) if kind is Kind.SHORT]
    if _letters_in(kept) < _letters_in(short):  # a page of short lines: a list, a poem, a table
        kept = [line for line, kind in zip(every, kinds, strict=True) if kind is not Kind.LINKS]
    is_index = Kind.PROSE not in kinds and 2 * _letters_in(kept) < _letters_in(every)
    return "\n".join(line.text for line in (every if is_index else kept))


def _letters_in(lines: Iterable[Line]) -> float:
    return sum(line.letters for line in lines)


def _teasers(kinds: Sequence[Kind]) -> int:
    """Return where links to other articles begin at the end, each with some prose under it."""
    begin, several = len(kinds), 0
    for place in range(len(kinds) - 1, 0, -1):
        if kinds[place] is not Kind.PROSE:
            continue
        if Kind.LINKS not in kinds[max(0, place - 2) : place] or Kind.PROSE in kinds[place - 1 : place]:
            break
        begin, several = place - 1, several + 1
    return begin if several >= TEASERS else len(kinds)


def _prose_between(kinds: Sequence[Kind]) -> tuple[int, int]:
    """Return where the first line of prose is, and where the last ends, or the list behind it."""
    if Kind.PROSE not in kinds:
        return 0, 0
    last = len(kinds) - kinds[::-1].index(Kind.PROSE)
    behind = next((place for place in range(last, len(kinds)) if kinds[place] is not Kind.SHORT), len(kinds))
    is_list = behind - last >= LIST and Kind.LINKS not in kinds[behind : behind + 1]
    return kinds.index(Kind.PROSE), behind if is_list else last


def _is_of_links(kinds: Sequence[Kind], place: int) -> bool:
    """Tell whether a line is links, or a heading over some."""
    if kinds[place] is Kind.SHORT:
        return len(kinds) > place + HEADED and set(kinds[place + 1 : place + 1 + HEADED]) == {Kind.LINKS}
    return kinds[place] is Kind.LINKS


class _Lines:
    """Measures the lines of texts that are rendered of one document."""

    def __init__(self, marked: str) -> None:
        narrow = marked.isascii() or _FIRST_OF_WIDE.search(marked) is None
        self._letters_of: Callable[[str], float] = len if narrow else _letters
        self.all_prose = self.prose(marked)
        self.patience = PATIENCE * len(marked) + LITTLE  # characters to be looked at: elements may be nested

    def prose(self, marked: str) -> float:
        """Return how many letters of a text are in long lines that are no links."""
        total, inside, letters_of = 0.0, False, self._letters_of
        for text in marked.split("\n"):
            if BEGIN in text or END in text:
                if len(text) >= SHORTEST_PROSE:
                    letters, linked = _measured(text, inside, letters_of)
                    total += letters - linked if letters >= LONG and linked < 0.5 * letters else 0.0
                inside = text.rfind(BEGIN) > text.rfind(END)
            elif not inside and len(text) >= SHORTEST_PROSE and (letters := letters_of(text.strip())) >= LONG:
                total += letters
        return total

    def of(self, marked: str) -> Iterator[Line]:
        """Yield the lines of a text that have any letters."""
        inside = coded = False
        for text in marked.split("\n"):
            letters, linked = _measured(text, inside, self._letters_of)
            if letters:
                yield Line(text, letters, linked, coded or CODE in text)
            if BEGIN in text or END in text:
                inside = text.rfind(BEGIN) > text.rfind(END)
            if CODE in text:
                coded ^= text.count(CODE) % 2 == 1


def _measured(text: str, inside: bool, letters_of: Callable[[str], float]) -> tuple[float, float]:
    """Return the letters of a line and those of them that are in links; it may begin inside of one."""
    if BEGIN not in text and END not in text:
        letters = letters_of(text.strip())
        return letters, letters if inside else 0.0
    outside, *linked = text.split(BEGIN)
    before, _, rest = outside.partition(END) if inside else ("", "", outside)
    within, letters = letters_of(before.strip()), letters_of(rest.strip())
    for piece in linked:
        words, _, behind = piece.partition(END)
        within += letters_of(words.strip())
        letters += letters_of(behind.strip())
    return letters + within, within


def _letters(text: str) -> float:
    return len(text) if text.isascii() else len(text) + WIDE * len(_NARROW.sub("", text))


_FIRST_WIDE = "\u2e80"
_BLANK = " \t\xa0" + BEGIN + END + BREAK
_FIRST_OF_WIDE = re.compile(f"[{_FIRST_WIDE}-\U0010ffff]")
_NARROW = re.compile(f"[^{_FIRST_WIDE}-\U0010ffff]+")
_ENDED = re.compile("[.!?…。！？:;：；]['\"”»’)\\]]*$")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAME = re.compile(r"[\s_-]+")
