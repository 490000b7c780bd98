"""What a host may ask for, in every way HTTP lets it."""

import pytest

from thresher.fetch.limits import retry_after

NOW = 784_111_770.0  # seven seconds before Sun, 06 Nov 1994 08:49:37 GMT


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 5 ", 5.0),
        ("1.5", 1.5),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 7.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 7.0),
        ("Sun Nov  6 08:49:37 1994", 7.0),
        ("Sun, 06 Nov 1993 08:49:37 GMT", 0.0),
        ("-1", None),
        ("soon", None),
        ("", None),
        ("1e3", None),
        ("120, 240", None),
        ("\u0665", None),
        ("Wed, 99 Foo 2015 07:28:00 GMT", None),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after(value, NOW) == seconds
