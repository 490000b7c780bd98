"""The figures of an experiment as tables: some to read, and one row a run to compute with."""

from collections.abc import Sequence

from msgspec import Struct

from thresher_lab.results import RunResult
from thresher_lab.summary import CorpusBlock, Row, Summary

RUN_COLUMNS = (
    "corpus mode topic seeds strategy budget pages requests relevant wanted reachable recall area"
    " area_by_requests harvest mean_cumulative_harvest r_precision sum_of_information urls_with_topic"
    " urls_with_context per_request per_megabyte hosts relevant_hosts luck area_by_time seconds"
).split()


class Grid(Struct, frozen=True):
    """A table: a sentence that says what it shows, the heads of its columns, its rows."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def means(blocks: Sequence[CorpusBlock]) -> Grid:
    """Return the mean area of each strategy in each block, with how many topics were kept."""
    strategies = dict.fromkeys(row.strategy for block in blocks for row in block.rows)
    found = {(block.name, row.strategy): row for block in blocks for row in block.rows}
    asking = {row.strategy for row in found.values() if row.asks}
    rows = [
        (
            f"{name}*" if name in asking else name,
            *(f"{found[block.name, name].area.mean:.3f}" for block in blocks),
        )
        for name in strategies
    ]
    heads = ("strategy", *(f"{block.name} ({block.topics})" for block in blocks))
    return Grid("Mean area under the recall curve, by pages (topics kept)", heads, tuple(rows))


def differences(summary: Summary, against: str) -> Grid:
    """Return what each strategy wins or loses against one, over all topics."""
    heads = ("strategy", "difference", "95 % interval", "wins", "losses", "topics", "p", "p (Holm)")
    rows = [
        (
            each.strategy,
            f"{each.difference.mean:+.3f}",
            f"{each.difference.low:+.3f} to {each.difference.high:+.3f}",
            str(each.wins),
            str(each.losses),
            str(each.topics),
            f"{each.p:.2g}",
            f"{each.p_holm:.2g}",
        )
        for each in summary.comparisons
        if each.against == against
    ]
    return Grid(f"Difference in area to {against}, paired by topic", heads, tuple(rows))


def details(block: CorpusBlock) -> Grid:
    """Return every measure of a block."""
    heads = (
        "strategy,area,95 % interval,by requests,by time,s a page,worst seeds,recall,of reachable,"
        "harvest,cumulative,R-precision,information,URL topic,URL context,per request,per MB,hosts"
    ).split(",")
    return Grid(f"{block.name}, {block.topics} topics", tuple(heads), tuple(map(_detail, block.rows)))


def politeness(summary: Summary) -> Grid:
    """Return what politeness costs each strategy: the areas without and with it, and the pace."""
    rows = [
        (
            each.strategy,
            each.block,
            f"{each.impolite:.3f}",
            f"{each.polite:.3f}",
            f"{each.share:.2f}",
            f"{each.lowest:.2f}",
            f"{each.seconds_a_page:.2f}",
        )
        for each in summary.kept
    ]
    heads = ("strategy", "where", "impolite", "polite", "kept", "of the worst topic", "s a page")
    return Grid("What politeness costs: mean areas by pages", heads, tuple(rows))


def dropped(summary: Summary) -> Grid:
    """Return what was left out, and why."""
    rows = [(each.corpus, each.mode, each.topic, each.seeds, each.reason) for each in summary.dropped]
    heads = ("corpus", "mode", "topic", "seeds", "why")
    return Grid("Left out, because they cannot tell strategies apart", heads, tuple(rows))


def costs(results: Sequence[RunResult]) -> Grid:
    """Return what each strategy cost this machine, over all its runs."""
    strategies = dict.fromkeys(each.strategy for each in results)
    found = {name: [each.cost for each in results if each.strategy == name] for name in strategies}
    pages = {
        name: sum(each.measures.pages for each in results if each.strategy == name) for name in strategies
    }
    rows = [
        (
            name,
            f"{1e3 * sum(each.seconds for each in each_cost) / max(1, pages[name]):.1f}",
            f"{sum(each.microseconds_per_link for each in each_cost) / len(each_cost):.0f}",
            f"{max(each.peak_megabytes for each in each_cost):.0f}",
        )
        for name, each_cost in found.items()
    ]
    heads = ("strategy", "ms of processor a page", "µs of thinking a link", "peak MB of its process")
    return Grid(
        "Strategies of one topic share a process: who comes first pays for its pages", heads, tuple(rows)
    )


def as_markdown(grid: Grid) -> str:
    """Return a table as Markdown, with columns that line up."""
    widths = [max(map(len, column)) for column in zip(grid.heads, *grid.rows, strict=True)]
    lines = [grid.heads, ["-" * width for width in widths], *grid.rows]
    body = [
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |"
        for line in lines
    ]
    return "\n".join([f"{grid.caption}:", "", *body])


def runs(results: Sequence[RunResult]) -> str:
    """Return every run as a line of tab-separated values; nothing in it depends on the machine."""
    return "\n".join(["\t".join(RUN_COLUMNS), *("\t".join(_run_cells(each)) for each in results), ""])


def document(summary: Summary, against: str) -> str:
    """Return the tables that people read, one after the other; nothing in them depends on the machine."""
    grids = [
        means(summary.blocks),
        differences(summary, against),
        politeness(summary),
        *map(details, summary.blocks),
        dropped(summary),
    ]
    return "\n\n".join(as_markdown(grid) for grid in grids if grid.rows) + "\n"


def _detail(row: Row) -> tuple[str, ...]:
    area = row.area
    shares = (row.worst, row.recall, row.recall_of_reachable, row.harvest)
    return (
        f"{row.strategy}*" if row.asks else row.strategy,
        f"{area.mean:.3f}",
        f"{area.low:.3f} to {area.high:.3f}",
        f"{row.area_by_requests:.3f}",
        f"{row.area_by_time:.3f}" if row.area_by_time else "",
        f"{row.seconds_a_page:.2f}" if row.seconds_a_page else "",
        *(f"{share:.3f}" for share in shares),
        f"{row.mean_cumulative_harvest:.3f}",
        f"{row.r_precision:.3f}",
        f"{row.sum_of_information:.1f}",
        f"{row.urls_with_topic:.2f}",
        f"{row.urls_with_context:.2f}",
        f"{row.per_request:.3f}",
        f"{row.per_megabyte:.2f}",
        f"{row.relevant_hosts:.1f}",
    )


def _run_cells(result: RunResult) -> list[str]:
    found = result.measures
    counts = [result.budget, found.pages, found.requests, found.relevant, found.wanted, found.reachable]
    values = [
        found.recall,
        found.by_pages.area,
        found.by_requests.area,
        found.harvest.rate,
        found.harvest.mean_cumulative,
        found.harvest.r_precision,
        found.sum_of_information,
        found.urls_with_topic,
        found.urls_with_context,
        found.per_request,
        found.per_megabyte,
    ]
    late = [f"{found.by_time.area:.4f}", f"{found.seconds:.1f}"] if found.by_time else ["", ""]
    hosts = [found.hosts, found.relevant_hosts, result.luck]
    cells = [*map(str, counts), *(f"{value:.4f}" for value in values), *map(str, hosts), *late]
    return [*result.task, result.strategy, *cells]
