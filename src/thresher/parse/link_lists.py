"""Lists of links that people keep: bookmarks, OPML, lists in Markdown, any page that links, plain URLs."""

import re
from collections.abc import Iterator, Mapping
from xml.parsers.expat import ExpatError

from thresher.core.errors import DocumentBroken, InvalidUrl
from thresher.core.records import Candidate, Fetched, Link, Url
from thresher.core.url import parse as parse_url
from thresher.parse.document import parse
from thresher.parse.office import Listener
from thresher.parse.simple_formats import ADDRESS, without_stop

MOST = 20_000  # links of one list
LONGEST = 300  # letters of what stands beside a link

_ADDRESS = r"https?://(?:[^\s()<>]|\([^\s()<>]{0,200}\)){1,2000}+"
_MARKDOWN = re.compile(
    rf"\[([^\[\]\n]{{1,300}})\]\(\s{{0,9}}<?({_ADDRESS})>?[^()\n]{{0,200}}+\)([^\n]{{0,300}})"
)


def links_of_list(fetched: Fetched) -> list[Link]:
    """Return the links of a list in the order it has them, each once, with the words beside it."""
    found: dict[Url, Link] = {}
    for link in _links(fetched):
        found.setdefault(link.target, link)
        if len(found) == MOST:
            break
    return list(found.values())


def _links(fetched: Fetched) -> Iterator[Link]:
    start = fetched.body[:4000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(b"<") and b"<opml" in start:
        yield from _of_opml(fetched)
    elif start.startswith(b"<") or b"html" in fetched.header("content-type").encode():
        yield from parse(fetched, context=True).links
    else:
        yield from _of_text(fetched)


def _of_text(fetched: Fetched) -> Iterator[Link]:
    """Yield the links of Markdown, or where there are none, every URL that stands there."""
    text = fetched.body.decode("utf-8", "replace")
    rows = [(url, words, beside) for words, url, beside in _MARKDOWN.findall(text)]
    for url, words, beside in rows or ((url, "", "") for url in map(without_stop, ADDRESS.findall(text))):
        yield from _link(fetched.url, url, words, beside.strip(" -–—:*"))


def _link(source: Url, target: str, words: str, beside: str = "") -> Iterator[Link]:
    try:
        yield Link(source, parse_url(target.strip()), words[:LONGEST], beside[:LONGEST])
    except InvalidUrl:
        return


class _Outlines(Listener):
    """The outlines of an OPML file: what a feed is called, what it says of itself, where its pages are."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        address = next((attributes[key] for key in ("htmlUrl", "url", "xmlUrl") if attributes.get(key)), "")
        if name == "outline" and address:
            words = attributes.get("title") or attributes.get("text") or ""
            self.rows.append((address, words, attributes.get("description", "")))


def _of_opml(fetched: Fetched) -> Iterator[Link]:
    try:
        outlines = _Outlines().fed(fetched.body)
    except ExpatError as error:
        raise DocumentBroken(f"{fetched.url} is no OPML that can be read: {error}.") from None
    for address, words, beside in outlines.rows:
        yield from _link(fetched.url, address, words, beside)


def as_fetched(url: Url, body: bytes, content_type: str = "") -> Fetched:
    """Return bytes that are at hand as if a server had sent them."""
    headers = (("content-type", content_type),) if content_type else ()
    return Fetched(Candidate(url), url, 200, headers, body)
