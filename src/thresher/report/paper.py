"""What a line chart shows, and where on the paper it stands: sizes, axes, colours."""

from collections.abc import Sequence

from msgspec import Struct

from thresher.core.progress import Forecast
from thresher.export.wording import number, plain

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


class Paper(Struct, frozen=True):
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


def paper_of(chart: Chart) -> Paper:
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
    return Paper(
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
    """Return a whole number with its thousands apart by a thin space, as axes write it."""
    return number(round(value)).replace(",", "\u202f")


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
