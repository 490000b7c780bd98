"""A page as its tree in turbohtml says it, by Python: the oracle of what the native core reads."""

from collections.abc import Callable
from functools import cache
from itertools import islice

from turbohtml import Document, Element, Namespace

from tests.reference.render import render
from tests.reference.tree import Places
from thresher.parse.anchors import Mention
from thresher.parse.html import (
    HEADING,
    IMAGES,
    MENTIONS,
    READERS,
    TAGS,
    ElementCollector,
    HtmlFacts,
    in_shape,
    words_of,
)
from thresher.parse.html import Element as Left
from thresher.parse.tree import tree_of

NOTICE = 1_000  # characters of one that asks for scripts


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
    document = tree_of(markup)
    counted = cache(lambda: len(document.to_text().split()))  # once, however many ask for scripts
    for template in document.find_all("template"):
        if template.namespace is Namespace.HTML:
            template.clear()
    hidden = [
        element
        for element in document.select(_HIDDEN)
        if element.tag != "noscript" or not _is_the_page(element, counted)
    ]
    harvest = TreeHarvest(agent, Places() if place else None)
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


class TreeHarvest(ElementCollector):
    """One pass over the elements of a tree that say something to a crawler."""

    def __init__(self, agent: str, places: Places | None) -> None:
        super().__init__(agent)
        self.anchors: list[Element] = []
        self.anchored: list[Mention] = []  # the mention of each anchor, in the same order
        self._mentions = self.reading.mentions
        self._places = places
        self._heading = ""  # the latest one
        self._met: Element | None = None

    def gather(self, document: Document) -> None:
        """Read the whole document."""
        if document.root is not None:
            self.reading.language = document.root.attr("lang") or document.root.attr("xml:lang") or ""
        self.reading.tags = [element.tag for element in islice(document.iter_elements(), TAGS)]
        for element in document.iter_elements(_TAGS):
            self._meet(element)
            if len(self._mentions) >= MENTIONS:
                break

    def _meet(self, element: Element) -> None:
        self._met = element
        if (own := _OWN.get(element.tag)) is not None:
            own(self, element)
        elif element.tag != "title" or element.namespace is Namespace.HTML:
            attributes = {name: element.attr(name) or "" for name in element.attrs}
            left = Left(0, element.tag, attributes, tag_above(element), "", element.text)
            READERS[element.tag](self, left)

    def _mention(self, element: Left, reference: str, rel: str, label: str | None = None) -> None:
        assert self._met is not None
        place = self._places.of(self._met, reference) if self._places is not None else ""
        super()._mention(element._replace(place=place), reference, rel, label)

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

    def _image(self, element: Element) -> None:
        if len(self.reading.images) < IMAGES and (source := element.attr("src")):
            self.reading.images.append(source)
        if not element.attr("alt") and (title := element.attr("title")):
            element.attrs["alt"] = title  # the renderer shows only alt


_OWN: dict[str, Callable[[TreeHarvest, Element], None]] = {
    "a": TreeHarvest._anchor,
    "img": TreeHarvest._image,
    **dict.fromkeys(("h2", "h3", "h4", "h5", "h6"), TreeHarvest._begin),
    **dict.fromkeys(("h1", "nav", "aside", "footer"), TreeHarvest._leave),
}
_TAGS = (*_OWN, *READERS)


def tag_above(element: Element) -> str:
    """Return the tag that an element stands in."""
    return parent.tag if isinstance(parent := element.parent, Element) else ""
