"""Files of a crawl: archived copies to look at, and exports."""

import re
import time
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from shlex import quote

from typing_extensions import override

from thresher.core.compression import ARCHIVED_RATIO, Body
from thresher.core.errors import FetchError
from thresher.export.formats import FORMATS
from thresher.export.wording import moment
from thresher.parse.charset import decode as decode_text
from thresher.serve.pages import CopyKey
from thresher.serve.requests import Copy, ExportFile, NewExport, OfCrawl, bad_request, not_found
from thresher.serve.responses import ExportFormatItem, ExportItem, Exports
from thresher.serve.state import CrawlRegistry, ExportJobs
from thresher.store.folder import CrawlFolder
from thresher.warc.reader import read_at, rendered_at
from thresher.warc.record import ArchivedMessage, parse_message
from thresher.warc.verify import is_whole

# Archived copies to look at: cleaned by rules here, and shown in a sandbox that runs and loads nothing.


LARGEST = 4 << 20  # bytes of a copy that are shown

DROPPED = frozenset(
    "script style iframe frame frameset object embed applet form input button select textarea option"
    " base meta link noscript template svg math audio video source track canvas dialog portal".split()
)
SWALLOWED = frozenset(
    "script style iframe object embed applet noscript template svg math select textarea".split()
)
KEPT = frozenset("colspan rowspan lang dir title alt width height datetime start type".split())
VOID = frozenset("br hr img wbr col area".split())


def copy_key(desk: CrawlRegistry, ask: Copy) -> CopyKey:
    """Return where a copy can be seen for five minutes."""
    found = desk.crawl(ask.id)
    kind, body = archived(found.folder, ask.visit)
    key = desk.signer.copy_key(ask.id, ask.visit)
    return CopyKey(f"/copy/{ask.id}/{ask.visit}?key={key}", len(body), kind)


def shown_copy(folder: CrawlFolder, visit: int, is_cleaned: bool = True) -> tuple[str, str]:
    """Return the type and the text of a copy as it may be shown: HTML cleaned, everything else as text."""
    kind, body = archived(folder, visit)
    text, _ = decode_text(body[:LARGEST], kind.partition("charset=")[2])
    if "html" in kind:
        return "text/html", cleaned(text) if is_cleaned else text
    is_text = kind.startswith("text/") or "json" in kind or "xml" in kind
    return "text/plain", text if is_text else _binary(kind, body)


def archived(folder: CrawlFolder, visit: int) -> tuple[str, bytes]:
    """Return the type and the body that a visit brought, out of the archive."""
    with folder.open() as store:
        place = store.archived(visit)
    if place is None or folder.volume.size(place.file) is None:
        raise not_found(
            "The archive has no response of this visit.", "The text of the page is kept all the same."
        )
    with folder.volume.open(place.file) as opened:
        read = rendered_at if place.is_rendered else read_at
        record = read(opened, place.file, place.offset)
    if record is None or not is_whole(record):
        raise not_found("The archive is damaged at this place.", "The text of the page is kept all the same.")
    if place.is_rendered:
        return "text/html; charset=utf-8", record.block
    message = parse_message(record.block)
    return _opened(message) if message else ("text/plain", record.block)


def _opened(message: ArchivedMessage) -> tuple[str, bytes]:
    """Return the type and the unpacked body of a response; of one that is too large, what fits."""
    body = Body(message.header("content-encoding"), LARGEST, ARCHIVED_RATIO)
    try:
        body.feed(message.body)
        body.unpack()
    except FetchError:
        return "text/plain", b"The archived body cannot be unpacked."
    return message.header("content-type").lower() or "text/plain", bytes(body.data) or message.body


def _binary(kind: str, body: bytes) -> str:
    return f"{len(body)} bytes of {kind or 'an unknown type'}, which is not shown here."


def cleaned(markup: str) -> str:
    """Return a page without anything that acts, loads or leads away; addresses of links stand as text."""
    cleaner = _Cleaner()
    cleaner.feed(markup)
    cleaner.close()
    return f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style>{''.join(cleaner.out)}"


_STYLE = (
    "body{font:16px/1.6 Georgia,'Noto Serif CJK SC',serif;max-width:46rem;margin:1rem auto;padding:0 1rem;"
    "overflow-wrap:anywhere;color:#1c2123;background:#fff}table{border-collapse:collapse}"
    "td,th{border:1px solid #ddd;padding:.2em .5em}.to{color:#5b6468;font-size:.8em}"
)


