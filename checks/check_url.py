"""URLs against the suites of others: browsers, the RFC, and four normalisers that disagree."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ada_url import URL

from thresher.core.errors import InvalidUrl
from thresher.core.records import Url
from thresher.core.url import (
    host_of,
    hostname_of,
    href,
    join,
    key,
    normalise,
    parse,
    registered_domain,
    tokens,
)


@pytest.fixture(scope="module")
def folder() -> Path:
    found = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set")) / "faults" / "data" / "url"
    assert found.is_dir(), f"No folder {found}: set THRESHER_SHARED to the folder that holds faults/data."
    return found


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [row for row in json.loads((folder / name).read_text()) if isinstance(row, dict)]


def crawled(text: str, base: str | None) -> Url | None:
    """Return what the crawler fetches for a text on a page: what `parse` and `join` give, None if refused."""
    try:
        return parse(text) if base is None else join(Url(base), text)
    except InvalidUrl:
        return None


def serialised(text: str, base: str | None) -> str | None:
    """Return what `parse` and `join` start from, before anything is taken off."""
    try:
        return href(text, base)
    except InvalidUrl:
        return None


def test_514_of_514_inputs_give_the_url_that_browsers_give(folder: Path):
    cases = rows(folder, "wpt_flat_http.json")
    assert len(cases) == 514
    assert [case for case in cases if serialised(case["input"], case["base"]) != case["href"]] == []


def test_parse_and_join_fetch_the_url_that_browsers_fetch(folder: Path):
    for case in rows(folder, "wpt_flat_http.json"):
        expected = None if case["failure"] else normalise(case["href"])
        assert crawled(case["input"], case["base"]) == expected, case


def test_every_url_of_the_web_platform_tests_is_read_as_browsers_read_it(folder: Path):
    cases = [case for case in rows(folder, "wpt/urltestdata.json") if "relativeTo" not in case]
    assert len(cases) > 850
    wrong = [case for case in cases if serialised(case["input"], case["base"]) != case.get("href")]
    assert wrong == []


def test_42_of_42_references_of_rfc_3986_resolve(folder: Path):
    cases = rows(folder, "rfc3986_resolution.json")
    assert len(cases) == 42
    for case in cases:
        target = href(case["ref"], case["base"])
        assert target in (case["expected"], case.get("also_ok")), case
        fetched = normalise(target) if target.startswith("http") else None
        assert crawled(case["ref"], case["base"]) == fetched, case


def test_the_references_of_crawler_commons_resolve(folder: Path):
    cases = rows(folder, "crawler_commons_resolve.json")
    assert len(cases) == 22
    assert [case for case in cases if serialised(case["ref"], case["base"]) != case["expected"]] == []


def test_the_equivalent_urls_of_rfc_3986_have_one_normal_form(folder: Path):
    """The first row is about a scheme nobody crawls; the rule is the same for http."""
    cases = rows(folder, "rfc3986_equivalence.json")
    assert len(cases) == 7
    for case in cases:
        one, other = (case[side].lower().replace("example://", "http://") for side in "ab")
        assert (normalise(one) == normalise(other)) is case["equal"], case


def test_queries_are_encoded_in_the_charset_of_their_page(folder: Path):
    """Two rows are left out: the codecs of Python and of browsers differ in these letters."""
    apart = {("\x0eA", "iso-2022-jp"), ("\ue5e5", "gb18030")}
    page = parse("http://host/")
    for case in rows(folder, "wpt/percent-encoding.json"):
        for charset, expected in case["output"].items():
            if (case["input"], charset) not in apart:
                assert join(page, f"?{case['input']}", charset) == f"http://host/?{expected}", (case, charset)


def test_the_normal_form_of_every_string_is_its_own(folder: Path):
    """Not only the strings that are about URLs: every string of every suite beside them."""
    urls = [url for text in every_string(folder.parent) if (url := crawled(text, None))]
    assert len(urls) > 1000
    for url in urls:
        assert normalise(url) == url
        assert key(Url(key(url))) == key(url)


def test_every_string_as_a_reference_gives_a_normal_form_or_is_refused(folder: Path):
    for text in every_string(folder.parent):
        target = crawled(text, "http://example.org/foo/bar")
        assert target is None or normalise(target) == target


def test_host_and_words_are_found_in_every_url(folder: Path):
    for text in every_string(folder):
        if url := crawled(text, None):
            assert host_of(url) == URL(url).origin
            assert registered_domain(url)
            assert all(tokens(url))


@pytest.mark.parametrize(("suite", "cases"), [("psl_tests.json", 77), ("crawler_commons_psl.json", 80)])
def test_registered_domains_are_those_of_the_public_suffix_list(folder: Path, suite: str, cases: int):
    """A host that nobody can register is its own domain."""
    named = [row for row in rows(folder.parent / "psl", suite) if row["host"]]
    assert len(named) == cases
    for row in named:
        url, owned = (parse(f"http://{row[column] or row['host']}/") for column in ("host", "registrable"))
        assert registered_domain(url) == hostname_of(owned), row


@pytest.mark.parametrize(
    ("suite", "cases", "agreed"),
    [
        ("crawler_commons_normalizer.json", 298, 273),
        ("nutch_basic_normalizer.json", 90, 84),
        ("webarchive_commons_canonicalizer.json", 54, 38),
        ("w3lib_canonicalize_url.json", 81, 62),
    ],
)
def test_keys_agree_with_other_normalisers_except_where_they_change_what_servers_may_see(
    folder: Path, suite: str, cases: int, agreed: int
):
    """Left apart on purpose: sorted queries, doubled slashes, escapes decoded twice, dots after a host."""
    pairs = [pair for row in rows(folder, suite) if isinstance((pair := before_and_after(row))[0], str)]
    assert len(pairs) == cases
    assert sum(identity(before) == identity(after) for before, after in pairs) >= agreed


def before_and_after(row: dict[str, Any]) -> tuple[Any, str | None]:
    return (row["in"], row["out"]) if "in" in row else (row["args"][0], row.get("result"))


def identity(text: str | None) -> str | None:
    url = crawled(text, None) if text is not None else None
    return key(url) if url else None


def every_string(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*.json")):
        yield from strings_in(json.loads(file.read_text()))


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)
    elif isinstance(value, dict):
        yield from strings_in([*value, *value.values()])
