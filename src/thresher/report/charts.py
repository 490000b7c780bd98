"""Line charts as plain SVG: no script, readable in light, dark and print, and without colour."""

from collections.abc import Callable, Sequence
from html import escape
from importlib.resources import files

from msgspec import Struct

from thresher.export.words import number, plain

Place = tuple[float, float]

WIDTH, HEIGHT = 560, 320
LEFT, RIGHT, TOP, BOTTOM = 52, 118, 36, 50
LABEL_GAP = 18.0
DASHES = ("", "7 4", "2 3", "9 3 2 3", "5 2", "1 4")

STYLE = (files("thresher.report") / "templates" / "chart.css").read_text(encoding="utf-8")


class Line(Struct, frozen=True):
    """A named line through its points, in the units of the axes."""

    name: str
    points: tuple[Place, ...]


class Chart(Struct, frozen=True):
    """What to draw; `label` says how a number on the y axis is written."""

    title: str
    x_title: str
    lines: tuple[Line, ...]
    label: Callable[[float], str] = lambda value: number(round(value))
    least_step: float = 1.0  # between two ticks of the y axis: things that are counted come whole


def draw(chart: Chart) -> str:
    """Return the chart as an SVG element, to stand in a page that has STYLE."""
    across, up = _scales(chart.lines, chart.least_step)
    parts = [
        f'<svg class="chart" role="img" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
        f"<title>{escape(chart.title)}</title>",
        f'<text class="title" x="0" y="16">{escape(chart.title)}</text>',
        *_rules(up, chart.label),
        *_feet(across, chart.x_title),
        *(_polyline(rank, line, across, up) for rank, line in enumerate(chart.lines)),
        *_names(chart.lines, across, up),
        "</svg>",
    ]
    return "\n".join(parts)


def document(charts: Sequence[Chart]) -> str:
    """Return the charts side by side as an SVG file of their own."""
    width = WIDTH * len(charts)
    moved = [
        draw(chart).replace("<svg ", f'<svg x="{WIDTH * place}" width="{WIDTH}" height="{HEIGHT}" ', 1)
        for place, chart in enumerate(charts)
    ]
    extent = f'viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {extent}>'
    return "\n".join([head, f"<style>{STYLE}</style>", *moved, "</svg>", ""])


class Scale(Struct, frozen=True):
    """The way from a value to a place on the paper, and the values worth a tick."""

    end: float
    start_at: float
    length: float
    step: float

    def place(self, value: float) -> float:
        """Return where a value lies."""
        return self.start_at + self.length * value / self.end

    @property
    def ticks(self) -> list[float]:
        """The round values from zero to the end."""
        return [self.step * count for count in range(int(self.end / self.step + 1e-9) + 1)]


def round_step(end: float, most: int = 5) -> float:
    """Return the smallest step of 1, 2 or 5 times a power of ten that gives at most so many ticks."""
    step = 10.0**-6
    while True:
        for factor in (1, 2, 5):
            if end / (step * factor) <= most:
                return step * factor
        step *= 10


def _scales(lines: Sequence[Line], least_step: float) -> tuple[Scale, Scale]:
    places = [place for line in lines for place in line.points]
    right = max((x for x, _ in places), default=0.0) or 1.0
    top = max((y for _, y in places), default=0.0) or 1.0
    step = max(least_step, round_step(top))
    ceiling = step * -(-top // step)
    across = Scale(right, LEFT, WIDTH - LEFT - RIGHT, max(1.0, round_step(right)))
    return across, Scale(ceiling, HEIGHT - BOTTOM, -(HEIGHT - TOP - BOTTOM), step)


def _rules(up: Scale, label: Callable[[float], str]) -> list[str]:
    right = WIDTH - RIGHT
    return [
        f'<line class="{"rule" if tick else "axis"}" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(label(tick))}</text>'
        for tick, y in ((tick, up.place(tick)) for tick in up.ticks)
    ]


def _feet(across: Scale, title: str) -> list[str]:
    below, middle = HEIGHT - BOTTOM + 20, LEFT + (WIDTH - LEFT - RIGHT) / 2
    ticks = [
        f'<text x="{across.place(tick):.1f}" y="{below}" text-anchor="middle">{number(round(tick))}</text>'
        for tick in across.ticks
    ]
    return [*ticks, f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{escape(title)}</text>']


def _polyline(rank: int, line: Line, across: Scale, up: Scale) -> str:
    points = " ".join(f"{across.place(x):.1f},{up.place(y):.1f}" for x, y in line.points)
    dash = DASHES[rank % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<polyline class="line-{rank % 6}"{dashed} points="{points}"/>'


def _names(lines: Sequence[Line], across: Scale, up: Scale) -> list[str]:
    """Write each line's name at its end, moved apart where two would overlap."""
    ends = sorted((up.place(line.points[-1][1]), rank) for rank, line in enumerate(lines) if line.points)
    written = []
    for y, (_, rank) in zip(_apart([end for end, _ in ends]), ends, strict=True):
        x = across.place(lines[rank].points[-1][0]) + 7
        name = escape(plain(lines[rank].name, 14))
        written.append(f'<text class="name text-{rank % 6}" x="{x:.1f}" y="{y + 5:.1f}">{name}</text>')
    return written


def _apart(ends: Sequence[float]) -> list[float]:
    """Return the places of names from top to bottom, none over another and none below the axis."""
    downward, upward = [], []
    above, below = float("-inf"), HEIGHT - BOTTOM + LABEL_GAP
    for end in ends:
        above = max(end, above + LABEL_GAP)
        downward.append(above)
    for end in reversed(downward):
        below = min(end, below - LABEL_GAP)
        upward.append(below)
    return upward[::-1]
