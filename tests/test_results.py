"""Figures know what they were measured on: a page whose strategy has changed since says so."""

import re
from pathlib import Path

import pytest

from tests.orders import line_of, pinned, short

ROOT = Path(__file__).parent.parent
PAGES = (
    "docs/trust/how-good.md",
    "results/contenders/README.md",
    "results/ctfc/README.md",
    "results/fcmrps/README.md",
    "results/five-papers/README.md",
    "results/jamali/README.md",
    "results/polite/README.md",
)
SINCE = "**Changed since**: "
_ROW = re.compile(r"^\|[ *\[]*`?(\w+)(\+sound)?\b", re.MULTILINE)


def played(text: str) -> dict[str, str]:
    """Return the digest of each strategy of a page, as it was when the page was measured; ? if not known."""
    found = re.search(r"<!-- orders: (.*?) -->", text)
    return dict(each.split("=") for each in found[1].split(", ")) if found else {}


def unsaid(text: str) -> list[str]:
    """Return the strategies of a page that changed since without the page saying so."""
    said = " ".join(line for line in text.splitlines() if SINCE in line)
    return [
        name for name, digest in played(text).items() if digest != short(name) and f"`{name}`" not in said
    ]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_which_of_its_strategies_have_changed_since(page):
    """Play them again, or name them in a line that begins with **Changed since**."""
    assert unsaid((ROOT / page).read_text()) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_strategy_in_a_table_of_a_page_has_its_digest_there(page):
    text = (ROOT / page).read_text()
    shown = {f"{name}{form}" for name, form in _ROW.findall(text) if f"{name}{form}" in pinned()}
    assert shown <= played(text).keys()


def test_a_page_with_an_old_digest_fails_until_it_says_so():
    text = line_of(["mali", "ctfc"]).replace(short("ctfc"), "000000/000000")
    assert unsaid(text) == ["ctfc"]
    assert unsaid(f"{SINCE}`ctfc` goes backward.\n{text}") == []
