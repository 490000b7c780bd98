"""Feeds as pages: the titles and summaries are the text, the entries the links."""

import turbohtml

from thresher.parse.html import Mention, Reading, read
from thresher.parse.rendering import ANCHOR, LONGEST
from thresher.parse.tidy import fold

ENTRIES = 2_000


def read_feed(markup: str) -> Reading:
    """Return what a feed announces; other XML gives an empty reading."""
    feed = turbohtml.parse(
        markup, positions=False
    ).feed()  # the HTML parser: it expands no entities of a document
    if feed is None:
        return Reading()
    title, entries = fold(feed.title or "")[:ANCHOR], feed.entries[:ENTRIES]
    mentions = [Mention(feed.link, "alternate", title)] if feed.link else []
    blocks = [title, _words(feed.description)]
    for entry in entries:
        heading, summary = fold(entry.title or "")[:ANCHOR], _words(entry.summary or entry.content)
        blocks += [heading, summary]
        if entry.link:
            mentions.append(
                Mention(entry.link, "entry", heading, f"{heading} {summary}"[: 2 * ANCHOR].strip())
            )
    text = "\n".join(filter(None, blocks))[:LONGEST]
    return Reading(title=title, text=text, main=text, mentions=mentions)


def _words(markup: str | bytes | None) -> str:
    if not isinstance(markup, str):
        return ""
    return fold(read(markup).text) if "<" in markup else fold(markup)
