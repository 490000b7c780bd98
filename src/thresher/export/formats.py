"""Every export format: a new one of ours is a file beside this one, and a row here."""

from collections.abc import Mapping
from pathlib import Path

from thresher.build.plugins import installed, load_class
from thresher.core.errors import SettingsError, UsageError, suggestion
from thresher.export.archives import Wacz, Warc
from thresher.export.feed import Atom, JsonFeed
from thresher.export.graph import EdgeList, GraphMl
from thresher.export.items import ExportFormat
from thresher.export.tables import DatasetFolder, Parquet, Sqlite
from thresher.export.text import Csv, JsonLines, MarkdownFolder

FORMATS: dict[str, ExportFormat] = {
    each.name: each
    for each in (
        JsonLines(),
        Csv(),
        Parquet(),
        MarkdownFolder(),
        Warc(),
        Wacz(),
        Sqlite(),
        Atom(),
        JsonFeed(),
        GraphMl(),
        EdgeList(),
        DatasetFolder(),
    )
}


def format_named(name: str) -> ExportFormat:
    """Return a format by its name: ours, an installed package's, or `package.module:Class`."""
    if name in FORMATS:
        return FORMATS[name]
    try:
        return load_class(ExportFormat, name)()
    except SettingsError as error:
        known = [*FORMATS, *installed(ExportFormat)]
        raise UsageError(
            str(error) if ":" in name or name in known else f"No format {name!r}. {suggestion(name, known)}"
        ) from None


def format_by_suffix(target: Path) -> ExportFormat:
    """Return the format that a file's name asks for: of two endings that fit, the longer one.

    Ours are asked first, then those of installed packages.
    """
    if form := _fitting(target, FORMATS):
        return form
    if form := _fitting(target, others := {name: format_named(name) for name in installed(ExportFormat)}):
        return form
    every = [*FORMATS.values(), *others.values()]
    known = ", ".join(sorted(suffix for each in every for suffix in each.suffixes))
    folders = " and ".join(each.name for each in every if not each.suffixes)
    raise UsageError(f"No format for {target.name!r}. Known endings: {known}; -f {folders} make a folder.")


def _fitting(target: Path, forms: Mapping[str, ExportFormat]) -> ExportFormat | None:
    name = target.name.lower()
    fitting = [
        (len(suffix), each)
        for each, form in forms.items()
        for suffix in form.suffixes
        if name.endswith(suffix)
    ]
    return forms[max(fitting)[1]] if fitting else None
