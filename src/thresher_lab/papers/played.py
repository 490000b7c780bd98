"""What the play of a paper brings: tables beside the printed numbers, pictures, and formulas with numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from thresher.report.charts import draw
from thresher.report.shapes import Chart, ChartLine
from thresher_lab.tables import Grid

BARS = "▁▂▃▄▅▆▇█"


@dataclass
class PlayedPaper:
    """The play of one paper on the web made for it."""

    web: str  # what the web is, in a sentence
    tables: list[Grid] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    formulas: list[tuple[str, str, str]] = field(default_factory=list)  # where, the formula, with numbers

    def figure(
        self,
        title: str,
        x_title: str,
        y_title: str,
        lines: Mapping[str, Sequence[float]],
        step: float = 1,
        feet: tuple[str, ...] = (),
    ) -> None:
        """Add a picture: each line by its name, its values evenly spread along the x axis."""
        first = 0 if feet else 1
        drawn = tuple(
            ChartLine(name, tuple((step * (at + first), value) for at, value in enumerate(values)))
            for name, values in lines.items()
        )
        shape = Chart(title, x_title, drawn, y_title, percent=True, least_step=0.01, feet=feet)
        self.charts.append(shape)

    def pictures(self) -> list[tuple[str, str]]:
        """Return each picture as SVG, with its title."""
        return [(chart.title, draw(chart)) for chart in self.charts]


def bars(values: Sequence[float], most: float = 1.0) -> str:
    """Return values as a row of bars that a terminal shows."""
    return "".join(BARS[min(7, int(8 * min(1.0, value / (most or 1.0))))] for value in values)


def row(what: str, printed: str, ours: str, comparable: str) -> tuple[str, str, str, str]:
    """Return a row of a table beside the printed numbers."""
    return (what, printed, ours, comparable)


BESIDE = ("what", "printed", "here", "comparable")
"""The heads of tables that stand beside printed numbers."""
