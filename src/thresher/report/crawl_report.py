"""The report of a crawl, or of several side by side: one HTML page that needs nothing else."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from thresher.core.files import atomic_write
from thresher.core.records import Url
from thresher.export import wording
from thresher.report.charts import STYLE, Chart, ChartLine, Place, document, draw, harvest_of
from thresher.report.figures import Figures, figures_of
from thresher.report.freshness import Freshness, marked, span_of
from thresher.report.freshness import charts_of as freshness_charts
from thresher.settings.load import described
from thresher.store.folder import CrawlFolder

HOSTS = 20  # rows of the host table; the rest is summed up
TOP, TOP_OF_SEVERAL = 25, 10  # rows of the table of pages
BYTECODE = Path(__file__).with_name("__pycache__")  # measured: to compile the template takes 25 ms
SMOOTH = 20  # pages before the harvest rate means anything


def write_report(folders: Sequence[CrawlFolder]) -> Path:
    """Write the report of the crawls into the first one's folder."""
    file = folders[0].report
    with atomic_write(file) as page:
        page.write(page_of([figures_of(folder) for folder in folders]).encode())
    return file


def page_of(runs: Sequence[Figures], remark: str = "", copies: Mapping[Url, str] | None = None) -> str:
    """Return the report as HTML; pages with a copy link to it, as their web may be gone."""
    from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined  # 15 ms, else

    environment = Environment(
        loader=PackageLoader("thresher.report", "templates"),
        bytecode_cache=FileSystemBytecodeCache(str(BYTECODE)) if _may_cache() else None,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        say=wording, hosts_shown=HOSTS, kept_charts=_kept_charts, span_of=span_of, marked=marked
    )
    return environment.get_template("report.html").render(
        runs=runs,
        first=runs[0],
        names=names_of(runs),
        lede=lede_of(runs),
        top_shown=TOP if len(runs) == 1 else TOP_OF_SEVERAL,
        charts=[draw(chart) for chart in charts_of(runs)],
        chart_style=STYLE,
        threshold_reason=_reason("judge.threshold"),
        remark=remark,
        copies=copies or {},
    )


def _may_cache() -> bool:
    """Tell whether compiled code may be kept beside ours, as Python keeps its own."""
    return not sys.dont_write_bytecode and os.access(BYTECODE, os.W_OK)


def picture_of(runs: Sequence[Figures]) -> str:
    """Return the harvest curves as an SVG file of their own, for a paper or a README."""
    return document(charts_of(runs))


def charts_of(runs: Sequence[Figures]) -> list[Chart]:
    """Return the two curves of every run: relevant pages, and the harvest rate, against pages fetched."""
    names = names_of(runs)
    found = [
        (name, [(point.pages, point.relevant) for point in run.curve])
        for name, run in zip(names, runs, strict=True)
    ]
    rates = tuple(ChartLine(name, _rates(run)) for name, run in zip(names, runs, strict=True))
    return [
        harvest_of(found, runs[0].forecast if len(runs) == 1 else None),
        Chart("Harvest rate so far", "pages fetched", rates, percent=True, least_step=0.01),
    ]


def lede_of(runs: Sequence[Figures]) -> str:
    """Return the sentence that the whole report is about."""
    if len(runs) == 1:
        run = runs[0]
        hosts = f"{wording.number(run.relevant_hosts)} of {wording.number(len(run.hosts))} hosts"
        found = f"{wording.harvest(run.relevant, run.pages)}, found by {run.strategy} on {hosts}"
        return f"{found}. It ended with: {run.finish_reason}."
    named = sorted(zip(runs, names_of(runs), strict=True), key=lambda pair: -pair[0].relevant)
    told = "; ".join(f"{name}: {wording.harvest(run.relevant, run.pages)}" for run, name in named)
    return _ratio(*named[0], *named[-1]) or f"{told}."


def _kept_charts(kept: Freshness) -> list[str]:
    return [draw(chart) for chart in freshness_charts(kept)]


def _ratio(best: Figures, best_name: str, least: Figures, least_name: str) -> str:
    """Say how many times as much the best run found as the worst, where the comparison is fair."""
    if not least.relevant or best.pages != least.pages or best.relevant == least.relevant:
        return ""
    times = f"{best.relevant / least.relevant:.1f} times as many relevant pages as {least_name}"
    found = f"{wording.number(best.relevant)} against {wording.number(least.relevant)}"
    return f"{best_name} found {times} in the same number of pages, {wording.number(best.pages)}: {found}."


def names_of(runs: Sequence[Figures]) -> list[str]:
    """Return what each run is called: its strategy, or its folder where strategies repeat."""
    strategies = [run.strategy for run in runs]
    if len(set(strategies)) == len(strategies):
        return strategies
    return [Path(run.folder).name for run in runs]


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
