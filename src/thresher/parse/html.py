"""Markup in, what it says to a reader and to a crawler out; references still as they were written.

The core reads the page, and leaves to Python what stands in few elements: what is in the head, areas and
frames. Markup that must be repaired it gets again from turbohtml; what it cannot read even so is read as
plain text with its links.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from html.entities import html5
from typing import NamedTuple

from msgspec import Struct, field

from thresher.core.caches import remembered
from thresher.core.optional import CORE, Found
from thresher.parse.anchors import LONGEST, Mention, named_anchors, numbered_anchors
from thresher.parse.tree import fold, repaired, tidy, without_soft_hyphens

LABEL = 1_000  # characters kept of a title
HEADING = 200  # characters kept of a heading
MENTIONS = 10_000  # elements asked for links; repeats are dropped later
TAGS = 100_000  # start tags counted
IMAGES = 500  # images remembered
CANONICALS = 10  # more of them cannot agree


class HtmlFacts(Struct):
    """What one pass over a document found."""

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


PLACES, BREAKS, WRITTEN, SERIALIZED, CONTEXT = 1, 2, 4, 8, 16  # what the core is asked for


class ReadCounts:
    """How many pages were read as they are, `repaired` by turbohtml, and as `plain` text without a tree."""

    sound = repaired = plain = 0


def read(
    markup: str,
    agent: str = "",
    *,
    context: bool = True,
    place: bool = True,
    offsets: bool = True,
    codes: bool = True,
) -> HtmlFacts:
    """Return what a document says, shows and links to; `agent` is our name in meta robots.

    Mentions have context, place with heading, and offset only where these are asked for; so has the page what
    was written.
    """
    wants = PLACES * place | BREAKS * offsets | WRITTEN * codes | CONTEXT * context
    found = found_in(markup, wants)
    return plain(markup) if found is None else _reading(found, agent, wants)


def found_in(markup: str, wants: int) -> Found[Mention] | None:
    """Return what the core finds in a document, or None if it cannot read it even when it is repaired."""
    asked = (Mention, words_of, in_shape, leads_on, refresh_target)
    markup = without_soft_hyphens(markup)
    found = CORE.read(markup, html5, wants, *asked)
    if found is not None:
        ReadCounts.sound += 1
        return found
    found = CORE.read(repaired(markup), html5, wants | SERIALIZED, *asked)
    if found is not None:
        ReadCounts.repaired += 1
    return found


def _reading(found: Found[Mention], agent: str, wants: int) -> HtmlFacts:
    """Return a reading of what the core found: anchors get their words, and the other elements are read."""
    mentions, images, tags, rest, hidden, seen, article, written, numbered = found
    harvest = ElementCollector(agent)
    reading = harvest.reading
    reading.tags, reading.images, reading.written = tags, images, written
    context, offsets = bool(wants & CONTEXT), bool(wants & BREAKS)
    if numbered is None:
        reading.text = tidy(seen)
        places = named_anchors(mentions, seen, hidden, context=context, offsets=offsets)
    else:
        reading.text, places = numbered_anchors(mentions, *numbered, context=context, offsets=offsets)
    reading.breaks = places.breaks if places is not None else []
    reading.main = tidy(article[:LONGEST]) or reading.text
    _take_in(harvest, mentions, [Element(*each) for each in rest])
    return reading


def plain(markup: str) -> HtmlFacts:
    """Return the words between the tags of a document that cannot be laid out, and the links in them."""
    ReadCounts.plain += 1
    text = tidy(unescape(_TAG.sub(" ", _shown(markup)))[:LONGEST])
    title = _TITLE.search(markup)
    references = [unescape(found[1].strip("\"'")) for found in _REFERENCE.finditer(markup)]
    mentions = [Mention(each) for each in references[:MENTIONS] if not each.startswith("#")]
    shown = in_shape(unescape(title[1][: 4 * LABEL]))[:LABEL] if title else ""
    return HtmlFacts(title=shown, text=text, main=text, mentions=mentions)


def _shown(markup: str) -> str:
    """Return what stands outside of scripts, styles, templates and comments, in one pass over the markup."""
    parts, at = list[str](), 0
    while opened := _HIDDEN.search(markup, at):
        parts.append(markup[at : opened.start()])
        closed = _ENDS[(opened[1] or "!--").lower()].search(markup, opened.end())
        if closed is None:
            return " ".join(parts)  # what is not closed hides the rest
        at = closed.end()
    return " ".join([*parts, markup[at:]])


_HIDDEN = re.compile(r"<(?:(script|style|template)\b|!--)", re.I)
_ENDS = {name: re.compile(rf"</{name}\s*+>", re.I) for name in ("script", "style", "template")}
_ENDS["!--"] = re.compile("-->")
_TAG = re.compile(r"<[a-z/!?][^<>]*+>", re.I)  # no tag reaches over the next: else time would be squared
_TITLE = re.compile(r"<title[^<>]*+>([^<]*+)", re.I)
_REFERENCE = re.compile(r"""<a\s[^<>]*?href\s*=\s*("[^"]*+"|'[^']*+'|[^\s>"']++)""", re.I)


