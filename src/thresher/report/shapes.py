"""What is no line chart, as plain SVG: a spark in a row, columns, and the way from a seed.

As in `charts.py` there is no script, no style and no link; everything foreign is escaped here.
"""

from collections.abc import Sequence
from html import escape
from itertools import accumulate, pairwise

from thresher.export.wording import many, plain
from thresher.report.paper import NARROW, Place, count

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
    """Return changes by day: news, and above them what is none."""
    bottom = 20
    most = max(1, *(news + other for _, news, other in counts))
    wide = min(70.0, width / max(1, len(counts)))
    floor, every = DAYS - bottom, -(-46 // int(wide))
    drawn = []
    for place, (day, news, other) in enumerate(counts):
        low, high = ((floor - 6) * amount / most for amount in (news, other))
        told = f"{day}: {count(news)} with news, {count(other)} without"
        x, gap = place * wide + 1, 1 if news else 0
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
