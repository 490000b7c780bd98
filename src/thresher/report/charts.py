"""Line charts as plain SVG: no script, no link; readable in light, dark and print, and without colour.

Colours stand in the picture itself, for conversion to other formats; a page with STYLE has its own.
The reports, the lab and the screens of the server are all drawn by this; `shapes.py` has what is no line.
"""

from bisect import bisect_right
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from thresher.core.progress import Forecast
from thresher.export.wording import plain
from thresher.report.shapes import (
    BOTTOM,  # fmt: skip
    HEIGHT,
    LONGEST,  # fmt: skip
    TOP,
    Chart,
    ChartLine,
    Place,
    PlotArea,
    Scale,
    ahead_of,
    colour_of,
    count,
    label_of,
    outlook_of,
    paper_of,
    points_of,
)

# The harvest of crawls: filled below, with what is ahead, and its numbers under the pointer


STRIPS = 48  # places that say their number under the pointer


def harvest_of(
    crawls: Sequence[tuple[str, Sequence[tuple[int, int]]]], ahead: Forecast | None = None, room: int = 0
) -> Chart:
    """Return relevant pages by pages fetched for named crawls; what is ahead is the first one's."""
    lines = tuple(_line(name, [(float(x), float(y)) for x, y in points]) for name, points in crawls)
    fan = ahead if ahead and ahead.relevant else None  # where nothing waits nothing is ahead
    return Chart("Relevant pages found", "pages fetched", lines, is_harvest=True, ahead=fan, room=room)


def _line(name: str, points: Sequence[Place]) -> ChartLine:
    found = count(points[-1][1]) if points else "0"
    return ChartLine(f"{found} {name}".rstrip(), tuple(points))


def fan_of(chart: Chart, paper: PlotArea) -> list[str]:
    """Draw what lies below the first line of a harvest, what is ahead of it, and where it stands."""
    own = chart.lines[0].points if chart.is_harvest else ()
    if not own:
        return []
    below = points_of([(own[0][0], 0.0), *own, (own[-1][0], 0.0)], paper.across, paper.up)
    x, y = paper.across.place(own[-1][0]), paper.up.place(own[-1][1])
    return [
        f'<polygon class="area" fill="{colour_of(0)}" fill-opacity="0.1" points="{below}"/>',
        *_ahead(chart, paper),
        f'<circle class="dot" fill="{colour_of(0)}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>',
    ]


def _ahead(chart: Chart, paper: PlotArea) -> list[str]:
    if not chart.ahead:
        return []
    begin, high, middle, low = ahead_of(chart)
    fan, line = (points_of(each, paper.across, paper.up) for each in ([begin, high, low], [begin, middle]))
    x, y = paper.across.place(middle[0]) + 6, paper.up.place(middle[1]) + 4
    told = f'<text class="name" x="{x:.1f}" y="{y:.1f}">{outlook_of(chart.ahead)}</text>'
    return [
        f'<polygon class="fan" fill="{colour_of(0)}" fill-opacity="0.15" points="{fan}"/>',
        f'<polyline class="ahead" stroke="{colour_of(0)}" points="{line}" stroke-dasharray="2 3"/>',
        *([] if chart.is_narrow else [told]),
    ]


def strips_of(chart: Chart, paper: PlotArea) -> list[str]:
    """Lay strips over a harvest that say its numbers under the pointer, without a script."""
    own = chart.lines[0].points if chart.is_harvest else ()
    if len(own) < 2:
        return []
    wide, top = own[-1][0] / STRIPS, paper.up.place(paper.up.end)
    size = f'width="{paper.across.place(wide) - paper.left:.1f}" height="{paper.up.start_at - top:.1f}"'
    strips = []
    for strip in range(STRIPS):
        pages = wide * (strip + 1)
        told = ", ".join(
            f"{count(_at(line.points, pages))}{_of(line)}" for line in chart.lines if line.points
        )
        x = paper.across.place(wide * strip)
        strips.append(
            f'<rect fill="none" pointer-events="all" x="{x:.1f}" y="{top:.1f}" {size}>'
            f"<title>{count(pages)} {escape(chart.x_title)}: {escape(told)}</title></rect>"
        )
    return strips


def _of(line: ChartLine) -> str:
    """Return the name of a line without the number before it."""
    name = plain(line.name, LONGEST).partition(" ")[2]
    return f" {name}" if name else " relevant"


def _at(points: Sequence[Place], x: float) -> float:
    """Return how high a line is at a place."""
    after = bisect_right(points, (x, float("inf")))
    if after == len(points):
        return points[-1][1]
    (x0, y0), (x1, y1) = points[max(0, after - 1)], points[after]
    return y0 if x1 == x0 or x <= x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)


__all__ = ["STYLE", "Chart", "ChartLine", "Place", "document", "draw"]

LABEL_GAP = 18.0
EDGE = 30  # pixels before the end of the picture where a number would be cut in half
FEW = 6  # lines whose bands may be seen well without hiding each other
DASHES = ("", "7 4", "2 3", "9 3 2 3", "5 2", "12 4")

STYLE = (files("thresher.report") / "templates" / "chart.css").read_text(encoding="utf-8")
_STYLES = 'role="img" font-family="sans-serif" font-size="14" fill="currentColor"'


