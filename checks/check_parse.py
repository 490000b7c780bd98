"""Pages against the suites of others: encodings, robots rules, broken and hostile markup, link extractors."""

import gzip
import json
import os
from base64 import b64decode
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from tests.unit.parse_examples import page, targets
from thresher.core.records import Candidate, Fetched, Page, Url
from thresher.core.url import join, normalise
from thresher.parse import parse
from thresher.parse.charset import DEFAULT, declared, decode_as, encoding_named

SITE = "http://h.example/"
NOW = 1_700_000_000.0


@pytest.fixture(scope="module")
def folder() -> Path:
    found = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set")) / "faults" / "data"
    assert found.is_dir(), f"No folder {found}: set THRESHER_SHARED to the folder that holds faults/data."
    return found


def rows(path: Path) -> list[dict[str, Any]]:
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    loaded: list[dict[str, Any]] = json.loads(raw)
    return loaded


def asked(row: dict[str, Any], agent: str = "thresher") -> Page:
    """Parse a row of the indexing suites: headers as they come, names in any case."""
    url = normalise(row.get("url", SITE))
    headers = tuple((name.lower(), value) for name, value in row.get("headers", []))
    kind = (("content-type", "text/html; charset=utf-8"),)
    return parse(Fetched(Candidate(url), url, 200, kind + headers, row["html"].encode(), NOW), agent=agent)


def test_82_of_82_pages_of_html5lib_are_in_the_encoding_that_browsers_see(folder):
    cases = [row for row in rows(folder / "encoding" / "html5lib_sniffing.json") if not row["scripted"]]
    assert len(cases) == 82
    wrong = [
        row for row in cases if (declared(b64decode(row["data_b64"])) or DEFAULT) != row["encoding"].lower()
    ]
    assert wrong == []


def test_every_label_of_the_web_names_its_encoding(folder):
    groups = rows(folder / "encoding" / "wpt_labels.json")
    encodings = [encoding for group in groups for encoding in group["encodings"]]
    assert sum(len(encoding["labels"]) for encoding in encodings) > 200
    for encoding in encodings:
        assert {encoding_named(label) for label in encoding["labels"]} == {encoding["name"].lower()}


def test_666_of_666_chinese_and_japanese_byte_strings_are_decoded_as_browsers_do(folder):
    cases = rows(folder / "encoding" / "wpt_cjk_decoders.json")
    assert len(cases) == 666
    for row in cases:
        assert decode_as(encoding_named(row["label"]), bytes.fromhex(row["bytes_hex"])) == row["expected"], (
            row
        )


def test_every_letter_of_the_east_asian_encodings_is_decoded_as_browsers_do(folder):
    """In Shift_JIS, EUC-JP and ISO-2022-JP the yen sign and the overline are bytes of ASCII on the web."""
    tables = json.loads(gzip.decompress((folder / "encoding" / "wpt_char_tables.json.gz").read_bytes()))
    for name, letters in tables.items():
        label = name.removesuffix("-extra")
        wrong = [row for row in letters if decode_as(label, bytes.fromhex(row[0])) != chr(int(row[1], 16))]
        assert [row for row in wrong if row[1] not in {"A5", "203E", "2212"}] == [], name


META_ELSEWHERE = {
    "in-comment.html": "the meta is a comment",
    "in-svg-in-cdata.html": "the meta is text",
    "document-write.html": "the meta is made by a script",
}


def test_pages_that_declare_their_encoding_in_odd_places_read_like_their_reference(folder):
    """Also where browsers have stopped looking; frames that inherit their encoding are left out."""
    seen = 0
    for row in rows(folder / "encoding" / "wpt_html_charset_pages.json"):
        if "ref_b64" in row and row["file"] not in META_ELSEWHERE:
            ours = page(b64decode(row["data_b64"]), content_type="text/html")
            reference = page(b64decode(row["ref_b64"]), content_type="text/html")
            assert ours.text == reference.text, row["file"]
            seen += 1
    assert seen == 19


def test_54_of_54_robots_directives_are_understood(folder):
    cases = rows(folder / "indexing" / "robots_directives.json")
    assert len(cases) == 54
    for row in cases:
        found = asked(row, row["agent"])
        assert (not found.noindex, not found.nofollow) == (row["index"], row["follow"]), row


def test_12_of_12_canonical_addresses_are_found(folder):
    cases = rows(folder / "indexing" / "canonical.json")
    assert len(cases) == 12
    assert [row for row in cases if asked(row).canonical != row["canonical"]] == []


def test_11_of_11_links_say_whether_to_follow(folder):
    cases = rows(folder / "indexing" / "rel_nofollow.json")
    assert len(cases) == 11
    for row in cases:
        assert ("nofollow" in asked(row).links[0].rel.split()) is row["nofollow"], row


def recipe_page(row: dict[str, Any]) -> tuple[Page, float]:
    body = "".join(text * times for text, times in row["parts"]).encode("latin-1")
    started = process_time()
    found = page(body, SITE, row["content_type"])
    return found, process_time() - started


