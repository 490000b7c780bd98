"""The link graph of the chosen pages: GraphML for programs that draw it, and a plain list of edges."""

import csv
import re
from array import array
from collections.abc import Iterator
from functools import lru_cache
from io import TextIOWrapper
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from msgspec import Struct
from typing_extensions import override

from thresher.core.records import Url
from thresher.core.url import key_of
from thresher.export.items import Pages, StreamFormat
from thresher.export.text import cell
from thresher.store.read import CrawlReader

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="title" for="node" attr.name="title" attr.type="string"/>
<key id="host" for="node" attr.name="host" attr.type="string"/>
<key id="language" for="node" attr.name="language" attr.type="string"/>
<key id="relevance" for="node" attr.name="relevance" attr.type="double"/>
<key id="depth" for="node" attr.name="depth" attr.type="int"/>
<key id="anchor" for="edge" attr.name="anchor" attr.type="string"/>
<key id="rel" for="edge" attr.name="rel" attr.type="string"/>
<graph id="links" edgedefault="directed">
"""
FOOT = "</graph>\n</graphml>\n"
CACHED = 100_000  # addresses of pages that many link to
REDIRECTS = 10  # followed at most


class GraphMl(StreamFormat):
    """A node a page, an edge a link from one of them to another."""

    name = "graphml"
    suffixes = (".graphml",)
    use = "GraphML: pages and the links between them, for Gephi and networkx."

    @override
    def write(self, pages: Pages, file: BinaryIO) -> int:
        file.write(HEAD.encode())
        keys = array("q")
        for item in pages.items():
            keys.append(key_of(item.url))
            facts = {
                name: getattr(item, name) for name in ("title", "host", "language", "relevance", "depth")
            }
            file.write(f"<node id={_quoted(item.url)}>{_data(facts)}</node>\n".encode())
        for edge in edges(pages, keys):
            ends = f"source={_quoted(edge.source)} target={_quoted(edge.target)}"
            file.write(f"<edge {ends}>{_data({'anchor': edge.anchor, 'rel': edge.rel})}</edge>\n".encode())
        file.write(FOOT.encode())
        return len(keys)


class EdgeList(StreamFormat):
    """A line a link: source, target, its words and its rel."""

    name = "edges"
    suffixes = (".edges.csv",)
    use = "Edges: one link a line, with its words."
    noun = "link"

    @override
    def write(self, pages: Pages, file: BinaryIO) -> int:
        text = TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
        writer, count = csv.writer(text), 0
        writer.writerow(Edge.__struct_fields__)
        keys = array("q", (key_of(visit.page.url) for visit in pages.visits() if visit.page))
        for edge in edges(pages, keys):
            writer.writerow([cell(value) for value in (edge.source, edge.target, edge.anchor, edge.rel)])
            count += 1
        text.flush()
        text.detach()
        return count


class Edge(Struct, frozen=True):
    """A link between two of the chosen pages, wherever redirects led in between."""

    source: Url
    target: Url
    anchor: str
    rel: str


def edges(pages: Pages, keys: "array[int]") -> Iterator[Edge]:
    """Yield the links between the pages that have those keys, page by page, each target once a page."""
    nodes = Nodes(pages.store, keys)
    for visit in pages.visits():
        seen = set[Url]()
        for link in visit.page.links if visit.page else ():
            target = nodes.led_to(link.target)
            if target and target not in seen and visit.page:
                seen.add(target)
                yield Edge(visit.page.url, target, link.anchor, link.rel)


class Nodes:
    """The pages of a graph: their keys in memory, their addresses in the crawl."""

    def __init__(self, store: CrawlReader, keys: "array[int]") -> None:
        """Sort the keys, and read where redirects led."""
        self._store, self._keys = store, np.unique(np.array(keys, np.int64))
        self._moved = {key_of(source): target for source, target in store.redirects()}
        self._address = lru_cache(CACHED)(store.url_of)

    def led_to(self, url: Url) -> Url | None:
        """Return the page to which a link leads, at most ten redirects on."""
        key = key_of(url)
        for _ in range(REDIRECTS):
            if key not in self._moved or key in self:
                break
            key = key_of(self._moved[key])
        return self._address(key) if key in self else None

    def __contains__(self, key: int) -> bool:
        place = int(self._keys.searchsorted(key))
        return place < len(self._keys) and int(self._keys[place]) == key


_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2


def clean(text: str) -> str:
    """Return a text without what XML 1.0 cannot hold."""
    return _NO_XML.sub("", text)


def _quoted(text: str) -> str:
    return quoteattr(clean(text))


def _data(facts: dict[str, object]) -> str:
    return "".join(f'<data key="{name}">{escape(clean(str(value)))}</data>' for name, value in facts.items())
