"""Markup into a tree, at a cost that the author of a hostile page cannot choose.

turbohtml is linear in time on everything we have fed it, but it remembers every error, 48 bytes each, and
spends up to 230 bytes on a '<'; an error a letter would turn a page of 10 MB into half a gigabyte.
"""

import re

import turbohtml
from turbohtml import Document, Element, Node

from thresher.core.caches import remembered
from thresher.core.optional import CORE

MARKUP = 4 * 1024 * 1024  # characters read of a document
ELEMENTS = 200_000  # '<' read of it: each may take 500 bytes before it is text
HARMLESS = 1024 * 1024  # characters that cost little whatever they are
SEGMENT = 65_536  # characters without '<' or '>' that may follow a '<': more is an attribute, or bait


def tree_of(markup: str) -> Document:
    """Return the tree of a document, as browsers would build it from its first few megabytes."""
    markup = markup.replace("\xad", "").replace("&shy;", "")  # a hyphen that nobody sees cuts a word in two
    if len(markup) > HARMLESS:
        markup = _LONG_SEGMENT.sub(_both_ends, markup)[:MARKUP]
    if len(markup) > ELEMENTS and markup.count("<") > ELEMENTS:
        markup = "<".join(markup.split("<", ELEMENTS)[:ELEMENTS])
    return turbohtml.parse(markup, positions=False)


_LONG_SEGMENT = re.compile(f"<[^<>]{{{SEGMENT},}}")


def _both_ends(segment: re.Match[str]) -> str:
    """Leave out the middle: a tag begins with its name and may end with the attribute we want."""
    return segment[0][: SEGMENT // 2] + segment[0][-SEGMENT // 2 :]


CONTROLS = bytes((*range(9), *range(0x0E, 0x1C), 0x7F))


def fold(text: str) -> str:
    """Return a text on one line, its white space folded."""
    return " ".join(text.split())


def tidy(text: str) -> str:
    """Return a text without control characters, empty lines, and white space that is odd or ends a line."""
    found = CORE.tidy(text) if CORE else None
    return reference_tidy(text) if found is None else found


def reference_tidy(text: str) -> str:
    """Return the same by Python."""
    if not text.isascii():
        text = text.replace("\xa0", " ").replace("\u202f", " ")
    encoded = text.encode("utf-8", "surrogatepass")  # in UTF-8 a control character is a byte of its own
    clean = encoded.translate(None, CONTROLS)
    if len(clean) < len(encoded):
        text = clean.decode("utf-8", "surrogatepass")
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))


# Tag paths: where in a page a link stands, as short as it stays telling


STEPS = 16  # tags kept of a path, the innermost
NAME = 64  # letters of a tag: a page may make up any
HINT = 32  # letters of an id or class worth keeping


class Places:
    """The tag paths of one page; a path once written is reused by every link that stands there."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}  # what is referred to, and its place
        self._paths: dict[Node | None, str] = {}
        self._places: dict[tuple[object, ...], str] = {}

    def of(self, element: Element, reference: str) -> str:
        """Return where the page first has what an element refers to: 'html/body/div#menu/ul/li/a'.

        Half of all links are repeats, if only to another part of the same page.
        """
        document = reference.partition("#")[0] if "#" in reference else reference
        place = self._first.get(document)
        if place is None:
            place = self._first[document] = self._path(element)
        return place

    def _path(self, element: Element) -> str:
        """Return the tags that lead to an element."""
        tag, parent = element.tag, element.parent
        if not isinstance(parent, Element):
            return tag if parent is None else f"/{tag}"
        # The items of a list are alike: what is known of one link is known of all of them.
        above, own, identity, classes = parent.parent, parent.tag, parent.attr("id"), parent.attr("class")
        known = (above, own, identity, classes, tag)
        place = self._places.get(known)
        if place is None:
            path = _longer(self._climb(above), _step(own, identity, classes))
            place = self._places[known] = f"{path}/{tag}"
        return place

    def _climb(self, node: Node | None) -> str:
        """Write the path of an element whose ancestors may have none yet."""
        above: list[Element] = []
        while (path := self._paths.get(node)) is None and isinstance(node, Element):
            above.append(node)
            node = node.parent
        path = path or ""
        for element in reversed(above):
            step = _step(element.tag, element.attr("id"), element.attr("class"))
            path = self._paths[element] = _longer(path, step)
        return path


def _longer(path: str, step: str) -> str:
    """Return a path with one more step, the first one dropped if there are too many."""
    path = f"{path}/{step}" if path else step
    return path if path.count("/") < STEPS else path.partition("/")[2]


@remembered(4096)
def _step(tag: str, identity: str | None, classes: str | None) -> str:
    """Name an element by its tag and its id, or its first class."""
    tag = tag[:NAME]
    if identity and _tells(identity):
        return f"{tag}#{identity}"
    if classes and _tells(name := classes.partition(" ")[0]):
        return f"{tag}.{name}"
    return tag


def _tells(name: str) -> bool:
    """Tell whether a name may be that of a place: one with digits is the name of a single thing."""
    return len(name) <= HINT and name.replace("-", "").replace("_", "").isalpha()
