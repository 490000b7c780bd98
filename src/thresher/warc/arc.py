"""ARC, the format before WARC: one line of header a record, read as if it were a WARC response.

URL address date type length                                                      version 1
URL address date type status checksum location offset file length                 version 2
"""

from thresher.core.records import Headers
from thresher.warc.record import HTTP_RESPONSE

_FILE_HEADER = "filedesc://"


def parse_line(line: bytes, version: int) -> tuple[str, Headers, int | None]:
    """Return the kind, the headers in WARC's words and the length that an ARC header line tells."""
    text = line.decode("utf-8", "replace").strip()
    words = text.rsplit(" ", 9 if version == 2 and text.count(" ") >= 9 else 4)
    url, address, date, mime = (words + [""] * 4)[:4]
    length = int(words[-1]) if words[-1].isascii() and words[-1].isdigit() else None
    if url.startswith(_FILE_HEADER):
        return "warcinfo", (("warc-filename", url.removeprefix(_FILE_HEADER)), ("warc-date", date)), length
    headers = (
        ("warc-target-uri", url),
        ("warc-ip-address", address),
        ("warc-date", date),
        ("warc-identified-payload-type", mime),
        ("content-type", HTTP_RESPONSE if url.lower().startswith("http") else mime),
    )
    return "response", headers, length


def version_of(block: bytes) -> int:
    """Return the ARC version that the block of a file header declares."""
    return 2 if block.startswith(b"2 ") else 1
