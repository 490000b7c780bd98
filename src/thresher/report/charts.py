"""Line charts as plain SVG: no script, no link; readable in light, dark and print, and without colour.

Colours stand in the picture itself, for whoever turns it into another format; a page with STYLE has its own.
"""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from msgspec import Struct

from thresher.export.words import number, plain

Place = tuple[float, float]

WIDTH, HEIGHT = 560, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 118, 36, 50
LABEL_GAP = 18.0
LETTER = 7.5  # about what a letter of a name takes
LONGEST = 40  # letters of a name
FEW = 6  # lines whose bands may be seen well without hiding each other
DASHES = ("", "7 4", "2 3", "9 3 2 3", "5 2", "12 4")
COLOURS = (
    "#0b66a8", "#c8500a", "#16806a", "#9a4a8e", "#7a6a00", "#555f6d", "#00838f", "#ad1457", "#5d7a1f",
    "#3949ab", "#a0522d", "#7d7d00",
)  # fmt: skip

STYLE = (files("thresher.report") / "templates" / "chart.css").read_text(encoding="utf-8")
_LOOKS = 'role="img" font-family="sans-serif" font-size="14" fill="currentColor"'


class Line(Struct, frozen=True):
    """A named line through its points, in the units of the axes, and the band round it, if it has one."""

    name: str
    points: tuple[Place, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    @classmethod
    def spread(
        cls, name: str, values: Sequence[float], low: Sequence[float] = (), high: Sequence[float] = ()
    ) -> "Line":
        """Return a line through values that stand evenly between 0 and 1."""
        last = max(1, len(values) - 1)
        return cls(name, tuple((x / last, y) for x, y in enumerate(values)), tuple(low), tuple(high))


class Chart(Struct, frozen=True):
    """What to draw."""

    title: str
    x_title: str
    lines: tuple[Line, ...]
    y_title: str = ""
    percent: bool = False  # how the numbers on the y axis are written
    least_step: float = 1.0  # between two of them: things that are counted come whole
    feet: tuple[str, ...] = ()  # what stands below the x axis, evenly spread, instead of numbers

    @property
    def width(self) -> int:
        """The usual width, or what the longest name needs beside its line."""
        longest = max((len(plain(line.name, LONGEST)) for line in self.lines), default=0)
        return max(WIDTH, round(WIDTH - RIGHT + 7 + LETTER * longest))


def draw(chart: Chart) -> str:
    """Return the chart as an SVG document, which also stands inside a page."""
    across, up = _scales(chart.lines, chart.least_step)
    extent = f'viewBox="0 0 {chart.width} {HEIGHT}"'
    parts = [
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" {extent} {_LOOKS}>',
        f"<title>{escape(chart.title)}</title>",
        f'<text class="title" x="0" y="16" font-weight="bold">{escape(chart.title)}</text>',
        *_rules(up, chart.percent),
        *_feet(across, chart),
        *_y_title(chart.y_title),
        *_bands(chart.lines, across, up),
        *(_polyline(rank, line, across, up) for rank, line in enumerate(chart.lines)),
        *_names(chart.lines, across, up),
        "</svg>",
    ]
    return "\n".join(parts)


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
    top = max((*(y for _, y in places), *(y for line in lines for y in line.high)), default=0.0) or 1.0
    step = max(least_step, round_step(top))
    ceiling = step * -(-top // step)
    across = Scale(right, LEFT, WIDTH - LEFT - RIGHT, max(1.0, round_step(right)))
    return across, Scale(ceiling, HEIGHT - BOTTOM, -(HEIGHT - TOP - BOTTOM), step)


def _rules(up: Scale, percent: bool) -> list[str]:
    right = WIDTH - RIGHT
    return [
        f'<line class="{"rule" if tick else "axis"}" x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" '
        f'stroke="currentColor" stroke-opacity="{0.15 if tick else 0.6}"/>'
        f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(_label(tick, percent))}</text>'
        for tick, y in ((tick, up.place(tick)) for tick in up.ticks)
    ]


def _label(value: float, percent: bool) -> str:
    if percent:
        return f"{100 * value:g} %"
    return f"{value:.3g}" if value < 1 else number(round(value))


def _feet(across: Scale, chart: Chart) -> list[str]:
    last = max(1, len(chart.feet) - 1)
    told = [(across.end * place / last, foot) for place, foot in enumerate(chart.feet)]
    told = told or [(tick, number(round(tick))) for tick in across.ticks]
    below, middle = HEIGHT - BOTTOM + 20, LEFT + (WIDTH - LEFT - RIGHT) / 2
    ticks = [
        f'<text x="{across.place(value):.1f}" y="{below}" text-anchor="middle">{escape(foot)}</text>'
        for value, foot in told
    ]
    title = f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">{escape(chart.x_title)}</text>'
    return [*ticks, title]


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
            looks = f'fill="{_colour(rank)}" fill-opacity="{faint}"'
            written.append(f'<polygon {looks} points="{_points(outline, across, up)}"/>')
    return written


def _points(places: Sequence[Place], across: Scale, up: Scale) -> str:
    return " ".join(f"{across.place(x):.1f},{up.place(y):.1f}" for x, y in places)


def _polyline(rank: int, line: Line, across: Scale, up: Scale) -> str:
    points = _points(line.points, across, up)
    dash = DASHES[rank % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    looks = f'class="line-{rank}" fill="none" stroke="{_colour(rank)}" stroke-width="2"{dashed}'
    return f'<polyline {looks} points="{points}"/>'


def _names(lines: Sequence[Line], across: Scale, up: Scale) -> list[str]:
    """Write each line's name at its end, moved apart where two would overlap."""
    ends = sorted((up.place(line.points[-1][1]), rank) for rank, line in enumerate(lines) if line.points)
    written = []
    for y, (_, rank) in zip(_apart([end for end, _ in ends]), ends, strict=True):
        x = across.place(lines[rank].points[-1][0]) + 7
        looks = f'class="name text-{rank}" fill="{_colour(rank)}"'
        name = escape(plain(lines[rank].name, LONGEST))
        written.append(f'<text {looks} x="{x:.1f}" y="{y + 5:.1f}">{name}</text>')
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


def _colour(rank: int) -> str:
    return COLOURS[rank % len(COLOURS)]
