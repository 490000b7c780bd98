"""The address that `why` proposes for one it does not know: a slip, or nothing."""

import pytest

from thresher.report.similar_urls import slips_between

MANUAL = "http://postgresql.manuals-on-one-shelf.localhost/docs/current/reference"


@pytest.mark.parametrize(
    ("asked", "known", "slips"),
    [
        ("http://a.org/hives.html", "http://a.org/hive.html", 1),
        ("http://a.org/hievs.html", "http://a.org/hives.html", 1),
        ("http://exmaple.org/hives.html", "http://example.org/hives.html", 1),
        ("https://a.org/hives.html", "http://www.a.org/hives.html", 0),
        ("http://a.org/bees/", "http://a.org/bees/index.html", 0),
        ("http://a.org/Bees", "http://a.org/bees/", 0),
    ],
)
def test_a_slip_is_counted_in_letters(asked, known, slips):
    assert slips_between(asked, known) == slips


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        (f"{MANUAL}/transaction-iso.html", f"{MANUAL}/functions-comparisons.html"),
        (f"{MANUAL}/garbagecollection.html", f"{MANUAL}/core.html"),
        (f"{MANUAL}/re.html", f"{MANUAL}/gc.html"),
        (f"{MANUAL}/a", f"{MANUAL}/b"),
        (f"{MANUAL}/hives/one.html", f"{MANUAL}/hives.html"),
    ],
)
def test_however_much_of_an_address_is_shared_another_page_is_no_slip(asked, known):
    assert slips_between(asked, known) is None
