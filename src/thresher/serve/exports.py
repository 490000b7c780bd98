"""Files for other programs: made by a child process into the crawl's own folder, one at a time."""

import time
from pathlib import Path
from shlex import quote

from thresher.export.formats import FORMATS
from thresher.export.wording import moment
from thresher.serve.answers import ExportFormat, ExportItem, Exports
from thresher.serve.asks import ExportFile, NewExport, OfCrawl
from thresher.serve.desk import Desk
from thresher.serve.problems import bad_request, not_found
from thresher.serve.workshop import Workshop

OFFERED = {
    form.name: ExportFormat(form.name, form.suffixes[0], form.use)
    for form in FORMATS.values()
    if form.suffixes
}
"""What a browser can take along: every format that is one file."""


def list_exports(desk: Desk, ask: OfCrawl) -> Exports:
    """Return the files of a crawl, and what can be made."""
    folder = desk.crawl(ask.id).folder
    desk.workshop.look()
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


def make_export(desk: Desk, ask: NewExport) -> ExportItem:
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


def export_file(desk: Desk, ask: ExportFile) -> Path:
    """Return a file that was made."""
    file = desk.crawl(ask.id).folder.path / "exports" / ask.name
    if file in desk.workshop.making or not file.is_file() or file.is_symlink():
        raise not_found(f"There is no file {ask.name} here.", "Make it first, or wait until it is ready.")
    return file


def _item(workshop: Workshop, file: Path) -> ExportItem:
    kind = max(
        (form for form in OFFERED.values() if file.name.endswith(form.ending)), key=_ending, default=None
    )
    name = kind.name if kind else "index"
    if file in workshop.making or file in workshop.failed:
        state = "making" if file in workshop.making else "failed"
        return ExportItem(file.name, name, 0, moment(time.time()), state, workshop.failed.get(file, ""))
    status = file.stat()
    return ExportItem(file.name, name, status.st_size, moment(status.st_mtime), "ready", "")


def _ending(form: ExportFormat) -> int:
    """Return how much of a file's name a format explains: .edges.csv is more than .csv."""
    return len(form.ending)
