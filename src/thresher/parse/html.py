"""The one file that knows turbohtml: markup in, what a reader and a crawler see in it out.

The renderer is C and knows nothing of our links, so each anchor is marked in the tree before the text is
rendered; where the marks land tells the anchor's text and its surroundings. One rendering serves all links.
"""

import re
from itertools import islice

import turbohtml
from msgspec import Struct, field
from turbohtml import Document, Element, Namespace, PlainText, Text

from thresher.parse.place import Places

ANCHOR = 1_000  # characters kept of an anchor's text, a title or a reference's label
AROUND = 50  # characters of context on each side of an anchor
TEXT = 1_000_000  # characters kept of a page's text
MENTIONS = 20_000  # elements asked for links; repeats are dropped later
TAGS = 100_000  # start tags counted


class Mention(Struct):
    """A place in a page that names another: the reference as written and the words that come with it."""

    reference: str
    rel: str = ""
    anchor: str = ""
    context: str = ""
    place: str = ""


class Reading(Struct):
    """What one look at a document found, references still as written."""

    title: str = ""
    text: str = ""
    main: str = ""
    language: str = ""
    base: str = ""
    tags: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    canonicals: list[str] = field(default_factory=list)
    robots: list[tuple[str, str]] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)


def read(markup: str, robots_names: frozenset[str] = frozenset({"robots"})) -> Reading:
    """Return what a document says, shows and links to."""
    document = turbohtml.parse(_tame(markup), positions=False)
    hidden = document.select(_HIDDEN)
    for element in hidden:
        if element.tag == "template":
            element.clear()
    reading = Reading(tags=[element.tag for element in islice(document.iter_elements(), TAGS)])
    anchors = _Harvest(reading, robots_names).gather(document)
    _render(document, hidden, reading, anchors)
    return reading


def fold(text: str) -> str:
    """Return a text on one line, its white space folded."""
    return " ".join(text.split())


def tidy(text: str) -> str:
    """Return a text without control characters and empty lines, the white space of each line folded."""
    return "\n".join(filter(None, map(fold, _MARK.sub("", text).split("\n"))))


_HIDDEN = (
    'template,noscript,select,iframe,[hidden],[style*="display:none" i],[style*="display: none" i],'
    '[style*="visibility:hidden" i]'
)
_READ = ("a", "area", "base", "frame", "iframe", "img", "link", "meta", "title")
_ONWARD = frozenset(
    "alternate appendix bookmark chapter contents first glossary help index last next prev previous section start"
    " subsection toc up".split()
)
_REFRESH = re.compile(r"\s*[\d.]*\s*[;,\s]\s*(?:url\s*=\s*)?(?P<quote>['\"]?)(?P<url>.*)", re.I | re.S)
_LAYOUT = PlainText(layout="strict", bullet="", table_cell_separator=" ", images=True)
_MARK = re.compile("\x02([0-9]{1,6})\x03|(\x04)|[\x00-\x08\x0e-\x1b\x7f]")
_RUN_OF_LESS_THAN = re.compile("<{3,}")


def _tame(markup: str) -> str:
    """Shorten runs of '<': only the last can open a tag, and each costs the parser 70 bytes."""
    return _RUN_OF_LESS_THAN.sub("<<", markup) if "<<<" in markup else markup


