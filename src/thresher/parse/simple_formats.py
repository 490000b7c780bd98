"""Plain text, Markdown and feeds as pages."""

import re

from thresher.parse.anchors import ANCHOR, LONGEST, Mention
from thresher.parse.html import HtmlFacts, read
from thresher.parse.tree import fold, tidy, tree_of

# Plain text and Markdown: the first heading or line is the title, and addresses are links


TITLE = 120  # letters of a first line that may be a title
ADDRESS = re.compile(r"https?://[^\s<>\"'`)\]]{1,2000}")

_LINK = re.compile(r"(?<!!)\[([^\[\]\n]{1,300})\]\(\s{0,9}<?([^\s()<>]{1,2000})>?[^()\n]{0,200}\)")
_HEADING = re.compile(r"^#{1,6} +(.*?)[ #]*$", re.MULTILINE)


def read_plain(markup: str) -> HtmlFacts:
    """Return what a text says, without the marks of Markdown, and where it leads."""
    written = tidy(markup[:LONGEST])
    mentions = [Mention(target, anchor=words[:ANCHOR]) for words, target in _LINK.findall(written)]
    rest = _LINK.sub(r"\1", written)
    mentions += [Mention(without_stop(address)) for address in ADDRESS.findall(rest)]
    heading = _HEADING.search(rest)
    text = _HEADING.sub(r"\1", rest)
    return HtmlFacts(title=heading[1] if heading else _title(text), text=text, main=text, mentions=mentions)


def without_stop(address: str) -> str:
    """Return an address without what ends the sentence it stands in."""
    return address.rstrip(".,;:!?")


def _title(text: str) -> str:
    first, _, more = text.partition("\n")
    return first if more and len(first) <= TITLE and not ADDRESS.match(first) else ""


# Feeds: titles and summaries are the text, the entries the links


ENTRIES = 2_000  # read of a feed, the first ones: they are the newest


def read_feed(markup: str) -> HtmlFacts:
    """Return what a feed announces; other XML gives an empty reading."""
    feed = tree_of(markup).feed()  # a tree of HTML: no entity of an XML document is ever expanded
    if feed is None:
        return HtmlFacts()
    title = _words(feed.title)[:ANCHOR]
    mentions = [Mention(feed.link, "alternate", title)] if feed.link else []
    blocks = [title, _words(feed.description)]
    for entry in feed.entries[:ENTRIES]:
        heading, summary = _words(entry.title)[:ANCHOR], _words(entry.summary or entry.content)
        blocks += [heading, summary]
        if entry.link:
            mentions.append(Mention(entry.link, "entry", heading, f"{heading} {summary[:ANCHOR]}".strip()))
    text = "\n".join(filter(None, blocks))[:LONGEST]
    return HtmlFacts(title=title, text=text, main=text, mentions=mentions)


def _words(markup: str | bytes | None) -> str:
    if not isinstance(markup, str):
        return ""
    return fold(read(markup).text if "<" in markup else tidy(markup))