def draw(chart: Chart) -> str:
    """Return the chart as an SVG document, which also stands inside a page."""
    paper = paper_of(chart)
    across, up = paper.across, paper.up
    kind, extent = "chart harvest" if chart.is_harvest else "chart", _extent(chart, paper)
    caption = f'<text class="title" x="0" y="16" font-weight="bold">{escape(chart.title)}</text>'
    parts = [
        f'<svg class="{kind}" xmlns="http://www.w3.org/2000/svg" {extent} {_STYLES}>',
        f"<title>{escape(chart.title)}</title>",
        *([] if chart.room else [caption]),
        *_rules(paper, chart.percent),
        *_feet(paper, chart),
        *_y_title(chart.y_title),
        *fan_of(chart, paper),
        *_bands(chart.lines, across, up),
        *(_polyline(rank, line, across, up) for rank, line in enumerate(chart.lines)),
        *_names(chart, across, up),
        *strips_of(chart, paper),
        "</svg>",
    ]
    return "\n".join(parts)


def _extent(chart: Chart, paper: "PlotArea") -> str:
    size = f'viewBox="0 0 {chart.width} {paper.height}"'
    return f'{size} width="{chart.width}" height="{paper.height}"' if chart.room else size


def document(charts: Sequence[Chart]) -> str:
    """Return the charts side by side as an SVG file of their own."""
    moved, width = [], 0
    for chart in charts:
        place = f'<svg x="{width}" width="{chart.width}" height="{HEIGHT}" '
        moved.append(draw(chart).replace("<svg ", place, 1))
        width += chart.width
    extent = f'viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {extent}>'
    return "\n".join([head, f"<style>{STYLE}</style>", *moved, "</svg>", ""])


def _rules(paper: PlotArea, percent: bool) -> list[str]:
    left, right = f"{paper.left:g}", f"{paper.right:g}"
    return [
        f'<line class="{"rule" if tick else "axis"}" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" '
        f'stroke="currentColor" stroke-opacity="{0.15 if tick else 0.6}"/>'
        f'<text x="{paper.left - 8:g}" y="{y + 4:.1f}" text-anchor="end">'
        f"{escape(label_of(tick, percent))}</text>"
        for tick, y in ((tick, paper.up.place(tick)) for tick in paper.up.ticks)
    ]


def _feet(paper: PlotArea, chart: Chart) -> list[str]:
    across, last = paper.across, max(1, len(chart.feet) - 1)
    told = [(across.end * place / last, foot) for place, foot in enumerate(chart.feet)]
    told = told or [(tick, count(tick)) for tick in across.ticks]
    below, foot_at = paper.height - paper.bottom + (18 if chart.room else 20), paper.height - 6
    ticks = [
        f'<text x="{x:.1f}" y="{below}" text-anchor="{"middle" if x <= chart.width - EDGE else "end"}">'
        f"{escape(foot)}</text>"
        for x, foot in ((across.place(value), foot) for value, foot in told)
    ]
    middle = paper.left + (paper.right - paper.left) / 2
    where = (
        f'x="{paper.right:g}" y="{foot_at}" text-anchor="end"'
        if chart.room
        else (f'x="{middle}" y="{foot_at}" text-anchor="middle"')
    )
    return [*ticks, f"<text {where}>{escape(chart.x_title)}</text>"]


def _y_title(title: str) -> list[str]:
    middle = TOP + (HEIGHT - TOP - BOTTOM) / 2
    turned = f'text-anchor="middle" transform="rotate(-90 14 {middle})"'
    return [f'<text x="14" y="{middle}" {turned}>{escape(title)}</text>'] if title else []


def _bands(lines: Sequence[ChartLine], across: Scale, up: Scale) -> list[str]:
    faint = 0.10 if len(lines) <= FEW else 0.05
    written = []
    for rank, line in enumerate(lines):
        if line.low:
            xs = [x for x, _ in line.points]
            outline = [*zip(xs, line.high, strict=True), *reversed([*zip(xs, line.low, strict=True)])]
            style = f'fill="{colour_of(rank)}" fill-opacity="{faint}"'
            written.append(f'<polygon {style} points="{points_of(outline, across, up)}"/>')
    return written


def _polyline(rank: int, line: ChartLine, across: Scale, up: Scale) -> str:
    points = points_of(line.points, across, up)
    dash = DASHES[rank % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    style = f'class="line-{rank}" fill="none" stroke="{colour_of(rank)}" stroke-width="2"{dashed}'
    return f'<polyline {style} points="{points}"/>'


def _names(chart: Chart, across: Scale, up: Scale) -> list[str]:
    """Write each line's name at its end, moved apart where two would overlap."""
    ends = sorted(
        (up.place(line.points[-1][1]), rank) for rank, line in enumerate(chart.lines) if line.points
    )
    written = []
    for y, (_, rank) in zip(_apart([end for end, _ in ends], up.start_at), ends, strict=True):
        x = across.place(chart.lines[rank].points[-1][0])
        style = f'class="name text-{rank}" fill="{colour_of(rank)}"'
        name = escape(plain(chart.lines[rank].name, LONGEST))
        above = chart.is_narrow or (rank == 0 and chart.ahead)
        place = (
            f'x="{x:.1f}" y="{y - 9:.1f}" text-anchor="{"middle" if chart.ahead else "end"}"' if above
            else f'x="{x + 7:.1f}" y="{y + 5:.1f}"'
        )  # fmt: skip
        written.append(f"<text {style} {place}>{name}</text>")
    return written


def _apart(ends: Sequence[float], axis: float) -> list[float]:
    """Return the places of names from top to bottom, none over another and none below the axis."""
    downward, upward = [], []
    above, below = float("-inf"), axis + LABEL_GAP
    for end in ends:
        above = max(end, above + LABEL_GAP)
        downward.append(above)
    for end in reversed(downward):
        below = min(end, below - LABEL_GAP)
        upward.append(below)
    return upward[::-1]
