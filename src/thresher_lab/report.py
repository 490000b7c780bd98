"""The report of an experiment: one HTML file that needs nothing else, and its pictures beside it."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from thresher import __version__
from thresher.core.errors import UsageError
from thresher.report.charts import Chart, draw
from thresher_lab import tables
from thresher_lab.results import ExperimentSettings, RunResult
from thresher_lab.statistics import charts_of
from thresher_lab.summary import Summary

CONVERTERS = {
    "rsvg-convert": ("-z", "2", "-o", "{png}", "{svg}"),
    "inkscape": ("{svg}", "--export-type=png", "--export-filename={png}", "--export-dpi=192"),
    "magick": ("-density", "192", "{svg}", "{png}"),
}


def write_report(
    folder: Path,
    asked: ExperimentSettings,
    results: Sequence[RunResult],
    summary: Summary,
    against: str,
    command: str,
) -> Path:
    """Write tables, summary, pictures and the report into a folder, and return the report's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "runs.tsv").write_text(tables.runs(results), encoding="utf-8")
    (folder / "table.md").write_text(tables.document(summary, against), encoding="utf-8")
    (folder / "summary.json").write_bytes(msgspec.json.format(msgspec.json.encode(summary), indent=1))
    plots = {
        block.name: charts_of(block.name, _of_block(results, summary, block.name)) for block in summary.blocks
    }
    for plot in (each for drawn in plots.values() for each in drawn):
        (folder / f"{file_name(plot.title)}.svg").write_text(_coloured(draw(plot)), encoding="utf-8")
    report = folder / "report.html"
    report.write_text(_page(asked, results, summary, against, command, plots), encoding="utf-8")
    return report


def write_pngs(folder: Path) -> int:
    """Turn the pictures into PNG with whatever the machine has for it, and return how many."""
    found = next((name for name in CONVERTERS if shutil.which(name)), "")
    if not found:
        raise UsageError(f"For --png one of these programs is needed: {', '.join(CONVERTERS)}.")
    pictures = sorted(folder.glob("*.svg"))
    for svg in pictures:
        names = {"svg": str(svg), "png": str(svg.with_suffix(".png"))}
        subprocess.run([found, *(part.format(**names) for part in CONVERTERS[found])], check=True)
    return len(pictures)


def file_name(title: str) -> str:
    """Return the name of the file of a picture."""
    return "-".join(re.findall(r"\w+", title.lower()))


def _of_block(results: Sequence[RunResult], summary: Summary, name: str) -> list[RunResult]:
    out = {(each.corpus, each.mode, each.topic, each.seeds) for each in summary.dropped}
    kept = [each for each in results if each.task not in out]
    kept = [each for each in kept if each.luck] or kept
    return [each for each in kept if name in ("all", f"{each.corpus} {each.mode}")]


def _coloured(svg: str) -> str:
    """Give a picture that stands alone a ground to stand on."""
    return svg.replace(' fill="currentColor">', ' fill="currentColor" style="background:#fff;color:#222">', 1)


def _page(
    asked: ExperimentSettings,
    results: Sequence[RunResult],
    summary: Summary,
    against: str,
    command: str,
    plots: dict[str, tuple[Chart, ...]],
) -> str:
    loader = PackageLoader("thresher_lab", "templates")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    corpora = dict.fromkeys(each.corpus for each in results)
    return environment.get_template("report.html").render(
        title=f"Strategies compared on {', '.join(corpora)}",
        runs=len(results),
        strategies=list(dict.fromkeys(each.strategy for each in results)),
        asked=asked,
        asking=any(row.asks for block in summary.blocks for row in block.rows),
        means=tables.means(summary.blocks),
        differences=tables.differences(summary, against),
        blocks=[
            {
                "name": block.name,
                "plots": [draw(plot) for plot in plots[block.name]],
                "grid": tables.details(block),
            }
            for block in summary.blocks
        ],
        kept=tables.politeness(summary),
        dropped=tables.dropped(summary),
        costs=tables.costs(results),
        version=__version__,
        date=datetime.now(UTC).date().isoformat(),
        command=command,
    )
