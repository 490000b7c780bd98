"""The report of a crawl, or of several side by side: one HTML page that needs nothing else."""

import os
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from thresher.export import wording
from thresher.export.drawing import STYLE, Chart, Line, Place, document, draw
from thresher.export.figures import Figures, figures_of
from thresher.settings.names import described
from thresher.store.folder import CrawlFolder

HOSTS = 20  # rows of the host table; the rest is summed up
SMOOTH = 20  # pages before the harvest rate means anything


def write_report(folders: Sequence[CrawlFolder], file: Path | None = None, remark: str = "") -> Path:
    """Write the report of the crawls, into the first one's folder unless a file is named."""
    file = file or folders[0].report
    write_whole(file, page_of([figures_of(folder) for folder in folders], remark))
    return file


def page_of(runs: Sequence[Figures], remark: str = "") -> str:
    """Return the report as HTML."""
    environment = Environment(
        loader=PackageLoader("thresher.export", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(say=wording, hosts_shown=HOSTS)
    return environment.get_template("report.html").render(
        runs=runs,
        first=runs[0],
        names=names_of(runs),
        charts=[draw(chart) for chart in charts_of(runs)],
        chart_style=STYLE,
        threshold_reason=_reason("judge.threshold"),
        remark=remark,
    )


def picture_of(runs: Sequence[Figures]) -> str:
    """Return the harvest curves as an SVG file of their own, for a paper or a README."""
    return document(charts_of(runs))


def charts_of(runs: Sequence[Figures]) -> list[Chart]:
    """Return the two curves of every run: relevant pages, and the harvest rate, against pages fetched."""
    names = names_of(runs)
    found = tuple(Line(name, _found(run)) for name, run in zip(names, runs, strict=True))
    rates = tuple(Line(name, _rates(run)) for name, run in zip(names, runs, strict=True))
    return [
        Chart("Relevant pages found", "pages fetched", found),
        Chart("Harvest rate so far", "pages fetched", rates, lambda value: f"{100 * value:g} %"),
    ]


def names_of(runs: Sequence[Figures]) -> list[str]:
    """Return what each run is called: its strategy, or its folder where strategies repeat."""
    strategies = [run.strategy for run in runs]
    if len(set(strategies)) == len(strategies):
        return strategies
    return [Path(run.folder).name for run in runs]


def write_whole(file: Path, text: str) -> None:
    """Write a file so that a reader sees the old one or the new one, never half of it."""
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


def _found(run: Figures) -> tuple[Place, ...]:
    return tuple((float(point.pages), float(point.relevant)) for point in run.curve)


def _rates(run: Figures) -> tuple[Place, ...]:
    """Return the rate from the page on where it means something; a short crawl shows all it has."""
    begin = min(SMOOTH, run.pages)
    return tuple(
        (float(point.pages), point.relevant / point.pages)
        for point in run.curve
        if point.pages >= max(1, begin)
    )


def _reason(setting: str) -> str:
    return next(sentence for name, _, sentence in described() if name == setting)
