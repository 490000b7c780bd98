"""thresher crawl tea --seed URL --set 'web.readers=["document_reader:Subtitles"]'"""

import re

from thresher import Document, DocumentReader


class Subtitles(DocumentReader):
    """Reads subtitles (.vtt) as the words that are spoken."""

    def takes(self, content_type: str, start: bytes) -> bool:
        return content_type.startswith("text/vtt") or start.startswith(b"WEBVTT")

    def read(self, body: bytes) -> Document:
        lines = body.decode("utf-8", "replace").splitlines()
        spoken = [line for line in lines if line and not re.match(r"\d+$|WEBVTT|.+ --> ", line)]
        return Document(title=spoken[0] if spoken else "", text="\n".join(spoken))