_ONWARD = frozenset(
    "alternate appendix bookmark chapter contents first glossary help index last next prev previous section"
    " start subsection toc up".split()
)
_NEVER_PAGES = frozenset({"icon", "stylesheet"})  # an alternate one of these is still no page
_REFRESH = re.compile(r"""\s*[0-9.]+\s*[;,\s]\s*(?:url\s*=\s*)?(?P<quote>['"]?)(?P<url>.*)""", re.I | re.S)


class Element(NamedTuple):
    """An element that the core leaves to Python."""

    before: int  # anchors that stand before it
    tag: str
    attributes: dict[str, str]
    above: str
    place: str
    text: str

    def attr(self, name: str) -> str | None:
        """Return the value of an attribute."""
        return self.attributes.get(name)


class ElementCollector:
    """What the elements that are left to Python say."""

    def __init__(self, agent: str) -> None:
        self.reading = HtmlFacts()
        self._robots_names = {"robots", agent.lower()}

    def _mention(self, element: Element, reference: str, rel: str, label: str | None = None) -> None:
        anchor = fold(label[:LABEL]) if label else ""
        self.reading.mentions.append(Mention(reference, rel, anchor, "", element.place))

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
        if "canonical" in rel.split() and element.above == "head":
            self.reading.canonicals = [*self.reading.canonicals, reference][:CANONICALS]
        if leads_on(rel, element.attr("type") or ""):
            self._mention(element, reference, rel, element.attr("title"))

    def _base(self, element: Element) -> None:
        if self.reading.base is None and not _for_browsers_without_scripts(element):
            self.reading.base = element.attr("href")

    def _meta(self, element: Element) -> None:
        content = element.attr("content")
        if not content:
            return
        if words_of(element.attr("name")) in self._robots_names:
            self.reading.robots.append(content)
        match words_of(element.attr("http-equiv")):
            case "refresh" if not _for_browsers_without_scripts(element):
                self._mention(element, refresh_target(content), "refresh")
            case "content-language" if not self.reading.language:
                self.reading.language = content

    def _title(self, element: Element) -> None:
        if not self.reading.title:
            self.reading.title = in_shape(element.text[: 4 * LABEL])[:LABEL]


READERS = {
    "area": ElementCollector._area,
    "base": ElementCollector._base,
    "frame": ElementCollector._frame,
    "iframe": ElementCollector._frame,
    "link": ElementCollector._link,
    "meta": ElementCollector._meta,
    "title": ElementCollector._title,
}


def _take_in(harvest: ElementCollector, anchors: Sequence[Mention], rest: Sequence[Element]) -> None:
    """Put the elements that were left to Python between the anchors."""
    reading, done = harvest.reading, 0
    is_first = True
    for element in rest:
        if element.tag == "html":
            if is_first:
                reading.language = element.attr("lang") or element.attr("xml:lang") or ""
            is_first = False
            continue
        reading.mentions += anchors[done : element.before]
        done = element.before
        READERS[element.tag](harvest, element)
    reading.mentions += anchors[done:]


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
    return element.above == "noscript"


def refresh_target(content: str) -> str:
    """Return what the content of a refresh leads to."""
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
