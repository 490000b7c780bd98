"""PDF: the text of its pages, its title and its links, by pdfium."""

import ctypes
import re
from importlib import import_module
from typing import Any

from thresher.core.errors import DocumentBroken, DocumentEncrypted, DocumentUnread
from thresher.core.optional import EXTRA
from thresher.parse.anchors import ANCHOR, LONGEST, Mention
from thresher.parse.html import HtmlFacts
from thresher.parse.tree import fold, tidy

MOST_PAGES = 2_000
MOST_LINKS = 1_000
INSTALL = EXTRA.format("media")
_ADDRESS = re.compile(r"https?://[^\s<>\"'）)\]]{4,500}")


def read_pdf(body: bytes) -> HtmlFacts:
    """Return what a PDF says; one that cannot be read is a DocumentUnread with its reason."""
    try:
        pdfium: Any = import_module("pypdfium2")
    except ImportError:
        raise DocumentUnread(INSTALL) from None
    try:
        document = pdfium.PdfDocument(body)
    except pdfium.PdfiumError as error:
        wanted = "password" in str(error).lower()
        raise (DocumentEncrypted if wanted else DocumentBroken)(str(error)) from None
    try:
        return _read(pdfium, document)
    finally:
        document.close()


def _read(pdfium: Any, document: Any) -> HtmlFacts:
    texts: list[str] = []
    links: list[str] = []
    letters = 0
    for number in range(min(len(document), MOST_PAGES)):
        try:
            page = document[number]
        except pdfium.PdfiumError:
            continue  # one broken page is no reason to leave the others
        words = page.get_textpage().get_text_range(errors="replace")
        texts.append(words)
        links += [*_annotated(pdfium.raw, document, page), *_ADDRESS.findall(words)]
        page.close()
        letters += len(words)
        if letters > LONGEST:
            break
    if not len(document):
        raise DocumentBroken("no page in it")
    text = tidy("\n".join(texts)[:LONGEST])
    title = fold(document.get_metadata_dict().get("Title", ""))[:ANCHOR]
    mentions = [Mention(target.rstrip(".,;")) for target in dict.fromkeys(links[:MOST_LINKS])]
    return HtmlFacts(title=title, text=text, main=text, mentions=mentions)


def _annotated(raw: Any, document: Any, page: Any) -> list[str]:
    """Return the addresses to which the links of a page lead."""
    found: list[str] = []
    place, link = ctypes.c_int(0), raw.FPDF_LINK()
    while len(found) < MOST_LINKS and raw.FPDFLink_Enumerate(page, ctypes.byref(place), ctypes.byref(link)):
        action = raw.FPDFLink_GetAction(link)
        if action and raw.FPDFAction_GetType(action) == raw.PDFACTION_URI:
            length = raw.FPDFAction_GetURIPath(document, action, None, 0)
            buffer = ctypes.create_string_buffer(length)
            raw.FPDFAction_GetURIPath(document, action, buffer, length)
            found.append(buffer.value.decode("utf-8", "replace"))
    return found
