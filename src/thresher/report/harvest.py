"""The harvest of crawls as a chart: filled below, with what is ahead, and its numbers under the pointer."""

from bisect import bisect_right
from collections.abc import Sequence
from html import escape

from thresher.core.progress import Forecast
from thresher.export.wording import plain
from thresher.report.paper import (
    LONGEST,
    Chart,
    Line,
    Paper,
    Place,
    ahead_of,
    colour_of,
    count,
    outlook_of,
    points_of,
)  # fmt: skip

STRIPS = 48  # places that say their number under the pointer


def harvest_of(
    crawls: Sequence[tuple[str, Sequence[tuple[int, int]]]], ahead: Forecast | None = None, room: int = 0
) -> Chart:
    """Return relevant pages by pages fetched for named crawls; what is ahead is the first one's."""
    lines = tuple(_line(name, [(float(x), float(y)) for x, y in points]) for name, points in crawls)
    return Chart("Relevant pages found", "pages fetched", lines, is_harvest=True, ahead=ahead, room=room)


def _line(name: str, points: Sequence[Place]) -> Line:
    found = count(points[-1][1]) if points else "0"
    return Line(f"{found} {name}".rstrip(), tuple(points))


def fan_of(chart: Chart, paper: Paper) -> list[str]:
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


def _ahead(chart: Chart, paper: Paper) -> list[str]:
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


def strips_of(chart: Chart, paper: Paper) -> list[str]:
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


def _of(line: Line) -> str:
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
