"""`lab papers`: the printed numbers at 80 columns, and each paper on a web made for it."""

import json

import pytest

from tests.command_line import thresher

NAMES = [
    "ratna",
    "mali",
    "fcmrps",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("jamali", "ctfc")),
]


def test_the_table_fits_80_columns_and_has_every_number():
    said = thresher("lab", "papers").out
    assert max(map(len, said.splitlines())) <= 80
    assert "1317.488403  1317.488403" in said and "not comparable: " in said
    listed = json.loads(thresher("lab", "papers", "--json").out)
    assert [each["strategy"] for each in listed] == ["ctfc", "fcmrps", "jamali", "mali", "ratna"]


def test_a_paper_that_is_none_of_the_five_is_refused_with_the_nearest():
    refused = thresher("lab", "papers", "jamaly")
    assert refused.code == 4 and "jamali" in refused.err


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", NAMES)
def test_a_paper_is_played_with_its_tables_pictures_and_formulas(name, tmp_path):
    ran = thresher("lab", "papers", name, "-o", str(tmp_path))
    *lines, last = ran.out.splitlines()
    assert ran.code == 0 and max(map(len, lines)) <= 80 and "seconds. Pictures:" in last
    assert "Every formula with the numbers of this crawl" in ran.out
    assert ("comparable" in ran.out) or "no experiment" in ran.out
    assert [each.suffix for each in tmp_path.iterdir()] and all(
        each.read_text(encoding="utf-8").startswith("<svg") for each in tmp_path.iterdir()
    )


@pytest.mark.timeout(300)
def test_fcmrps_finds_pages_in_both_languages_and_the_worked_addresses_are_exact():
    told = json.loads(thresher("lab", "papers", "fcmrps", "--json").out)
    tables = {each["caption"].partition(".")[0]: each["rows"] for each in told["tables"]}
    caption = next(each for each in told["tables"] if "Both languages" in each["caption"])
    assert all(int(relevant) > 10 for _, relevant, _ in caption["rows"])
    worked = next(each for each in told["tables"] if "worked addresses" in each["caption"])
    assert [ours for _, _, ours, _ in worked["rows"]] == ["1.000", "0.333", "0.500"]
    shares = [float(ours.rstrip("%")) for _, _, ours, _ in tables["Table 3"]]
    assert shares[-1] == max(shares)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_ctfc_finds_more_with_each_quadrant():
    told = json.loads(thresher("lab", "papers", "ctfc", "--json").out)
    recalls = [float(ours) for _, _, ours, _ in told["tables"][0]["rows"]]
    assert recalls == sorted(recalls) and recalls[-1] > recalls[0]
