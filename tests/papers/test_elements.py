"""Every element of the five papers has its code and its test, by names that are alive."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAPERS = {"jamali": 12, "ctfc": 16, "ratna": 12, "mali": 14, "fcmrps": 15}
_ROW = re.compile(r"^\|[^|]+\|[^|]+\|`(\S+?)::(\w+)`\|[^|]+\|`(\S+)::(\w+)`\|$", re.MULTILINE)
ROWS = {name: _ROW.findall((ROOT / f"docs/papers/{name}.md").read_text()) for name in PAPERS}


def test_every_element_has_its_row():
    assert {name: len(rows) for name, rows in ROWS.items()} == PAPERS


@pytest.mark.parametrize(("name", "row"), [(name, row) for name, rows in ROWS.items() for row in rows])
def test_code_and_test_of_an_element_are_there(name: str, row: tuple[str, str, str, str]):
    code, symbol, file, test = row
    assert re.search(rf"\b{symbol}\b", (ROOT / "src/thresher" / code).read_text()), row
    assert f"def {test}(" in (ROOT / file).read_text(), row
