"""URLs: one form for each page, the host at a glance, and nothing a server might care about is touched."""

import pytest
from ada_url import URL
from hypothesis import given
from hypothesis import strategies as st

from thresher.core.errors import InvalidUrl
from thresher.core.records import Url
from thresher.core.url import (
    blocks,
    host_of,
    hostname_of,
    href,
    join,
    key,
    normalise,
    parse,
    registered_domain,
    tokens,
    with_scheme,
)

PAGE = parse("http://a.com/b/c/d;p?q")


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("  http://exam\tple.com/a\nb ", "http://example.com/ab"),
        ("http://example.com\\a\\b", "http://example.com/a/b"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/a/%2E%2e/c", "http://example.com/c"),
        ("http://example.com/a#b", "http://example.com/a"),
        ("http://user:secret@example.com/a@b?c@d", "http://example.com/a@b?c@d"),
        ("http://example.com/%7euser/%61?%62=%2f", "http://example.com/~user/a?b=%2F"),
        ("http://example.com/篮球?q=篮", "http://example.com/%E7%AF%AE%E7%90%83?q=%E7%AF%AE"),
        ("http://篮球.中国/", "http://xn--5eyv2o.xn--fiqs8s/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[0:0::1]/", "http://[::1]/"),
    ],
)
def test_spellings_of_one_url_have_one_normal_form(written: str, normal: str):
    assert parse(written) == normalise(written) == normal


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/a/",
        "http://example.com/a//b",
        "http://example.com/A?b=2&a=1",
        "http://example.com/a?",
        "http://example.com/a?x[]=1|2",
        "http://www.example.com/index.html",
        "http://example.com./",
        "http://example.com/9%2F11",
        "http://example.com/?utm_source=letter",
    ],
)
def test_what_a_server_may_care_about_is_kept(url: str):
    assert parse(url) == url


def test_decoding_never_makes_an_escape_that_was_not_there():
    assert parse("http://example.com/%25%32%65") == "http://example.com/%252e"
    assert parse("http://example.com/%%32%65") == "http://example.com/%%32%65"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("example.com/page", "'http://example.com/page'"),
        ("localhost:8080", "'http://localhost:8080'"),
        ("mailto:somebody@example.com", "'https://example.org/page'"),
        ("ftp://example.com/", "'https://example.org/page'"),
        ("http://", "'https://example.org/page'"),
        ("http://exa mple.com/", "'https://example.org/page'"),
        ("http://example.com:99999/", "'https://example.org/page'"),
        ("http://\ud800.com/", "'https://example.org/page'"),
        ("", "'https://example.org/page'"),
    ],
)
def test_what_is_no_http_url_is_refused_with_advice(text: str, advice: str):
    with pytest.raises(InvalidUrl) as refusal:
        parse(text)
    assert str(refusal.value) == f"{text!r} is not an http or https URL; write it in full, such as {advice}."


def test_a_long_text_is_refused_in_a_short_sentence():
    with pytest.raises(InvalidUrl, match=r"^.{0,200}$"):
        parse("data:text/plain," + "x" * 100_000)


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("", "http://a.com/b/c/d;p?q"),
        ("#top", "http://a.com/b/c/d;p?q"),
        ("g", "http://a.com/b/c/g"),
        ("/g", "http://a.com/g"),
        ("//b.com/g", "http://b.com/g"),
        ("?y", "http://a.com/b/c/d;p?y"),
        ("../../../../g", "http://a.com/g"),
        ("https:g", "https://g/"),
        ("http:g", "http://a.com/b/c/g"),
        (" \n./g ", "http://a.com/b/c/g"),
    ],
)
def test_a_reference_leads_where_a_browser_would_go(reference: str, target: str):
    assert join(PAGE, reference) == target


@pytest.mark.parametrize("reference", ["javascript:void(0)", "mailto:a@b.c", "data:,x", "http://:80/"])
def test_a_reference_that_leads_nowhere_is_refused(reference: str):
    with pytest.raises(InvalidUrl):
        join(PAGE, reference)


def test_a_query_is_written_in_the_charset_of_its_page_and_the_path_in_utf_8():
    assert join(PAGE, "/篮?q=篮球", "gb18030") == "http://a.com/%E7%AF%AE?q=%C0%BA%C7%F2"
    assert join(PAGE, "?q=é€", "latin-1") == "http://a.com/b/c/d;p?q=%E9%26%238364%3B"
    assert join(PAGE, "?q=é", "charset-of-mars") == "http://a.com/b/c/d;p?q=%C3%A9"


def test_href_keeps_the_fragment_the_credentials_and_the_scheme():
    assert href("http://user@a.com:80/b#c") == "http://user@a.com/b#c"
    assert href("x:y", PAGE) == "x:y"


@pytest.mark.parametrize(
    ("url", "host", "name"),
    [
        ("http://a.com/", "http://a.com", "a.com"),
        ("https://a/b?c=//d/", "https://a", "a"),
        ("http://a.com:8080/b/c", "http://a.com:8080", "a.com"),
        ("http://127.0.0.1:81/", "http://127.0.0.1:81", "127.0.0.1"),
        ("https://[::1]:81/", "https://[::1]:81", "::1"),
    ],
)
def test_the_host_is_scheme_name_and_port(url: str, host: str, name: str):
    assert host_of(parse(url)) == host
    assert hostname_of(parse(url)) == name


