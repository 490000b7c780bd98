"""The door of document readers: what somebody brings who can read a kind of document that we cannot."""

from typing import Protocol

from msgspec import Struct

from thresher.parse.html import Mention, Reading
from thresher.parse.render import LONGEST
from thresher.parse.tree import fold, tidy

MOST_LINKS = 1_000
TITLE = 1_000  # characters


class Document(Struct, frozen=True):
    """What a reader found in a document."""

    title: str = ""
    text: str = ""
    links: tuple[tuple[str, str], ...] = ()  # an address, absolute or not, and the words of the link
    language: str = ""  # if the document says so


class DocumentReader(Protocol):
    """Reads one kind of document; what it raises becomes the reason why the page was not read."""

    def takes(self, content_type: str, start: bytes) -> bool:
        """Tell by the declared type and the first bytes whether the document is of this kind."""

    def read(self, body: bytes) -> Document:
        """Return what the document says."""


def reading_of(document: Document) -> Reading:
    """Return what a reader found as our own readers tell it, within their limits."""
    text = tidy(document.text[:LONGEST])
    links = document.links[:MOST_LINKS]
    mentions = [Mention(address, anchor=fold(words)[:TITLE]) for address, words in links]
    title = fold(document.title)[:TITLE]
    return Reading(title=title, text=text, main=text, language=document.language, mentions=mentions)