_PICTURE = re.compile("data:image/(png|jpeg|gif|webp)[;,]", re.IGNORECASE)


class _Cleaner(HTMLParser):
    """Writes again what it reads, and only what it knows to be harmless."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self._swallowing = ""
        self._links: list[str] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._swallowing or not tag.isalnum():
            return
        if tag in DROPPED:
            self._swallowing = tag if tag in SWALLOWED else ""
            return
        if tag == "a":
            self._links.append(dict(attrs).get("href") or "")
            self.out.append("<u>")
            return
        kept = "".join(
            f' {name}="{escape(value or "")}"' for name, value in attrs if _keeps(name, value, tag)
        )
        self.out.append(f"<{tag}{kept}>")

    @override
    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    @override
    def handle_endtag(self, tag: str) -> None:
        if self._swallowing:
            self._swallowing = "" if tag == self._swallowing else self._swallowing
        elif tag == "a":
            target = self._links.pop() if self._links else ""
            self.out.append(f'</u><span class="to"> [{escape(target[:200])}]</span>' if target else "</u>")
        elif tag not in DROPPED and tag not in VOID and tag.isalnum():
            self.out.append(f"</{tag}>")

    @override
    def handle_data(self, data: str) -> None:
        if not self._swallowing:
            self.out.append(escape(data))


def _keeps(name: str, value: str | None, tag: str) -> bool:
    """Tell whether an attribute is harmless; of pictures only those in the page itself are shown."""
    if tag == "img" and name == "src":
        return bool(_PICTURE.match(value or ""))
    return name in KEPT


# Files for other programs: made by a child process into the crawl's own folder, one at a time.


OFFERED = {
    form.name: ExportFormatItem(form.name, (*form.suffixes, f".{form.name}.zip")[0], form.use)
    for form in FORMATS.values()
}
"""What a browser can take along: every format; one of many files as a zip."""


def list_exports(desk: CrawlRegistry, ask: OfCrawl) -> Exports:
    """Return the files of a crawl, and what can be made."""
    folder = desk.crawl(ask.id).folder
    place = folder.path / "exports"
    named = {*desk.workshop.making, *desk.workshop.failed}
    files = {file for file in named if file.parent == place}
    if place.is_dir():
        files |= {file for file in place.iterdir() if file.is_file() and not file.name.startswith(".")}
    items = sorted(
        (_item(desk.workshop, file) for file in files), key=lambda item: item.made_at, reverse=True
    )
    command = f"thresher export {quote(str(folder.path))} --relevant -o {quote(folder.path.name)}.jsonl"
    return Exports(items, list(OFFERED.values()), command)


def make_export(desk: CrawlRegistry, ask: NewExport) -> ExportItem:
    """Make a file of a crawl's pages."""
    folder = desk.crawl(ask.id).folder
    form = OFFERED.get(ask.format)
    if form is None:
        raise bad_request(f"No format {ask.format!r} is known.", f"Choose one of {', '.join(OFFERED)}.")
    place = folder.path / "exports"
    place.mkdir(exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    file = place / f"{ask.id}-{'relevant' if ask.relevant else 'all'}-{stamp}{form.ending}"
    relevant = ["--relevant"] if ask.relevant else []
    desk.workshop.begin(file, ["export", str(folder.path), "-f", form.name, *relevant, "-o", str(file)])
    return _item(desk.workshop, file)


def export_file(desk: CrawlRegistry, ask: ExportFile) -> Path:
    """Return a file that was made."""
    file = desk.crawl(ask.id).folder.path / "exports" / ask.name
    if file in desk.workshop.making or not file.is_file() or file.is_symlink():
        raise not_found(f"There is no file {ask.name} here.", "Make it first, or wait until it is ready.")
    return file


def _item(workshop: ExportJobs, file: Path) -> ExportItem:
    kind = max(
        (form for form in OFFERED.values() if file.name.endswith(form.ending)), key=_ending, default=None
    )
    name = kind.name if kind else "index"
    if file in workshop.making or file in workshop.failed:
        state = "making" if file in workshop.making else "failed"
        return ExportItem(file.name, name, 0, moment(time.time()), state, workshop.failed.get(file, ""))
    status = file.stat()
    return ExportItem(file.name, name, status.st_size, moment(status.st_mtime), "ready", "")


def _ending(form: ExportFormatItem) -> int:
    """Return how much of a file's name a format explains: .edges.csv is more than .csv."""
    return len(form.ending)
