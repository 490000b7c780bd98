"""The eight numbers Mali & Meshram print for two paragraphs of a magazine, which are not ours to keep."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from thresher.parse.fingerprint import count_symbols, structure, text_code
from thresher.parse.html import read


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    found = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set")) / "spec" / "golden.json"
    assert found.is_file(), f"No file {found}: set THRESHER_SHARED to the folder that holds spec/golden.json."
    loaded: dict[str, Any] = json.loads(found.read_text())
    return loaded


def test_the_legacy_form_gives_all_eight_printed_numbers(golden):
    assert len(golden["003_text_code"]) == 2
    for case in golden["003_text_code"]:
        printed = case["legacy_cp1252_signed_eof"]
        symbols = count_symbols(case["text"], legacy=True)
        assert symbols._asdict() == {
            "total": printed["sum"],
            "length": printed["count"],
            "distinct": printed["distinct"],
        }
        assert f"{text_code(case['text'], legacy=True):.6f}" == printed["code"]


@pytest.mark.parametrize(("form", "dash"), [("unicode", "\u2014"), ("hyphen", "-")])
def test_our_form_gives_the_codes_of_the_specification(golden, form, dash):
    for case in golden["003_text_code"]:
        text, expected = case["text"].replace("\u2014", dash), case[form]
        symbols = count_symbols(text)
        assert tuple(symbols) == (expected["sum"], expected["count"], expected["distinct"])
        assert f"{text_code(text):.6f}" == expected["code"]


def test_the_paragraph_as_it_was_scanned_has_another_code(golden):
    """Two words joined and the dash a hyphen: numbers of papers.md 1.5, not the printed ones."""
    scanned = golden["003_text_code"][0]["text"].replace("\u2014", "-").replace("dumb jock", "dumbjock")
    assert tuple(count_symbols(scanned)) == (56771, 617, 43)
    assert f"{text_code(scanned):.6f}" == "1320.255814"


def test_the_blind_spots_are_as_blind_as_told(golden):
    for one, other, code in golden["003_text_code_blind"]:
        assert f"{text_code(one):.6f}" == f"{text_code(other):.6f}" == code


def test_the_tag_strings_are_those_of_the_specification(golden):
    case = golden["003_tags"]
    assert structure(read(case["html"]).tags) == (case["string1"], case["string2"])
