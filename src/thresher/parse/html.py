"""Markup in, what it says to a reader and to a crawler out; references still as they were written."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import islice

from msgspec import Struct, field
from turbohtml import Document, Element, Namespace

from thresher.core.caches import remembered
from thresher.parse.render import render
from thresher.parse.tree import Places, fold, tidy, tree_of

LABEL = 1_000  # characters kept of a title
HEADING = 200  # characters kept of a heading
MENTIONS = 10_000  # elements asked for links; repeats are dropped later
TAGS = 100_000  # start tags counted
NOTICE = 1_000  # characters of one that asks for scripts
IMAGES = 500  # images remembered
CANONICALS = 10  # more of them cannot agree


class Mention(Struct, gc=False):
    """A place in a page that names another: the reference as written and the words that come with it."""

    reference: str
    rel: str = ""
    anchor: str = ""
    context: str = ""
    place: str = ""
    offset: int = -1
    heading: str = ""


class Reading(Struct):
    """What one look at a document found."""

    title: str = ""
    text: str = ""
    main: str = ""
    written: str = ""
    breaks: list[int] = field(default_factory=list)
    language: str = ""
    base: str | None = None
    tags: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    canonicals: list[str] = field(default_factory=list)
    robots: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)


def read(
    markup: str,
    agent: str = "",
    *,
    context: bool = True,
    place: bool = True,
    offsets: bool = True,
    codes: bool = True,
) -> Reading:
    """Return what a document says, shows and links to; `agent` is our name in meta robots.

    Mentions have context, place with heading, and offset only where these are asked for; so has the page what
    was written.
    """
    document = tree_of(markup)
    counted = cache(lambda: len(document.to_text().split()))  # once, however many ask for scripts
    hidden = [
        element
        for element in document.select(_HIDDEN)
        if element.tag != "noscript" or not _is_the_page(element, counted)
    ]
    for element in hidden:
        if element.tag == "template" and element.namespace is Namespace.HTML:
            element.clear()
    harvest = Harvest(agent, Places() if place else None)
    harvest.gather(document)
    reading = harvest.reading
    if codes:
        reading.written = _written(document)
    for element in document.select(_PERMALINKS):
        if len(element.text.strip()) <= 1:
            element.extract()  # a sign behind a heading that leads to the heading itself
    rendering = render(document, hidden, harvest.anchors, context=context, offsets=offsets)
    reading.text, reading.main, reading.breaks = rendering.text, rendering.main, rendering.breaks
    for mention, words in zip(harvest.anchored, rendering.anchors, strict=True):
        mention.anchor, mention.context = words
    for mention, offset in zip(harvest.anchored, rendering.offsets, strict=False):
        mention.offset = offset
    return reading


def _is_the_page(element: Element, words: Callable[[], int]) -> bool:
    """Tell whether what browsers without scripts are shown is most of the words of a page."""
    said = element.text
    return len(said) > NOTICE and 2 * len(said.split()) > words()


def _written(document: Document) -> str:
    """Return everything that is written in a document, blank for blank, but its scripts."""
    for element in document.select("script,style"):
        element.clear()
    return document.root.text if document.root is not None else ""


_HIDDEN = (
    'template,noscript,select,iframe,rt,rp,[hidden],[style*="display:none" i],[style*="display: none" i],'
    '[style*="visibility:hidden" i]'
)
_PERMALINKS = (
    'a.headerlink[href^="#"],a.header-anchor[href^="#"],a.anchor[href^="#"],a.headeranchor-link[href^="#"],'
    'a.anchorjs-link[href^="#"],a.heading-anchor[href^="#"],a.permalink[href^="#"],a.anchor-link[href^="#"]'
)
_ONWARD = frozenset(
    "alternate appendix bookmark chapter contents first glossary help index last next prev previous section"
    " start subsection toc up".split()
)
_NEVER_PAGES = frozenset({"icon", "stylesheet"})  # an alternate one of these is still no page
_REFRESH = re.compile(r"""\s*[0-9.]+\s*[;,\s]\s*(?:url\s*=\s*)?(?P<quote>['"]?)(?P<url>.*)""", re.I | re.S)


class Harvest:
    """One pass over the elements that say something to a crawler."""

    def __init__(self, agent: str, places: Places | None) -> None:
        self.reading = Reading()
        self.anchors: list[Element] = []
        self.anchored: list[Mention] = []  # the mention of each anchor, in the same order
        self._mentions = self.reading.mentions
        self._robots_names = {"robots", agent.lower()}
        self._places = places
        self._heading = ""  # the latest one

    def gather(self, document: Document) -> None:
        """Read the whole document."""
        if document.root is not None:
            self.reading.language = document.root.attr("lang") or document.root.attr("xml:lang") or ""
        self.reading.tags = [element.tag for element in islice(document.iter_elements(), TAGS)]
        for element in document.iter_elements(_TAGS):
            READERS[element.tag](self, element)
            if len(self._mentions) >= MENTIONS:
                break

    def _mention(self, element: Element, reference: str, rel: str, label: str | None = None) -> None:
        anchor = fold(label[:LABEL]) if label else ""
        place = self._places.of(element, reference) if self._places is not None else ""
        self._mentions.append(Mention(reference, rel, anchor, "", place))

    def _anchor(self, element: Element) -> None:
        reference = element.attr("href")
        if reference is None and element.namespace is Namespace.SVG:
            reference = element.attr("xlink:href")
        if reference is not None and not reference.startswith("#"):  # an empty one leads to the base
            mention = Mention(reference)
            if rel := element.attr("rel"):
                mention.rel = words_of(rel)
            if self._places is not None:
                mention.place, mention.heading = self._places.of(element, reference), self._heading
            self._mentions.append(mention)
            self.anchors.append(element)
            self.anchored.append(mention)

    def _begin(self, element: Element) -> None:
        # What the links after it stand under.
        if self._places is not None:
            self._heading = in_shape(element.text[:HEADING])

    def _leave(self, element: Element) -> None:
        # A menu or a footer does not stand under the latest heading.
        self._heading = ""

    def _area(self, element: Element) -> None:
        if (reference := element.attr("href")) is not None:
            self._mention(element, reference, words_of(element.attr("rel")), element.attr("alt"))

    def _frame(self, element: Element) -> None:
        if (reference := element.attr("src")) is not None:
            self._mention(element, reference, "frame", element.attr("title") or element.attr("name"))

    def _link(self, element: Element) -> None:
        rel, reference = words_of(element.attr("rel")), element.attr("href")
        if not reference:
            return
        if "canonical" in rel.split() and tag_above(element) == "head":
            self.reading.canonicals = [*self.reading.canonicals, reference][:CANONICALS]
        if leads_on(rel, element.attr("type") or ""):
            self._mention(element, reference, rel, element.attr("title"))

    def _base(self, element: Element) -> None:
        if self.reading.base is None and not _for_browsers_without_scripts(element):
            self.reading.base = element.attr("href")

    def _image(self, element: Element) -> None:
        if len(self.reading.images) < IMAGES and (source := element.attr("src")):
            self.reading.images.append(source)
        if not element.attr("alt") and (title := element.attr("title")):
            element.attrs["alt"] = title  # the renderer shows only alt

    def _meta(self, element: Element) -> None:
        content = element.attr("content")
        if not content:
            return
        if words_of(element.attr("name")) in self._robots_names:
            self.reading.robots.append(content)
        match words_of(element.attr("http-equiv")):
            case "refresh" if not _for_browsers_without_scripts(element):
                self._mention(element, _refresh_target(content), "refresh")
            case "content-language" if not self.reading.language:
                self.reading.language = content

    def _title(self, element: Element) -> None:
        if not self.reading.title and element.namespace is Namespace.HTML:
            self.reading.title = in_shape(element.text[: 4 * LABEL])[:LABEL]


READERS = {
    "a": Harvest._anchor,
    "area": Harvest._area,
    "base": Harvest._base,
    "frame": Harvest._frame,
    "iframe": Harvest._frame,
    "img": Harvest._image,
    "link": Harvest._link,
    "meta": Harvest._meta,
    "title": Harvest._title,
    **dict.fromkeys(("h2", "h3", "h4", "h5", "h6"), Harvest._begin),
    **dict.fromkeys(("h1", "nav", "aside", "footer"), Harvest._leave),
}
_TAGS = tuple(READERS)


def words_of(value: str | None) -> str:
    """Return the words of a value that is no text, small, with one blank between them."""
    return " ".join(value.lower().replace(",", " ").split()) if value else ""


def in_shape(text: str) -> str:
    """Return a text on one line, without invisible characters."""
    return fold(tidy(text))


@remembered(1024)
def leads_on(rel: str, kind: str) -> bool:
    """Tell whether a link element of such relations and such a type leads to another page."""
    words = set(rel.split())
    return bool(words & _ONWARD) and not words & _NEVER_PAGES and "oembed" not in kind


def _for_browsers_without_scripts(element: Element) -> bool:
    """Tell whether an element stands in noscript: there a page says that it wants scripts."""
    return tag_above(element) == "noscript"


def tag_above(element: Element) -> str:
    """Return the tag that an element stands in."""
    if isinstance(element, Element):
        return parent.tag if isinstance(parent := element.parent, Element) else ""
    return element.above


def _refresh_target(content: str) -> str:
    match = _REFRESH.match(content)
    if match is None:
        return ""
    return match["url"].partition(match["quote"])[0] if match["quote"] else match["url"]


# Robots directives of X-Robots-Tag and meta robots; the strictest word wins


def verdict(rules: Iterable[str], now: float = 0.0) -> tuple[bool, bool]:
    """Return (noindex, nofollow) of the rules that hold for us; `now` decides what is no longer available."""
    noindex = nofollow = False
    for rule in rules:
        words = _words(rule)
        noindex |= not words.isdisjoint({"noindex", "none"}) or _is_over(rule, now)
        nofollow |= not words.isdisjoint({"nofollow", "none"})
    return noindex, nofollow


def header_rules(values: Iterable[str], agent: str) -> list[str]:
    """Return the rules of X-Robots-Tag headers for all agents or for the agent by name."""
    return [_spoken_to(agent, value) for value in values]


_WITH_VALUE = frozenset("unavailable_after max-snippet max-image-preview max-video-preview".split())
_PREFIX = re.compile(r"\s*([\w.*-]+)\s*:")
_UNAVAILABLE = re.compile(
    r"\bunavailable_after\s*:(?:\s*[a-z]+,)?([^,]*)", re.IGNORECASE
)  # the weekday apart


def _spoken_to(agent: str, value: str) -> str:
    """Leave out what a header says to other robots; a name holds until the next one."""
    rules, speaks_to_us = [], True
    for part in value.split(","):
        name, rule = _addressed(part)
        speaks_to_us = name == agent if name else speaks_to_us
        if speaks_to_us:
            rules.append(rule)
    return ",".join(rules)


def _addressed(part: str) -> tuple[str, str]:
    """Split 'otherbot: noindex' into the robot it speaks to and the rule; 'max-snippet: 20' speaks to all."""
    prefix = _PREFIX.match(part)
    if prefix is None or prefix[1].lower() in _WITH_VALUE:
        return "", part
    return prefix[1].lower(), part[prefix.end() :]


def _words(rule: str) -> set[str]:
    """Return the rules that are a word; 'max-image-preview: none' is not the word none."""
    parts = rule.lower().split(",")
    return {word for part in parts if ":" not in part for word in part.replace(";", " ").split()}


def _is_over(rule: str, now: float) -> bool:
    until = _UNAVAILABLE.search(rule)
    return until is not None and 0 < _timestamp(until[1]) <= now


def _timestamp(text: str) -> float:
    """Return the moment a date stands for, in either of the two forms in use; zero when it is in neither."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text.strip().upper())
        except (ValueError, OverflowError, IndexError):  # what the two raise on nonsense
            continue
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return 0.0
