"""robots.txt, line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stopwatch import cpu_seconds
from thresher.fetch.robots import matches, parse_robots


def allowed(text: str, path: str, token: str = "thresher") -> bool:
    return parse_robots(text.encode(), token).verdict(f"http://example.org{path}").allowed


def test_the_longest_rule_wins_and_allow_wins_a_tie():
    text = "User-agent: *\nDisallow: /shop\nAllow: /shop/open\nDisallow: /same\nAllow: /same\n"
    assert not allowed(text, "/shop/closed")
    assert allowed(text, "/shop/open/now")
    assert allowed(text, "/same")


def test_groups_for_one_name_are_read_as_one():
    text = (
        "User-agent: thresher\nDisallow: /a\n\nUser-agent: other\nDisallow: /\n\n"
        "User-agent: Thresher\nDisallow: /b\n"
    )
    assert [allowed(text, path) for path in ("/a", "/b", "/c")] == [False, False, True]


def test_a_group_of_our_own_replaces_the_one_for_everybody():
    text = "User-agent: *\nDisallow: /\n\nUser-agent: thresher\nDisallow:\n"
    assert allowed(text, "/anything")
    assert not allowed(text, "/anything", token="other")


def test_other_lines_do_not_part_a_group():
    text = "User-agent: thresher\nCrawl-delay: 3\nSitemap: /s.xml\nUser-agent: other\nDisallow: /a\n"
    rules = parse_robots(text.encode(), "thresher")
    assert not rules.verdict("http://example.org/a").allowed
    assert (rules.crawl_delay, rules.sitemaps) == (3.0, ("/s.xml",))


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/fish", "/fish.html", True),
        ("/fish", "/Fish", False),
        ("/fish*", "/fishheads", True),
        ("/*.php$", "/folder/any.php", True),
        ("/*.php$", "/any.php?page=1", False),
        ("/a*b*c$", "/a-b-b-c", True),
        ("/a*b*c$", "/a-c-b", False),
        ("/x*x$", "/x", False),
        ("*/private", "/very/private", True),
        ("/$", "/", True),
        ("/$", "/a", False),
    ],
)
def test_star_and_dollar(pattern, path, fits):
    assert matches(pattern, path) is fits


def test_a_thousand_stars_cost_nothing():
    assert not matches("/" + "*a" * 1000 + "$", "/" + "a" * 999 + "b")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/%7Ejoe", "/~joe"),
        ("/~joe", "/%7Ejoe"),
        ("/a<b", "/a%3Cb"),
        ("/a%3cb", "/a%3Cb"),
        ("/price$5", "/price$5"),
    ],
)
def test_no_spelling_slips_through(pattern, path):
    assert not allowed(f"User-agent: *\nDisallow: {pattern}\n", path)


def test_characters_beyond_ascii_are_matched_as_they_are_fetched():
    assert not allowed("User-agent: *\nDisallow: /ツ\n", "/%E3%83%84")


def test_only_the_first_500_kibibytes_count():
    text = "User-agent: *\nDisallow: /early\n" + "#" * 512_000 + "\nDisallow: /late\n"
    assert not allowed(text, "/early")
    assert allowed(text, "/late")


def test_the_verdict_names_its_rule():
    verdict = parse_robots(b"User-agent: *\n\nDisallow: /a*z\n", "thresher").verdict("http://example.org/a-z")
    assert str(verdict.rule) == "Disallow: /a*z (line 3)"


@pytest.mark.parametrize(
    ("value", "delay"), [("5", 5.0), ("0.5", 0.5), ("-1", None), ("soon", None), ("nan", None)]
)
def test_crawl_delay_is_a_number_or_nothing(value, delay):
    assert parse_robots(f"User-agent: *\nCrawl-delay: {value}\n".encode(), "thresher").crawl_delay == delay


@pytest.mark.parametrize(
    ("value", "delay"),
    [
        ("1/5", 5.0),
        ("1/10m", 600.0),
        ("2 / 1h", 1800.0),
        ("1/5s 0800-1300", 5.0),
        ("1/0", 0.0),
        ("fast", None),
    ],
)
def test_request_rate_is_a_delay(value, delay):
    assert parse_robots(f"User-agent: *\nRequest-rate: {value}\n".encode(), "thresher").crawl_delay == delay


def test_the_longer_of_crawl_delay_and_request_rate_holds():
    for lines in ("Crawl-delay: 9\nRequest-rate: 1/5", "Request-rate: 1/9\nCrawl-delay: 5"):
        assert parse_robots(f"User-agent: *\n{lines}\n".encode(), "thresher").crawl_delay == 9.0


@pytest.mark.parametrize("text", ["User-agent: a\n" * 37_000, "Disallow: /%41é\n" * 30_000, "é" * 256_000])
def test_no_file_takes_long(text):
    """Half a mebibyte is the most that is read, and no line costs more for those before it."""
    assert not allowed(f"User-agent: *\nDisallow: /x\n{text}", "/x")


HOSTILE = {
    "20 stars in each of 8,827 rules": b"".join(
        b"Disallow: /*" + b"a*" * 20 + b"%d\n" % number for number in range(8_827)
    ),
    "32,000 rules that begin with a star": b"".join(
        b"Disallow: *%04x\n" % number for number in range(32_000)
    ),
    "23,272 rules of three stars": b"".join(b"Disallow:/*a*b*%d\n" % number for number in range(23_272)),
    "31,000 rules without a star": b"".join(b"Disallow:/a%d\n" % number for number in range(31_000)),
    "16,000 rules of eight stars": b"".join(
        b"Disallow:/*a*a*a*a*a*a*a*%d\n" % number for number in range(16_000)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("path", ["a" * 2_000, "ab" * 1_000])
def test_a_verdict_takes_but_a_moment_whatever_the_rules(name, path):
    rules = parse_robots(b"User-agent: *\n" + HOSTILE[name], "thresher")
    assert cpu_seconds(lambda: rules.verdict(f"http://a.test/{path}")) < 0.02


def test_a_pattern_of_too_many_stars_forbids_what_its_beginning_forbids():
    stars = "*".join("abcdefghijkl")
    rules = parse_robots(f"User-agent: *\nDisallow: /{stars}\nAllow: /x{stars}".encode(), "thresher")
    assert not rules.verdict("http://a.test/abcdefghi").allowed
    assert rules.verdict("http://a.test/abcdefgh").allowed
    assert not rules.verdict("http://a.test/abcdefghijkl").allowed


@given(
    st.lists(st.tuples(st.booleans(), st.text("ab*$/", max_size=8)), max_size=6),
    st.text("ab/", max_size=10),
    st.integers(0, 1),
)
def test_many_rules_say_what_few_say(rules, path, fill):
    """Where a file has many rules, most are passed over by three of their letters: never one that matches."""
    lines = [f"{'Allow' if allow else 'Disallow'}: /{pattern}" for allow, pattern in rules]
    filler = [f"Disallow: /zzz{number}" for number in range(300 * fill)]
    url = f"http://a.test/{path}"
    few = parse_robots("\n".join(["User-agent: *", *lines]).encode(), "thresher").verdict(url)
    many = parse_robots("\n".join(["User-agent: *", *lines, *filler]).encode(), "thresher").verdict(url)
    assert few == many
