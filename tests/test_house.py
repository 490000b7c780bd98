"""The picture of the house is drawn from the code, and shows it as it is."""

import re

from scripts.draw_house import PICTURE, ROOT, draw, house, way
from scripts.measure_house import table


def without_sizes(picture: str) -> str:
    """Return a picture without its counts, which `make house` refreshes now and then."""
    return re.sub(r'(class="size"[^>]*>)[^<]*', r"\1", picture)


def test_the_picture_shows_the_packages_layers_and_steps_of_today():
    told = "The house has changed: make house draws it anew."
    assert without_sizes(PICTURE.read_text()) == without_sizes(draw()), told


def test_every_step_of_a_visit_passes_through_a_package_that_is_drawn():
    drawn = {package.name for row in house() for package in row}
    assert [title for title, names in way().values() if not set(names) & drawn] == []


def test_a_package_that_is_new_changes_the_picture():
    assert without_sizes(draw()) != without_sizes(draw().replace(">frontier<", ">scheduler<"))


def test_the_house_keeps_its_limits():
    assert [(row.what, row.figure, row.found[:5]) for row in table() if row.figure > row.most] == []


def test_twelve_likely_changes_are_answered_with_the_files_they_touch():
    page = (ROOT / "docs" / "extend" / "where-to-change.md").read_text()
    section = page[page.index("## Twelve changes") : page.index("## Everything else")]
    rows = re.findall(r"^\| (?!change|-)(.+?) \| (\d+|many) \| (.+) \|$", section, re.M)
    counted = {change: len(set(re.findall(r"`([a-z_/]+\.py)`", which))) for change, _, which in rows}
    assert len(rows) == 12
    assert {change: int(number) for change, number, _ in rows if number != "many"} == {
        change: counted[change] for change, number, _ in rows if number != "many"
    }
