"""Plain text and Markdown as pages: their first heading or line is the title, and addresses are links."""

import re

from thresher.parse.html import Mention, Reading
from thresher.parse.render import ANCHOR, LONGEST
from thresher.parse.tree import tidy

TITLE = 120  # letters of a first line that may be a title
ADDRESS = re.compile(r"https?://[^\s<>\"'`)\]]{1,2000}")

_LINK = re.compile(r"(?<!!)\[([^\[\]\n]{1,300})\]\(\s{0,9}<?([^\s()<>]{1,2000})>?[^()\n]{0,200}\)")
_HEADING = re.compile(r"^#{1,6} +(.*?)[ #]*$", re.MULTILINE)


def read_plain(markup: str) -> Reading:
    """Return what a text says, without the marks of Markdown, and where it leads."""
    written = tidy(markup[:LONGEST])
    mentions = [Mention(target, anchor=words[:ANCHOR]) for words, target in _LINK.findall(written)]
    rest = _LINK.sub(r"\1", written)
    mentions += [Mention(without_stop(address)) for address in ADDRESS.findall(rest)]
    heading = _HEADING.search(rest)
    text = _HEADING.sub(r"\1", rest)
    return Reading(title=heading[1] if heading else _title(text), text=text, main=text, mentions=mentions)


def without_stop(address: str) -> str:
    """Return an address without what ends the sentence it stands in."""
    return address.rstrip(".,;:!?")


def _title(text: str) -> str:
    first, _, more = text.partition("\n")
    return first if more and len(first) <= TITLE and not ADDRESS.match(first) else ""
