"""A web of a dozen pages as a corpus folder, small enough to work out by hand.

hub -> a, old-b (a redirect to b), far, gone (not recorded), list     a -> c    b -> d    far -> e
relevant: a, b, c, d, e      hidden in hard mode: list -> e
"""

import json
from pathlib import Path

from thresher.warc.capture import HttpExchange
from thresher.warc.files import LocalVolume
from thresher.warc.writer import WarcWriter
from thresher_lab.corpus import Corpus

SITE = "http://bees.test/"
LINKS = {
    "hub": ("far", "old-b", "gone", "a", "list"),
    "far": ("e",),
    "a": ("c", "hub"),
    "b": ("d",),
    "c": (),
    "d": (),
    "e": (),
    "list": ("e", "d"),
}
RELEVANT = ("a", "b", "c", "d", "e")


def make_corpus(folder: Path) -> Corpus:
    """Write the folder and open it."""
    writer = WarcWriter(LocalVolume(folder), now=lambda: 0.0)
    for name, links in LINKS.items():
        words = "bees and honey" if name in RELEVANT else "nothing of the kind"
        anchors = "".join(f'<p>to <a href="/{link}">{link}</a></p>' for link in links)
        body = f"<html><title>{name}</title><body><p>{words}</p>{anchors}</body></html>".encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        writer.write(HttpExchange(f"{SITE}{name}", 1.0, head, body))
    writer.write(HttpExchange(f"{SITE}old-b", 1.0, b"HTTP/1.1 301 Moved\r\nLocation: /b\r\n\r\n"))
    writer.close()
    topic = {
        "id": "bees",
        "path": "Country/Bees",
        "keywords": ["honey"],
        "description": "Keeping bees.",
        "seeds": {"hub": f"{SITE}hub", "ordinary": f"{SITE}a", "offtopic": f"{SITE}far", "clicks": 2},
    }
    (folder / "topics.jsonl").write_text(json.dumps(topic) + "\n")
    (folder / "relevant").mkdir()
    (folder / "relevant" / "bees.txt").write_text("".join(f"{SITE}{name}\n" for name in RELEVANT))
    (folder / "labels.tsv").write_text("".join(f"{SITE}{name}\tbees\n" for name in RELEVANT))
    (folder / "hard_exclude.txt").write_text(f"{SITE}list\n")
    return Corpus(folder)
