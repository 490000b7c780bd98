"""Feeds as pages: the titles and summaries are the text, the entries the links."""

from thresher.parse.html import Mention, Reading, read
from thresher.parse.render import ANCHOR, LONGEST
from thresher.parse.tree import fold, tidy, tree_of

ENTRIES = 2_000  # read of a feed, the first ones: they are the newest


def read_feed(markup: str) -> Reading:
    """Return what a feed announces; other XML gives an empty reading."""
    feed = tree_of(markup).feed()  # a tree of HTML: no entity of an XML document is ever expanded
    if feed is None:
        return Reading()
    title = _words(feed.title)[:ANCHOR]
    mentions = [Mention(feed.link, "alternate", title)] if feed.link else []
    blocks = [title, _words(feed.description)]
    for entry in feed.entries[:ENTRIES]:
        heading, summary = _words(entry.title)[:ANCHOR], _words(entry.summary or entry.content)
        blocks += [heading, summary]
        if entry.link:
            mentions.append(Mention(entry.link, "entry", heading, f"{heading} {summary[:ANCHOR]}".strip()))
    text = "\n".join(filter(None, blocks))[:LONGEST]
    return Reading(title=title, text=text, main=text, mentions=mentions)


def _words(markup: str | bytes | None) -> str:
    if not isinstance(markup, str):
        return ""
    return fold(read(markup).text if "<" in markup else tidy(markup))
