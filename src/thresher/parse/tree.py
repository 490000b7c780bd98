"""What turbohtml does, at a cost that the author of a hostile page cannot choose; nothing else imports it.

turbohtml is linear in time on everything we have fed it, but it remembers every error, 48 bytes each, and
spends up to 230 bytes on a '<'; an error a letter would turn a page of 10 MB into half a gigabyte.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from thresher.core.optional import CORE

if TYPE_CHECKING:  # each function brings turbohtml in: 24 ms of a start, and most pages are read without
    from turbohtml import Document, Element

MARKUP = 4 * 1024 * 1024  # characters read of a document
ELEMENTS = 200_000  # '<' read of it: each may take 500 bytes before it is text
HARMLESS = 1024 * 1024  # characters that cost little whatever they are
SEGMENT = 65_536  # characters without '<' or '>' that may follow a '<': more is an attribute, or bait


def tree_of(markup: str) -> "Document":
    """Return the tree of a document, as browsers would build it from its first few megabytes."""
    import turbohtml

    markup = without_soft_hyphens(in_utf8(markup))
    if len(markup) > HARMLESS:
        markup = _LONG_SEGMENT.sub(_both_ends, markup)[:MARKUP]
    if len(markup) > ELEMENTS and markup.count("<") > ELEMENTS:
        markup = "<".join(markup.split("<", ELEMENTS)[:ELEMENTS])
    return turbohtml.parse(markup, positions=False)


def without_soft_hyphens(markup: str) -> str:
    """Return a document without its invisible hyphens, each of which would cut a word in two."""
    return markup.replace("\xad", "").replace("&shy;", "")


def repaired(markup: str) -> str:
    """Return a document as browsers would repair it, each element with its end tag, without templates."""
    document = _without_templates(tree_of(markup))
    for element in document.select(_PERMALINKS):  # whose class some pages may write in other letters
        element.attrs["class"] = "anchor"
    return document.serialize()


def seen_of(markup: str) -> "Element | None":
    """Return the body of a document without what is not seen, and what is no text."""
    document = tree_of(markup)
    for element in document.select(_UNSEEN):
        if element.tag not in {"html", "body"}:
            element.extract()
    return document.find("body") or document.root


def children_of(element: "Element") -> Iterator["Element | str"]:
    """Yield the elements and the texts in an element."""
    from turbohtml import Element, Text

    for child in element.children:
        if isinstance(child, Element):
            yield child
        elif isinstance(child, Text):
            yield child.data


def written_in(element: "Element") -> str:
    """Return the text of an element that is shown as it is written, a line break for each `br`."""
    return "".join(
        each if isinstance(each, str) else "\n" if each.tag == "br" else written_in(each)
        for each in children_of(element)
    )


def encoding_called(label: str) -> str:
    """Return the name that the WHATWG gives to a label; a LookupError if it has none."""
    import turbohtml

    return turbohtml.parse(b"", encoding=label).encoding or ""


def encoding_in(start: bytes) -> tuple[str, bool]:
    """Return the encoding that the start of a document declares, and whether it is only a guess."""
    import turbohtml

    document = turbohtml.parse(start)
    return document.encoding or "", document.encoding_confidence == "tentative"


def encoding_by_statistics(sample: bytes, domain: str | None) -> str:
    """Return the encoding that the letters of a sample and its domain speak for; it may be none."""
    from turbohtml.detect import Detection, detect

    return detect(sample, Detection(tld=domain)).encoding or ""


def as_browsers_decode(name: str, body: bytes) -> str:
    """Return bytes as text, in an encoding that the WHATWG names."""
    import turbohtml.detect  # noqa: F401  # it registers the codecs

    return body.decode(f"whatwg-{name}", "replace")


def _without_templates(document: "Document") -> "Document":
    from turbohtml import Namespace

    for template in document.find_all("template"):
        if template.namespace is Namespace.HTML:
            template.clear()
    return document


_PERMALINKS = ",".join(
    f'a.{name}[href^="#"]'
    for name in "headerlink header-anchor anchor headeranchor-link anchorjs-link heading-anchor permalink "
    "anchor-link".split()
)
_UNSEEN = (
    "script,style,template,[hidden],[aria-hidden=true],iframe,object,svg,select,textarea,button,"
    f".mw-editsection,{_PERMALINKS}"
)


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
    found = CORE.tidy(text)
    return tidy(in_utf8(text)) if found is None else found


def in_utf8(text: str) -> str:
    """Return a text without lone surrogates, which the core cannot read."""
    return text.encode("utf-8", "replace").decode()