def complaints(row: dict[str, Any], found: Page, seconds: float) -> list[str]:
    """Say which expectations of a recipe are not met."""
    expected, leads = row["expect"], set(targets(found))
    anchors = [link.anchor for link in found.links]
    met = {
        "max_seconds": seconds <= min(2.0, expected.get("max_seconds", 2.0)),
        "links": leads == {join(Url(SITE), path) for path in expected.get("links", leads)},
        "links_contains": {join(Url(SITE), path) for path in expected.get("links_contains", [])} <= leads,
        "links_resolved": targets(found) == expected.get("links_resolved", targets(found)),
        "max_links_kept": len(leads) <= expected.get("max_links_kept", 5_000),
        "long_url_dropped": all(len(lead) < 3_000 for lead in leads),
        "title": found.title == expected.get("title", found.title),
        "title_max_chars": len(found.title) <= expected.get("title_max_chars", 2_000),
        "anchor_text_max_chars": max(map(len, anchors), default=0) <= 1_000,
        "detected": found.charset == expected.get("detected", found.charset),
        "must_not_contain": expected.get("must_not_contain", "\0") not in found.text,
        "refresh_first": [link.rel for link in found.links][:1] == ["refresh"]
        or "refresh_first" not in expected,
        "json_serialisable": json.dumps([found.title, found.text]).isascii(),
    }
    return [name for name, kept in met.items() if not kept]


def test_44_of_44_hostile_recipes_do_no_harm_and_take_at_most_two_seconds(folder):
    cases = rows(folder / "html" / "nasty_recipes.json")
    assert len(cases) == 44
    wrong = {row["name"]: complaints(row, *recipe_page(row)) for row in cases}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_no_case_of_html5lib_raises(folder):
    trees = [row["data"] for row in rows(folder / "html" / "html5lib_tree_construction.json")]
    tokens = [row["input"] for row in rows(folder / "html" / "html5lib_tokenizer.json.gz")]
    assert (len(trees), len(tokens)) == (1936, 2600)
    for markup in trees + tokens:
        for content_type in ("text/html; charset=utf-8", "text/xml", "text/html; charset=gbk"):
            found = page(markup.encode("utf-8", "surrogatepass"), content_type=content_type)
            (found.title + found.text + found.main).encode()


def test_html5lib_and_we_find_the_same_links(folder):
    for row in rows(folder / "html" / "link_oracle_html5lib.json"):
        expected = {
            join(Url(SITE), reference) for _, reference in row["links"] if not reference.startswith("#")
        }
        assert set(targets(page(row["data"], SITE))) == expected, row


def test_scrapy_and_we_find_the_same_links_except_that_it_skips_images(folder):
    cases = [row for row in rows(folder / "html" / "scrapy_link_extractor.json") if row["cfg"] == [[], {}]]
    assert len(cases) == 16
    for row in cases:
        found = page(b64decode(row["body_b64"]), row["url"], f"text/html; charset={row['encoding']}")
        ours = [lead for lead in targets(found) if not lead.endswith(".jpg")]
        theirs = [normalise(link["url"]) for link in row["links"] if link["url"].startswith("http")]
        assert list(dict.fromkeys(ours)) == list(dict.fromkeys(theirs)), row["test"]


def argument(value: Any) -> str:
    return value["bytes_latin1"] if isinstance(value, dict) else value


def markup_and_url(row: dict[str, Any], otherwise: str) -> tuple[bytes, str, str]:
    markup, *rest = row["args"]
    raw = markup["bytes_latin1"].encode("latin-1") if isinstance(markup, dict) else markup.encode()
    return raw, argument(rest[0]) if rest else otherwise, argument(rest[1]) if len(rest) > 1 else "utf-8"


def test_w3lib_and_we_find_the_same_base(folder):
    """Not where the markup ends inside a comment or a script, nor for a base in a noscript in the head."""
    agreed = 0
    for row in rows(folder / "html" / "w3lib_get_base_url.json"):
        markup, url, encoding = markup_and_url(row, SITE)
        found = page(markup + b"<a href=zzz>", url, f"text/html; charset={encoding}")
        agreed += targets(found) == [join(normalise(row["result"] or url), "zzz")]
    assert agreed == 15


def test_w3lib_and_we_find_the_same_refresh(folder):
    """Not where a tag never ends, a page refreshes itself, or w3lib is told to look into scripts."""
    agreed = 0
    for row in rows(folder / "html" / "w3lib_get_meta_refresh.json"):
        markup, url, encoding = markup_and_url(row, SITE)
        found = page(markup, url, f"text/html; charset={encoding}")
        ours = [link.target for link in found.links if link.rel == "refresh"][:1]
        agreed += ours == ([row["result"][1]] if row["result"][1] else [])
    assert agreed == 22


def test_the_pages_of_other_crawlers_are_parsed(folder):
    paths = sorted((folder / "html" / "pages").iterdir())
    assert len(paths) == 9
    assert all(page(path.read_bytes(), content_type="text/html").links for path in paths)
