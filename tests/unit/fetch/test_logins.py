"""What the user is known by goes to the hosts it is for, and a mistake in it is one sentence without it."""

import pytest

from thresher.core.errors import SettingsError
from thresher.core.url import parse
from thresher.fetch.request_headers import CookieJar, read_cookies, secret_lines

NOW = 1_000_000.0
FILE = """# Netscape HTTP Cookie File

.example.co.uk\tTRUE\t/\tFALSE\t0\tsession\tabc
#HttpOnly_.example.co.uk\tTRUE\t/shop\tTRUE\t2000000\tbasket\tfull
www.example.co.uk\tFALSE\t/\tFALSE\t0\tonly\twww
example.co.uk\tFALSE\t/\tFALSE\t999999\told\tover
.co.uk\tTRUE\t/\tFALSE\t0\teverybody\t1
"""


def sent(tmp_path, url: str) -> str:
    (tmp_path / "cookies.txt").write_text(FILE)
    return CookieJar(read_cookies(tmp_path / "cookies.txt", NOW)).header(parse(url))


def test_cookies_of_a_file_go_where_a_browser_would_send_them(tmp_path):
    assert sent(tmp_path, "https://example.co.uk/") == "session=abc"
    assert sent(tmp_path, "https://www.example.co.uk/") == "session=abc; only=www"
    assert sent(tmp_path, "https://a.www.example.co.uk/") == "session=abc"
    assert sent(tmp_path, "https://www.example.co.uk/shop/1") == "session=abc; basket=full; only=www"
    assert sent(tmp_path, "http://www.example.co.uk/shop/1") == "session=abc; only=www"
    for elsewhere in ("https://other.co.uk/", "https://badexample.co.uk/", "https://example.com/"):
        assert sent(tmp_path, elsewhere) == ""


def test_what_a_site_sets_is_newer_than_the_file(tmp_path):
    (tmp_path / "cookies.txt").write_text(FILE)
    jar, home = CookieJar(read_cookies(tmp_path / "cookies.txt", NOW)), parse("https://example.co.uk/")
    jar.learn(home, ["session=new"], NOW)
    assert jar.header(home) == "session=new"


@pytest.mark.parametrize(
    "line",
    ["session=topsecret", "a.test\tTRUE\t/\tFALSE\tnever\ts\ttopsecret", "a.test\tx\t/\tx\t0\ts\ttop\x00"],
)
def test_a_line_that_is_no_cookie_is_named_by_its_number_and_not_shown(tmp_path, line):
    (tmp_path / "cookies.txt").write_text(f"# mine\n{line}\n")
    with pytest.raises(SettingsError, match="line 2") as told:
        read_cookies(tmp_path / "cookies.txt", NOW)
    assert "top" not in str(told.value)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(SettingsError, match=r"web.cookie_file: .* cannot be read"):
        read_cookies(tmp_path / "none.txt", NOW)


def test_a_host_alone_means_https_and_a_header_of_ones_own_outranks_the_password():
    lines = secret_lines(
        {"example.org": "me:pass"}, {"example.org": {"authorization": "Bearer x", "X-Key": "k"}}
    )
    assert lines == {"https://example.org": "Authorization: Bearer x\r\nX-Key: k\r\n"}
    assert list(secret_lines({"http://example.org:8080": "me:pass"}, {})) == ["http://example.org:8080"]


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [("no host", "X-Key", "topsecret"), ("a.test", "Host", "topsecret"), ("a.test", "Cookie", "topsecret"),
     ("a.test", "X Key", "topsecret"), ("a.test", "X-Key", "top\r\nHost: b")],
)  # fmt: skip
def test_a_header_that_cannot_be_sent_is_refused_without_its_value(place, name, value):
    with pytest.raises(SettingsError, match=r"web\.headers") as told:
        secret_lines({}, {place: {name: value}})
    assert "top" not in str(told.value)
