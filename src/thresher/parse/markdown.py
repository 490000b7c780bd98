"""A document as Markdown: the part worth reading, with its headings."""

from turbohtml import Document, Markdown, Node

from thresher.parse.furniture import FURNITURE
from thresher.parse.render import LONGEST
from thresher.parse.tree import tree_of

MAIN_SHARE = 0.5  # of the text that is no furniture: less than that is no main content but a scrap of it
_UNSEEN = "script,style,template,noscript,[hidden],[aria-hidden=true]"
_PLAIN = Markdown(strip=("a", "img"))


def markdown_of(markup: str) -> str:
    """Return the part of a document that is worth reading as Markdown, without pictures and addresses."""
    document = tree_of(markup)
    for element in document.select(_UNSEEN):
        if element.tag not in {"html", "body"}:
            element.extract()
    return _best_part(document).to_markdown(_PLAIN)[:LONGEST].strip()


def _best_part(document: Document) -> Node:
    """Return the main content, or where that is a scrap everything but menus and footers."""
    main = document.main_content()
    for element in document.select(FURNITURE):
        element.extract()
    return main if main is not None and len(main.text) >= MAIN_SHARE * len(document.text) else document
