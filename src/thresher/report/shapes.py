"""What is no line chart, as plain SVG: a spark in a row, columns, and the way from a seed.

As in `charts.py` there is no script, no style and no link; everything foreign is escaped here.
"""

from collections.abc import Sequence
from html import escape
from itertools import accumulate, pairwise

from msgspec import Struct

from thresher.core.progress import Forecast
from thresher.export.wording import many, number, plain

# What a line chart shows, and where on the paper it stands: sizes, axes, colours


Place = tuple[float, float]

WIDTH, HEIGHT = 560, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 118, 36, 50
SCREEN = (290, 20, 40)  # height, head and foot of a chart on a screen, whose card has the title
LETTER, SMALL = 8.0, 6.4  # about what a letter takes: in a picture of its own, and on a screen
LONGEST = 40  # letters of a name
NARROW = 520  # a phone: names stand inside, for there is no room beside
COLOURS = (
    "#b9770e", "#0b66a8", "#16806a", "#9a4a8e", "#c8500a", "#555f6d", "#00838f", "#ad1457", "#5d7a1f",
    "#3949ab", "#a0522d", "#7d7d00",
)  # fmt: skip


class ChartLine(Struct, frozen=True):
    """A named line through its points, in the units of the axes, and the band round it, if it has one."""

    name: str
    points: tuple[Place, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()

    @classmethod
    def spread(
        cls, name: str, values: Sequence[float], low: Sequence[float] = (), high: Sequence[float] = ()
    ) -> "ChartLine":
        """Return a line through values that stand evenly between 0 and 1."""
        last = max(1, len(values) - 1)
        return cls(name, tuple((x / last, y) for x, y in enumerate(values)), tuple(low), tuple(high))


class Chart(Struct, frozen=True):
    """What to draw."""

    title: str
    x_title: str
    lines: tuple[ChartLine, ...]
    y_title: str = ""
    percent: bool = False  # how the numbers on the y axis are written
    least_step: float = 1.0  # between two of them: things that are counted come whole
    feet: tuple[str, ...] = ()  # what stands below the x axis, evenly spread, instead of numbers
    is_harvest: bool = False  # its first line is filled below, and says its numbers under the pointer
    ahead: Forecast | None = None  # what the first line may still find
    room: int = 0  # the width of a screen that it keeps to; 0: as wide as its names need, with its title

    @property
    def width(self) -> int:
        """The width of the screen, or the usual one, or what the longest name needs beside its line."""
        longest = max((len(plain(line.name, LONGEST)) for line in self.lines), default=0)
        return self.room or max(WIDTH, round(WIDTH - RIGHT + 7 + LETTER * longest))

    @property
    def is_narrow(self) -> bool:
        """Whether it is drawn for a phone."""
        return 0 < self.room < NARROW


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


class PlotArea(Struct, frozen=True):
    """Where the plot stands on the picture."""

    left: float
    right: float  # end of the plot, not the margin
    height: int
    bottom: int
    across: Scale
    up: Scale


def round_step(end: float, most: int = 5) -> float:
    """Return the smallest step of 1, 2 or 5 times a power of ten that gives at most so many ticks."""
    step = 10.0**-6
    while True:
        for factor in (1, 2, 5):
            if end / (step * factor) <= most:
                return step * factor
        step *= 10


def paper_of(chart: Chart) -> PlotArea:
    """Lay the plot out: a screen gives its width, numbers of many digits and long names take theirs."""
    right, top = _ends(chart)
    step = max(chart.least_step, round_step(top))
    ceiling = step * -(-top // step)
    height, head, foot = SCREEN if chart.room else (HEIGHT, TOP, BOTTOM)
    digits = max(len(label_of(tick, chart.percent)) for tick in (ceiling, step))
    left = max(44.0, 14 + SMALL * digits) if chart.room else max(LEFT, 14.0 + LETTER * digits)
    end = chart.room - _margin(chart) if chart.room else WIDTH - RIGHT
    ticks = 3 if chart.is_narrow else 5
    across = Scale(right, left, end - left, max(1.0, round_step(right, ticks)))
    return PlotArea(
        left, end, height, foot, across, Scale(ceiling, height - foot, -(height - head - foot), step)
    )


def _ends(chart: Chart) -> tuple[float, float]:
    """Return the largest values of both axes, what is ahead among them."""
    places = [place for line in chart.lines for place in (*line.points, *ahead_of(chart))]
    right = max((x for x, _ in places), default=0.0) or 1.0
    top = max((*(y for _, y in places), *(y for line in chart.lines for y in line.high)), default=0.0) or 1.0
    return right, top


def _margin(chart: Chart) -> float:
    """Return what the names beside the plot of a screen need."""
    if chart.is_narrow:
        return 14.0
    outside = [outlook_of(chart.ahead)] if chart.ahead else [line.name for line in chart.lines]
    return max(30.0, 16 + SMALL * max((len(plain(name, LONGEST)) for name in outside), default=0))


def ahead_of(chart: Chart) -> list[Place]:
    """Return the fan: where it opens, and the high, the middle and the low end of it."""
    if not chart.ahead or not chart.lines[0].points:
        return []
    pages, found = chart.lines[0].points[-1]
    downloads = min(float(chart.ahead.downloads), max(60.0, 2 * pages))
    share = downloads / chart.ahead.downloads
    amounts = (chart.ahead.high, chart.ahead.relevant, chart.ahead.low)
    return [(pages, found), *((pages + downloads, found + amount * share) for amount in amounts)]


def outlook_of(ahead: Forecast) -> str:
    """Return a forecast as it stands beside its fan: +78 (3 to 104)."""
    return f"+{count(ahead.relevant)} ({count(ahead.low)} to {count(ahead.high)})"


def count(value: float) -> str:
    """Return a whole number with its thousands apart, as axes write it."""
    return number(round(value))


def label_of(value: float, percent: bool) -> str:
    """Return a number as it stands beside an axis."""
    if percent:
        return f"{100 * value:g} %"
    return f"{value:.3g}" if value < 1 else count(value)


def points_of(places: Sequence[Place], across: Scale, up: Scale) -> str:
    """Return places on the paper as SVG spells them."""
    return " ".join(f"{across.place(x):.1f},{up.place(y):.1f}" for x, y in places)


def colour_of(rank: int) -> str:
    """Return the colour of a line by its rank."""
    return COLOURS[rank % len(COLOURS)]


Step = tuple[str, float]  # a host and the score of its page

SPARK = (120, 30)
LEAST = 240  # pixels that a picture takes at least
COLUMNS, DAYS, CLIMB = 200, 84, 300  # heights
NAME = 18  # letters of a host below its step


def spark(rates: Sequence[float]) -> str:
    """Return what was found so far, small enough for a row."""
    width, height = SPARK
    sums = [0.0, *accumulate(rates)]
    if not sums[-1]:
        rule = f'<line class="rule" x1="0" x2="{width}" y1="{height - 2}" y2="{height - 2}"/>'
        return _svg("spark", *SPARK, "", [rule])
    step, floor = width / (len(sums) - 1), height - 2
    line = [f"{step * x:.1f},{floor - (height - 5) * y / sums[-1]:.1f}" for x, y in enumerate(sums)]
    below = " ".join([f"0,{floor}", *line, f"{width},{floor}"])
    return _svg("spark", *SPARK, "", [
        f'<polygon class="area" points="{below}"/>', f'<polyline class="line-0" points="{" ".join(line)}"/>',
    ])  # fmt: skip


def histogram(columns: Sequence[int], threshold: float, before: float, width: int) -> str:
    """Return pages by their score, with the threshold and what would turn by it."""
    left, top, bottom = 8, 22, 24
    tallest, wide = max(1, *columns) ** 0.5, (width - 2 * left) / len(columns)
    floor = COLUMNS - bottom
    drawn = []
    for place, pages in enumerate(columns):
        tall = max(2.0, (floor - top) * pages**0.5 / tallest) if pages else 0.0
        start, end = place / len(columns), (place + 1) / len(columns)
        told = f"{many(pages, 'page')} from {start:.3g} to {end:.3g}"
        kind = _kind((start + end) / 2, threshold, before)
        drawn.append(_column(kind, left + wide * place + 0.5, floor, max(1.0, wide - 1.5), tall, told))
    at = left + (width - 2 * left) * threshold
    marks = [
        f'<line class="axis" x1="{left}" x2="{width - left}" y1="{floor}" y2="{floor}"/>',
        *(_text(left + (width - 2 * left) * share, COLUMNS - 6, f"{share:g}") for share in _QUARTERS),
        f'<line class="threshold" x1="{at:.1f}" x2="{at:.1f}" y1="{top - 6}" y2="{floor}"/>',
        _text(at, 12, f"{threshold:.2f}", "name"),
    ]
    title = f"Pages by their score; the threshold stands at {threshold:.2f}"
    return _svg("chart", width, COLUMNS, title, [*drawn, *marks])


_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


def _kind(score: float, threshold: float, before: float) -> str:
    """Return what a column is: relevant or not, and before the threshold moved the same or not."""
    if (score >= threshold) == (score >= before):
        return "grain" if score >= threshold else "dull"
    return "yes" if score >= threshold else "no"


def days(counts: Sequence[tuple[str, int, int]], width: int) -> str:
    """Return changes by day: substantive ones, and above them the minor ones."""
    bottom = 20
    most = max(1, *(substantive + other for _, substantive, other in counts))
    wide = min(70.0, width / max(1, len(counts)))
    floor, every = DAYS - bottom, -(-46 // int(wide))
    drawn = []
    for place, (day, substantive, other) in enumerate(counts):
        low, high = ((floor - 6) * amount / most for amount in (substantive, other))
        told = f"{day}: {count(substantive)} substantive, {count(other)} minor"
        x, gap = place * wide + 1, 1 if substantive else 0
        drawn.append(_column("grain", x, floor, wide - 3, low, told))
        drawn.append(_column("dull", x, floor - low - gap, wide - 3, max(0.0, high - gap), told))
        if place % every == 0:
            drawn.append(_text(place * wide + wide / 2, DAYS - 5, day[5:]))
    return _svg("chart", width, DAYS, "Changes by day", drawn)


def climb(way: Sequence[Step], threshold: float, width: int) -> str:
    """Return the way from a seed, given hosts and scores: right is a link, up is relevance."""
    left, right, top, bottom = 40, 46, 30, 74
    step = (width - left - right - 34) / max(1, len(way) - 1)
    floor = CLIMB - bottom
    places = [(left + 34 + step * at, floor - (floor - top) * score) for at, (_, score) in enumerate(way)]
    line = floor - (floor - top) * threshold
    drawn = [
        *(
            _text(left - 8, floor - (floor - top) * each + 4, f"{each:g}", anchor="end")
            for each in _marks(threshold)
        ),
        f'<line class="rule dashed" x1="{left}" x2="{width - 10}" y1="{line:.1f}" y2="{line:.1f}"/>',
        f'<path class="way" d="{_curved(places)}"/>',
        *(_step(way, at, places[at], threshold) for at in range(len(way))),
        *_hosts(way, places, narrow=width < NARROW),
        _text(places[0][0], CLIMB - 4, "seed"),
    ]
    title = f"{many(len(way) - 1, 'link')} from the seed; the last page scores {way[-1][1]:.2f}"
    return _svg("chart climb", width, CLIMB, title, drawn)


def _marks(threshold: float) -> list[float]:
    """Return the numbers at the side: the ends, and the threshold where it does not stand over one."""
    return [0.0, 1.0, *([threshold] if 0.06 < threshold < 0.94 else [])]


def _curved(places: Sequence[Place]) -> str:
    curves = [f"M{places[0][0]:.1f} {places[0][1]:.1f}"]
    for (x0, y0), (x1, y1) in pairwise(places):
        half = (x1 - x0) / 2
        curves.append(f"C{x0 + half:.1f} {y0:.1f} {x1 - half:.1f} {y1:.1f} {x1:.1f} {y1:.1f}")
    return "".join(curves)


def _step(way: Sequence[Step], at: int, place: Place, threshold: float) -> str:
    host, score = way[at]
    last = at == len(way) - 1
    kind = f"step{' hit' if score >= threshold else ''}{' last' if last else ''}"
    told = f"<title>{_safe(host, 80)}: {score:.2f}</title>"
    x, y = place
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{9 if last else 6.5}">{told}</circle>'


def _hosts(way: Sequence[Step], places: Sequence[Place], narrow: bool) -> list[str]:
    """Write scores and hosts at as many steps as there is room for, the first and the last among them."""
    last, every = len(way) - 1, max(1, -(-len(way) // (4 if narrow else 9)))
    written = []
    for at, ((x, y), (host, score)) in enumerate(zip(places, way, strict=True)):
        if at not in (0, last) and (at % every or last - at < every):
            continue
        written.append(_text(x, y - 15, f"{score:.2f}", "name"))
        if not narrow or at in (0, last):
            low = CLIMB - 48 + (0 if narrow else at % 2 * 17)
            written.append(_text(x, low, host, anchor="end" if narrow and at else "middle"))
    return written


def _column(kind: str, x: float, floor: float, wide: float, tall: float, told: str) -> str:
    size = f'x="{x:.1f}" y="{floor - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}"'
    return f'<rect class="{kind}" {size} rx="1"><title>{_safe(told, 80)}</title></rect>'


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "middle") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_safe(words, NAME)}</text>'


def _safe(words: str, most: int) -> str:
    """Return foreign words as SVG may hold them."""
    return escape(plain(words, most))


def _svg(kind: str, width: int, height: int, title: str, parts: Sequence[str]) -> str:
    """Return the picture; one without a title says nothing that does not stand beside it."""
    told = f'role="img"><title>{escape(title)}</title>' if title else 'aria-hidden="true">'
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg class="{kind}" xmlns="http://www.w3.org/2000/svg" {size} {told}{"".join(parts)}</svg>'
