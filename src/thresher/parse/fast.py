"""Pages whose markup is sound, read in one pass by the native core; all others by the tree.

The core says of a page what `parse/html.py` says of its tree, and leaves to Python what stands in few
elements: what is in the head, areas and frames. It answers None for markup that browsers have to repair.
"""

from collections.abc import Sequence
from html.entities import html5
from typing import Any, NamedTuple, cast

from turbohtml import Namespace

from thresher.core.optional import CORE
from thresher.parse import html
from thresher.parse.html import READERS, Harvest, Mention, Reading, in_shape, leads_on, words_of
from thresher.parse.render import ANCHOR, LONGEST, words_of_anchors
from thresher.parse.tree import fold, tidy


def read(
    markup: str,
    agent: str = "",
    *,
    context: bool = True,
    place: bool = True,
    offsets: bool = True,
    codes: bool = True,
) -> Reading:
    """Return what a document says, shows and links to: `parse.html.read` says what of it."""
    found = None if context or offsets or codes else in_one_pass(markup, agent, place)
    if found is not None:
        return found
    return html.read(markup, agent, context=context, place=place, offsets=offsets, codes=codes)


def in_one_pass(markup: str, agent: str, place: bool) -> Reading | None:
    """Return what a sound page says, or None where its tree must be asked."""
    found = CORE.read(markup, html5, place, Mention, words_of, in_shape, leads_on) if CORE else None
    if found is None:
        return None
    mentions, images, tags, rest, hidden, seen, article = found
    if len(seen) > LONGEST or not _name(mentions, seen, hidden):
        return None
    harvest = Harvest(agent, cast(Any, _Places()))
    reading = harvest.reading
    reading.text = tidy(seen)
    reading.main = tidy(article) or reading.text
    reading.tags, reading.images = tags, images
    _take_in(harvest, mentions, [_Element(*each) for each in rest])
    return reading


def _name(mentions: Sequence[Mention], seen: str, hidden: Sequence[tuple[list[int], str]]) -> bool:
    """Give all anchors their words, or what they are called; False if those of some cannot be found."""
    unseen = {number for numbers, _ in hidden for number in numbers}
    shown = [number for number in range(len(mentions)) if number not in unseen]
    for numbers, text in ((shown, seen), *hidden):
        words = words_of_anchors(text, len(numbers))
        if words is None:
            return False
        for number, said in zip(numbers, words, strict=True):
            mentions[number].anchor = said or fold(mentions[number].anchor[:ANCHOR])
    return True


class _Element(NamedTuple):
    """What the core leaves to Python of an element, asked as those of a tree are."""

    before: int  # anchors that stand before it
    tag: str
    attributes: dict[str, str]
    above: str
    place: str
    text: str

    @property
    def namespace(self) -> Namespace:
        """Return what it is part of: what stands in a drawing is not left to Python."""
        return Namespace.HTML

    def attr(self, name: str) -> str | None:
        """Return the value of an attribute."""
        return self.attributes.get(name)


class _Places:
    """The places of elements that have theirs with them."""

    def of(self, element: _Element, reference: str) -> str:
        """Return where an element stands."""
        return element.place


def _take_in(harvest: Harvest, anchors: Sequence[Mention], rest: Sequence[_Element]) -> None:
    """Put the elements that were left to Python between the anchors."""
    reading, done = harvest.reading, 0
    for element in rest:
        if element.tag == "html":
            reading.language = element.attr("lang") or element.attr("xml:lang") or ""
            continue
        reading.mentions += anchors[done : element.before]
        done = element.before
        READERS[element.tag](harvest, cast(Any, element))
    reading.mentions += anchors[done:]
