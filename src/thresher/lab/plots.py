"""Curves with bands as plain SVG: no script, no font, no link to anywhere; told apart without colour too."""

from collections.abc import Sequence
from html import escape

from msgspec import Struct

WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 54, 150, 34, 46
COLOURS = (
    "#1b6ca8", "#c8553d", "#2f7d4f", "#8a4fa3", "#b8860b", "#4a4a4a", "#00838f", "#ad1457", "#5d7a1f",
    "#3949ab", "#a0522d", "#7d7d00",
)  # fmt: skip
DASHES = ("", "8 3", "2 3", "9 3 2 3", "5 2", "12 4")
LABEL_GAP = 13.0
LETTER = 7  # about what a letter of a name takes
FEW = 6  # curves whose bands may be seen well without hiding each other

_STYLE = 'role="img" font-family="sans-serif" font-size="12" fill="currentColor"'


class Series(Struct, frozen=True):
    """A named curve over the shares of the budget, with its band."""

    name: str
    middle: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


class Plot(Struct, frozen=True):
    """What to draw: every curve runs over the same x, from 0 to 1."""

    title: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    feet: tuple[str, ...] = ("0%", "25%", "50%", "75%", "100%")  # what stands below x, evenly spread


def draw(plot: Plot) -> str:
    """Return the plot as a whole SVG document, which also stands inside a page."""
    top = _ceiling(plot.series)
    faint = 0.10 if len(plot.series) <= FEW else 0.05
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_width(plot)} {HEIGHT}" {_STYLE}>',
        f"<title>{escape(plot.title)}</title>",
        f'<text x="{LEFT}" y="18" font-size="14" font-weight="bold">{escape(plot.title)}</text>',
        *_grid(top, plot.feet),
        _axis_titles(plot),
        *(_band(rank, series, top, faint) for rank, series in enumerate(plot.series) if series.low),
        *(_line(rank, series, top) for rank, series in enumerate(plot.series)),
        *_names(plot.series, top),
        "</svg>",
    ]
    return "\n".join(parts)


def _width(plot: Plot) -> int:
    """Return the usual width, or what the longest name needs beside its curve."""
    longest = max((len(each.name) for each in plot.series), default=0)
    return max(WIDTH, WIDTH - RIGHT + 7 + LETTER * longest)


def _ceiling(series: Sequence[Series]) -> float:
    """Return the tenth above everything that is drawn, at most 1."""
    highest = max((value for each in series for value in (*each.middle, *each.high)), default=0.0)
    return min(1.0, max(0.1, -(-highest * 10 // 1) / 10))


def _x(share: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * share


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top


def _points(values: Sequence[float], top: float) -> list[str]:
    last = max(1, len(values) - 1)
    return [f"{_x(place / last):.1f},{_y(value, top):.1f}" for place, value in enumerate(values)]


def _grid(top: float, names: Sequence[str]) -> list[str]:
    step = 0.1 if top <= 0.6 else 0.2
    ticks = [step * count for count in range(round(top / step) + 1) if step * count <= top + 1e-9]
    rules = [
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{_y(tick, top):.1f}" y2="{_y(tick, top):.1f}" '
        f'stroke="currentColor" stroke-opacity="{0.6 if not tick else 0.15}"/>'
        f'<text x="{LEFT - 8}" y="{_y(tick, top) + 4:.1f}" text-anchor="end">{tick:.1f}</text>'
        for tick in ticks
    ]
    last = max(1, len(names) - 1)
    feet = [
        f'<text x="{_x(place / last):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
        f"{escape(name)}</text>"
        for place, name in enumerate(names)
    ]
    return rules + feet


def _axis_titles(plot: Plot) -> str:
    middle = TOP + (HEIGHT - TOP - BOTTOM) / 2
    return (
        f'<text x="{_x(0.5):.1f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(plot.x_title)}</text>'
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">'
        f"{escape(plot.y_title)}</text>"
    )


def _band(rank: int, series: Series, top: float, faint: float) -> str:
    outline = [*_points(series.high, top), *reversed(_points(series.low, top))]
    return f'<polygon fill="{_colour(rank)}" fill-opacity="{faint}" points="{" ".join(outline)}"/>'


def _line(rank: int, series: Series, top: float) -> str:
    dash = DASHES[rank % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    points = " ".join(_points(series.middle, top))
    return f'<polyline fill="none" stroke="{_colour(rank)}" stroke-width="1.8"{dashed} points="{points}"/>'


def _names(all_series: Sequence[Series], top: float) -> list[str]:
    """Write each name at the end of its curve, moved apart where two would overlap."""
    ends = sorted((_y(each.middle[-1], top), rank) for rank, each in enumerate(all_series) if each.middle)
    places, above = [], float("-inf")
    for end, rank in ends:
        above = max(end, above + LABEL_GAP)
        places.append((above, rank))
    over = max(0.0, (places[-1][0] if places else 0.0) - (HEIGHT - BOTTOM))
    return [
        f'<text x="{WIDTH - RIGHT + 7}" y="{y - over + 4:.1f}" fill="{_colour(rank)}">'
        f"{escape(all_series[rank].name)}</text>"
        for y, rank in places
    ]


def _colour(rank: int) -> str:
    return COLOURS[rank % len(COLOURS)]