@pytest.mark.parametrize(
    ("where", "domain"),
    [
        ("http://www.sports.example.com:8080/a", "example.com"),
        ("a.b.Example.CO.UK", "example.co.uk"),
        ("http://somebody.github.io/", "somebody.github.io"),
        ("co.uk", "co.uk"),
        ("http://localhost:8000/", "localhost"),
        ("http://127.77.0.1:8000/", "127.77.0.1"),
        ("http://[::1]:8000/", "::1"),
        ("::1", "::1"),
        ("example.com:8000", "example.com"),
        ("http://www.example.com./", "example.com"),
        ("http://www.somebody.xn--55qx5d.cn/", "somebody.xn--55qx5d.cn"),
    ],
)
def test_the_registered_domain_is_what_somebody_can_own(where: str, domain: str):
    assert registered_domain(where) == domain


@pytest.mark.parametrize(
    ("url", "identity"),
    [
        ("http://a.com/p/7?utm_source=x&utm_medium=y3", "http://a.com/p/7"),
        ("http://a.com/p?id=7&fbclid=Iw&page=2", "http://a.com/p?id=7&page=2"),
        ("http://a.com/p?PHPSESSID=1&b=2&a=1", "http://a.com/p?b=2&a=1"),
        ("http://a.com/p?p=1&sid=00ff00ff00ff00ff", "http://a.com/p?p=1"),
        ("http://a.com/p;jsessionid=00FF/q?r", "http://a.com/p/q?r"),
        ("http://a.com/p?", "http://a.com/p"),
        ("http://a.com/p?&a=1&&b=2&", "http://a.com/p?a=1&b=2"),
        ("http://a.com/p?a[]=1", "http://a.com/p?a%5B%5D=1"),
    ],
)
def test_pages_that_differ_in_who_asks_have_one_key(url: str, identity: str):
    assert key(parse(url)) == identity


@pytest.mark.parametrize(
    "url",
    [
        "http://a.com/p",
        "http://a.com/p;v=2/q",
        "http://a.com/p?sid=12",
        "http://a.com/p?ref=home",
        "http://a.com/p?b=2&a=1",
        "http://a.com/utm_source=x",
    ],
)
def test_pages_that_may_differ_keep_their_keys(url: str):
    assert key(parse(url)) == url


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://www.sports.example.co.uk/Basket-Ball_2008/index.html", "sports example basket ball 2008"),
        ("http://a.com/docs/php/intro.php?Topic=NBA+news", "a docs php intro topic nba news"),
        ("http://篮球.中国/%E6%96%B0%E9%97%BB.shtml", "篮球 新闻"),
        ("http://127.0.0.1:8080/match", "match"),
        ("http://[::1]/match", "match"),
        ("http://localhost/%FF%C4%B0x", "i x"),
        ("http://www.example.com", "example"),
    ],
)
def test_tokens_are_the_words_a_reader_sees(url: str, words: str):
    assert " ".join(tokens(parse(url))) == words


def test_blocks_are_cut_at_slashes_and_dots_only():
    """Chen et al. 2009, section 3.5, and `basket-ball` written with a hyphen."""
    assert blocks(parse("http://sports.sohu.com/lanqiu.shtml")) == ("sports", "sohu", "lanqiu")
    assert blocks(parse("http://www.sh.xinhuanet.com")) == ("sh", "xinhuanet")
    assert blocks(parse("http://cn.sports.yahoo.com/Basket-ball")) == ("cn", "sports", "yahoo", "basketball")


host = st.from_regex(r"[a-z0-9-]{1,8}(\.[a-z]{2,5}){0,2}(:[0-9]{1,5})?", fullmatch=True)
pieces = [*"aZ0-._~%/?#@:;&=+[]|\\ \t篮é", "%2", "%32", "%65", "2e", "%2E", "..", "utm_x=", ";jsessionid="]
noise = st.lists(st.sampled_from(pieces), max_size=12).map("".join)
written = st.builds(
    "{}{}{}".format, st.sampled_from(["http://", "https://", "HTTP:", "http:\\\\"]), host, noise
)


def accepted(text: str) -> Url | None:
    try:
        return parse(text)
    except InvalidUrl:
        return None


@given(written | st.text(max_size=40))
def test_the_normal_form_of_a_normal_form_is_itself(text: str):
    if url := accepted(text):
        assert normalise(url) == url
        assert join(url, "") == url
        assert join(url, url) == url


@given(written)
def test_the_host_at_a_glance_is_the_host_of_the_full_parser(text: str):
    if url := accepted(text):
        full = URL(url)
        assert host_of(url) == full.origin
        assert hostname_of(url) == full.hostname.strip("[]")


@given(written, noise)
def test_a_join_is_a_normal_form_or_refused(text: str, reference: str):
    if url := accepted(text):
        try:
            target = join(url, reference)
        except InvalidUrl:
            return
        assert normalise(target) == target


@given(written)
def test_a_key_has_no_shorter_key(text: str):
    if url := accepted(text):
        assert key(Url(key(url))) == key(url)


@given(written)
def test_a_fragment_never_makes_another_page(text: str):
    if (url := accepted(text)) and "#" not in text:
        assert accepted(f"{text.rstrip()}#part") == accepted(text.rstrip()) == url


@given(written)
def test_tokens_are_lower_case_words(text: str):
    if url := accepted(text):
        assert all(word == word.lower() and word.isalnum() for word in tokens(url))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("example.org", "https://example.org"),
        ("example.org:8080/tea?x=1", "https://example.org:8080/tea?x=1"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1:8000/a", "http://127.0.0.1:8000/a"),
        ("http://example.org/", "http://example.org/"),
        ("tea", "tea"),
        ("mailto:me@example.org", "mailto:me@example.org"),
    ],
)
def test_an_address_without_a_scheme_gets_the_usual_one(typed, meant):
    assert with_scheme(typed) == meant