class _Harvest:
    """One pass over the elements that say something to a crawler."""

    def __init__(self, reading: Reading, robots_names: frozenset[str]) -> None:
        self.reading = reading
        self.robots_names = robots_names
        self.places = Places()
        self.anchors: list[tuple[Element, Mention]] = []

    def gather(self, document: Document) -> list[tuple[Element, Mention]]:
        """Fill the reading, and return the anchors whose words are still to be found."""
        root = document.root
        if root is not None:
            self.reading.language = root.attr("lang") or root.attr("xml:lang") or ""
        for element in document.iter_elements(_READ):
            getattr(self, f"_{element.tag}")(element)
            if len(self.reading.mentions) >= MENTIONS:
                break
        return self.anchors

    def _mention(
        self, element: Element, reference: str | None, rel: str, label: str | None = ""
    ) -> Mention | None:
        if reference is None:
            return None
        mention = Mention(reference, rel, fold((label or "")[:ANCHOR]), "", self.places.of(element))
        self.reading.mentions.append(mention)
        return mention

    def _a(self, element: Element) -> None:
        reference = element.attr("href")
        if reference is None and element.namespace is Namespace.SVG:
            reference = element.attr("xlink:href")
        if mention := self._mention(element, reference, _tokens(element.attr("rel"))):
            self.anchors.append((element, mention))

    def _area(self, element: Element) -> None:
        self._mention(element, element.attr("href"), _tokens(element.attr("rel")), element.attr("alt"))

    def _frame(self, element: Element) -> None:
        self._mention(element, element.attr("src"), "frame", element.attr("title") or element.attr("name"))

    _iframe = _frame

    def _link(self, element: Element) -> None:
        rel, reference = _tokens(element.attr("rel")), element.attr("href")
        words = rel.split()
        if (
            "canonical" in words
            and reference
            and isinstance(head := element.parent, Element)
            and head.tag == "head"
        ):
            self.reading.canonicals.append(reference)
        if (
            not _ONWARD.isdisjoint(words)
            and "stylesheet" not in words
            and "oembed" not in (element.attr("type") or "")
        ):
            self._mention(element, reference, rel, element.attr("title"))

    def _base(self, element: Element) -> None:
        self.reading.base = self.reading.base or element.attr("href") or ""

    def _img(self, element: Element) -> None:
        if source := element.attr("src"):
            self.reading.images.append(source)
        if not element.attr("alt") and (title := element.attr("title")):
            element.attrs["alt"] = title  # the renderer shows only alt

    def _meta(self, element: Element) -> None:
        content = element.attr("content")
        if not content:
            return
        if (name := fold(element.attr("name") or "").lower()) in self.robots_names:
            self.reading.robots.append((name, content))
        match (element.attr("http-equiv") or "").strip().lower():
            case "refresh":
                self._mention(element, _refresh_target(content), "refresh")
            case "content-language":
                self.reading.language = self.reading.language or content

    def _title(self, element: Element) -> None:
        if not self.reading.title and element.namespace is Namespace.HTML:
            self.reading.title = fold(tidy(element.text[: 4 * ANCHOR]))[:ANCHOR]


def _tokens(value: str | None) -> str:
    return " ".join(value.lower().replace(",", " ").split()) if value else ""


def _refresh_target(content: str) -> str | None:
    match = _REFRESH.match(content)
    if match is None:
        return None
    url = match["url"]
    return url.partition(match["quote"])[0] if match["quote"] else url


def _render(
    document: Document, hidden: list[Element], reading: Reading, anchors: list[tuple[Element, Mention]]
) -> None:
    """Fill in the texts: the visible one without its hidden parts, unless nothing else is left."""
    for element in hidden:
        if element.tag not in {"html", "body"}:
            element.extract()
    reading.main = tidy(document.main_text()[:TEXT])
    for number, (element, _) in enumerate(anchors):
        element.insert(0, Text(f"\x02{number}\x03"))
        element.append(Text("\x04"))
    plain, spans = _unmark(document.to_text(_LAYOUT)[:TEXT])
    reading.text = tidy(plain)
    for number, (element, mention) in enumerate(anchors):
        if span := spans.get(number):
            _word(mention, plain, *span)
        else:
            mention.anchor = fold(tidy(element.to_text(_LAYOUT)[:ANCHOR]))
        mention.anchor = mention.anchor or fold(
            (element.attr("title") or element.attr("aria-label") or "")[:ANCHOR]
        )
    reading.main = reading.main or reading.text


def _unmark(marked: str) -> tuple[str, dict[int, tuple[int, int]]]:
    """Take the marks out of a text, and return it with where each of them began and ended."""
    pieces, spans, open_marks = [], {}, []
    position, length = 0, 0
    for mark in _MARK.finditer(marked):
        pieces.append(marked[position : mark.start()])
        length += mark.start() - position
        position = mark.end()
        if mark[1]:
            open_marks.append((int(mark[1]), length))
        elif mark[2] and open_marks:
            number, start = open_marks.pop()
            spans[number] = (start, length)
    pieces.append(marked[position:])
    return "".join(pieces), spans


def _word(mention: Mention, plain: str, start: int, end: int) -> None:
    """Give a mention the words of its anchor and those around it in the same block."""
    mention.anchor = fold(plain[start:end][:ANCHOR])[:ANCHOR]
    low, high = max(0, start - AROUND), min(len(plain), end + AROUND)
    before = plain[low:start].rpartition("\n")[2]
    after = plain[end:high].partition("\n")[0]
    mention.context = fold(f"{before}{plain[start:end][:ANCHOR]}{after}")
