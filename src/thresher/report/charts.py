"""Line charts as plain SVG: no script, no link; readable in light, dark and print, and without colour.

Colours stand in the picture itself, for whoever turns it into another format; a page with STYLE has its own.
The reports, the lab and the screens of the server are all drawn by this; `shapes.py` has what is no line.
"""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from thresher.export.wording import plain
from thresher.report.harvest import fan_of, strips_of
from thresher.report.paper import (
    BOTTOM,
    HEIGHT,
    LONGEST,
    TOP,
    Chart,
    Line,
    Paper,
    Place,
    Scale,
    colour_of,
    count,
    label_of,
    paper_of,
    points_of,
)  # fmt: skip

__all__ = ["STYLE", "Chart", "Line", "Place", "document", "draw"]

LABEL_GAP = 18.0
EDGE = 30  # pixels before the end of the picture where a number would be cut in half
FEW = 6  # lines whose bands may be seen well without hiding each other
DASHES = ("", "7 4", "2 3", "9 3 2 3", "5 2", "12 4")

STYLE = (files("thresher.report") / "templates" / "chart.css").read_text(encoding="utf-8")
_LOOKS = 'role="img" font-family="sans-serif" font-size="14" fill="currentColor"'


def draw(chart: Chart) -> str:
    """Return the chart as an SVG document, which also stands inside a page."""
    paper = paper_of(chart)
    across, up = paper.across, paper.up
    kind, extent = "chart harvest" if chart.is_harvest else "chart", _extent(chart, paper)
    caption = f'<text class="title" x="0" y="16" font-weight="bold">{escape(chart.title)}</text>'
    parts = [
        f'<svg class="{kind}" xmlns="http://www.w3.org/2000/svg" {extent} {_LOOKS}>',
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


def _extent(chart: Chart, paper: "Paper") -> str:
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


def _rules(paper: Paper, percent: bool) -> list[str]:
    left, right = f"{paper.left:g}", f"{paper.right:g}"
    return [
        f'<line class="{"rule" if tick else "axis"}" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" '
        f'stroke="currentColor" stroke-opacity="{0.15 if tick else 0.6}"/>'
        f'<text x="{paper.left - 8:g}" y="{y + 4:.1f}" text-anchor="end">'
        f"{escape(label_of(tick, percent))}</text>"
        for tick, y in ((tick, paper.up.place(tick)) for tick in paper.up.ticks)
    ]


def _feet(paper: Paper, chart: Chart) -> list[str]:
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


def _bands(lines: Sequence[Line], across: Scale, up: Scale) -> list[str]:
    faint = 0.10 if len(lines) <= FEW else 0.05
    written = []
    for rank, line in enumerate(lines):
        if line.low:
            xs = [x for x, _ in line.points]
            outline = [*zip(xs, line.high, strict=True), *reversed([*zip(xs, line.low, strict=True)])]
            looks = f'fill="{colour_of(rank)}" fill-opacity="{faint}"'
            written.append(f'<polygon {looks} points="{points_of(outline, across, up)}"/>')
    return written


def _polyline(rank: int, line: Line, across: Scale, up: Scale) -> str:
    points = points_of(line.points, across, up)
    dash = DASHES[rank % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    looks = f'class="line-{rank}" fill="none" stroke="{colour_of(rank)}" stroke-width="2"{dashed}'
    return f'<polyline {looks} points="{points}"/>'


def _names(chart: Chart, across: Scale, up: Scale) -> list[str]:
    """Write each line's name at its end, moved apart where two would overlap."""
    ends = sorted(
        (up.place(line.points[-1][1]), rank) for rank, line in enumerate(chart.lines) if line.points
    )
    written = []
    for y, (_, rank) in zip(_apart([end for end, _ in ends], up.start_at), ends, strict=True):
        x = across.place(chart.lines[rank].points[-1][0])
        looks = f'class="name text-{rank}" fill="{colour_of(rank)}"'
        name = escape(plain(chart.lines[rank].name, LONGEST))
        above = chart.is_narrow or (rank == 0 and chart.ahead)
        place = (
            f'x="{x:.1f}" y="{y - 9:.1f}" text-anchor="{"middle" if chart.ahead else "end"}"' if above
            else f'x="{x + 7:.1f}" y="{y + 5:.1f}"'
        )  # fmt: skip
        written.append(f"<text {looks} {place}>{name}</text>")
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
