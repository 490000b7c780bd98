"""Draws docs/images/speed.svg from results/speed/rounds.tsv: the median of each row as a bar.

python scripts/draw_speed.py
"""

import csv
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
ROUNDS, PICTURE = ROOT / "results" / "speed" / "rounds.tsv", ROOT / "docs" / "images" / "speed.svg"
ROW, LEFT, WIDTH, TOP = 26, 240, 300, 34  # pixels of a row, of the names, of the longest bar, of the title
TITLE = "Seconds of processor time per 1,000 pages"
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
    'font-family="system-ui, sans-serif" font-size="14" role="img"><title>{title}</title>'
    "<style>text {{ fill: #55524d }} rect {{ fill: #9db4c0 }} .ours {{ fill: #0b66a8 }}"
    " @media (prefers-color-scheme: dark) {{ text {{ fill: #c9c5bc }} .ours {{ fill: #6db6ee }} }}</style>"
    '<text x="0" y="18" font-weight="600">{title}</text>'
)


def medians() -> dict[str, float]:
    """Return the median seconds of each row, in the order of the table."""
    found: dict[str, list[float]] = {}
    with ROUNDS.open(newline="") as file:
        for each in csv.DictReader(file, delimiter="\t"):
            found.setdefault(each["row"], []).append(float(each["cpu_s_per_1000"]))
    return {row: median(seconds) for row, seconds in found.items()}


def picture(rows: dict[str, float]) -> str:
    """Return the bars as SVG."""
    scale, high = WIDTH / max(rows.values()), TOP + ROW * len(rows)
    bars = []
    for place, (row, seconds) in enumerate(rows.items()):
        y, kind = TOP + ROW * place, "ours" if row.startswith("Thresher") else "other"
        bars.append(
            f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{row}</text>'
            f'<rect class="{kind}" x="{LEFT}" y="{y + 2}" width="{seconds * scale:.1f}" height="{ROW - 8}"/>'
            f'<text x="{LEFT + seconds * scale + 6:.1f}" y="{y + 15}">{seconds:.2f}</text>'
        )
    head = HEAD.format(wide=LEFT + WIDTH + 60, high=high, title=TITLE)
    return "\n".join((head, *bars, "</svg>\n"))


if __name__ == "__main__":
    PICTURE.write_text(picture(medians()))
