"""Every export format: a new one is a file beside this one, and a row here."""

from pathlib import Path

from thresher.core.errors import UsageError
from thresher.export.csv import Csv
from thresher.export.dataset import DatasetFolder
from thresher.export.feed import Atom, JsonFeed
from thresher.export.format import Format
from thresher.export.graph import EdgeList, GraphMl
from thresher.export.jsonl import JsonLines
from thresher.export.markdown import MarkdownFolder
from thresher.export.parquet import Parquet
from thresher.export.sqlite import Sqlite
from thresher.export.wacz import Wacz
from thresher.export.warc import Warc

FORMATS: dict[str, Format] = {
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


def format_by_suffix(target: Path) -> Format:
    """Return the format that a file's name asks for: of two endings that fit, the longer one."""
    endings = [(suffix, each) for each in FORMATS.values() for suffix in each.suffixes]
    fitting = [(len(suffix), each.name) for suffix, each in endings if target.name.lower().endswith(suffix)]
    if not fitting:
        known = ", ".join(sorted(suffix for suffix, _ in endings))
        folders = " and ".join(each.name for each in FORMATS.values() if not each.suffixes)
        raise UsageError(
            f"No format for {target.name!r}. Known endings: {known}; -f {folders} make a folder."
        )
    return FORMATS[max(fitting)[1]]
