"""A document reader of one's own: subtitles (.srt, .vtt), read as the words that are spoken.

    thresher crawl tea --seed URL --set 'web.readers=["own_reader:Subtitles"]'

Run it from this folder, so that Python finds the module.
"""

import re

from thresher import Document, DocumentReader

TIMES = re.compile(r"^(?:\d+|WEBVTT.*|[\d:.,]+ --> .*)$")


class Subtitles(DocumentReader):
    """Takes what is declared as subtitles, or begins like them."""

    def takes(self, content_type: str, start: bytes) -> bool:
        """Tell by the declared type and the first bytes whether these are subtitles."""
        return content_type.startswith(("text/vtt", "application/x-subrip")) or start.startswith(b"WEBVTT")

    def read(self, body: bytes) -> Document:
        """Return the lines that are spoken; the first of them is the title."""
        lines = [line.strip() for line in body.decode("utf-8", "replace").splitlines()]
        spoken = [line for line in lines if line and not TIMES.match(line)]
        return Document(title=spoken[0] if spoken else "", text="\n".join(spoken))
