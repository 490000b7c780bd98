"""Draws docs/images/house.svg from the code: packages in their layers, and the way of one visit through them.

Layers come from the import contract in pyproject.toml, the numbered steps from docs/extend/architecture.md.
"""

import re
import tomllib
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "house.svg"
WIDTH, ROW, GAP, MARGIN = 940, 46, 8, 14
NOT_DRAWN = {"__main__"}
STEP = re.compile(r"^(\d+)\. \*\*(.+?)\.?\*\*(.*?)(?=^\d+\. \*\*|^Then everything|\Z)", re.M | re.S)
PATH = re.compile(r"`([a-z_]+)/[a-z_0-9/]+\.py`")


class Package(NamedTuple):
    """A package, its size, and the steps of a visit that pass through it."""

    name: str
    files: int
    lines: int
    steps: tuple[int, ...]


def layers() -> list[list[str]]:
    """Return the packages that may not import each other upwards, highest first, a list a layer."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [layered] = [contract for contract in contracts if contract["type"] == "layers"]
    rows = [[name.strip(" ()") for name in row.split("|")] for row in layered["layers"]]
    return [row for row in rows if not set(row) & NOT_DRAWN]


def way() -> dict[int, tuple[str, list[str]]]:
    """Return the numbered steps of one visit: each with its title and the packages that it names."""
    page = (ROOT / "docs" / "extend" / "architecture.md").read_text()
    found = {int(number): (title, PATH.findall(rest)) for number, title, rest in STEP.findall(page)}
    return {number: (title, list(dict.fromkeys(names))) for number, (title, names) in found.items()}


def measured(name: str, source: Path) -> Package:
    """Return a package with its number of files and lines."""
    files = sorted((source / name).rglob("*.py"))
    lines = sum(len(file.read_text().splitlines()) for file in files)
    steps = tuple(number for number, (_, names) in way().items() if name in names)
    return Package(name, len(files), lines, steps)


def house() -> list[list[Package]]:
    """Return all packages with their sizes, a list a layer; above them lab and practice web."""
    rows = [[measured(name, ROOT / "src" / "thresher") for name in row] for row in layers()]
    return [[measured(name, ROOT / "src") for name in ("thresher_lab", "thresher_practice")], *rows]


def draw() -> str:
    """Return the picture as SVG."""
    rows, steps = house(), way()
    top = MARGIN + 24
    body = [_row(row, top + at * (ROW + GAP)) for at, row in enumerate(rows)]
    foot = top + len(rows) * (ROW + GAP) + 14
    legend = [
        _text(MARGIN + (at % 2) * (WIDTH // 2), foot + 18 * (at // 2), f"{number}  {title}", 12)
        for at, (number, (title, _)) in enumerate(steps.items())
    ]
    height = foot + 18 * ((len(steps) + 1) // 2) + MARGIN
    title = "A package imports only from those below it. Numbers: the way of one page, as in architecture.md."
    frame = f'xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif"'
    return "\n".join([
        f'<svg {frame} role="img" aria-label="The packages of Thresher in layers, and the way of one page">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        _text(MARGIN, MARGIN + 8, title, 13),
        *body,
        *legend,
        "</svg>\n",
    ])  # fmt: skip


def _row(row: list[Package], y: int) -> str:
    width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
    return "\n".join(_box(package, MARGIN + at * (width + GAP), y, width) for at, package in enumerate(row))


def _box(package: Package, x: float, y: int, width: float) -> str:
    colour = "#fdf3e0" if package.steps else "#eef3fb"
    size = f"{package.files} files, {round(package.lines, -2):,} lines"
    shape = f'x="{x:.0f}" y="{y}" width="{width:.0f}" height="{ROW}" rx="5"'
    steps = enumerate(reversed(package.steps))
    badges = [_badge(number, x + width - 14 - 22 * at, y + 14) for at, number in steps]
    return "\n".join([
        f'<rect {shape} fill="{colour}" stroke="#4a6fa5"/>',
        _text(x + 9, y + 19, package.name, 14),
        _text(x + 9, y + 36, size, 11, ' class="size" fill="#555"'),
        *badges,
    ])  # fmt: skip


def _badge(number: int, x: float, y: int) -> str:
    circle = f'<circle cx="{x:.0f}" cy="{y}" r="9" fill="#b9770e"/>'
    return circle + _text(x, y + 4, str(number), 11, ' fill="white" text-anchor="middle"')


def _text(x: float, y: int, words: str, size: int, more: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y}" font-size="{size}"{more}>{escape(words)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(draw())
