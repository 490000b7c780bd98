"""Sitemaps of other people's test suites: parsed as they say, or the difference is named."""

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from thresher.core.url import join, parse
from thresher.parse.sitemap import Sitemap, moment, parse_sitemap

DIFFERENCES = {
    "testSitemapXMLfilterUrls": "their filter adds a scheme to a location without one; to us it is a path",
    "testSitemapTXTfilterUrls": "their filter adds 'http://' to a line without a scheme; we leave it out",
    "testRSSPubDate": "we read a date with the zone EST, they refuse it",
    "testSitemapXXE": "they refuse a document with a DOCTYPE; we read it and expand no entity",
    "testSitemapWithWrongNamespace": "they can be told to insist on the namespace; we never do",
    "testSitemapParserBrokenXml": "they refuse broken XML; we keep what came before the fault and name it",
    "testPartialSitemapsNotAllowed": "the same",
    "testPartialSitemapIndicesNotAllowed": "the same",
    "testSitemapWithInvalidContent": "the same",
    "testPartialSitemapsAllowed": "they take a location whose end tag is cut off; its URL may be cut as well",
}


@pytest.fixture(scope="module")
def folder() -> Path:
    found = Path(os.environ.get("THRESHER_SHARED", "")) / "faults/data/sitemaps"
    assert found.is_dir(), f"No folder {found}: set THRESHER_SHARED to the folder that holds faults/data."
    return found


def cases(folder: Path, name: str) -> list[dict[str, Any]]:
    return [row for row in json.loads((folder / name).read_text()) if isinstance(row, dict)]


def found(sitemap: Sitemap, case: dict[str, Any]) -> list[tuple[str, int | None]]:
    """Our entries; where the suite is strict, those below the folder of the sitemap, as it asks for."""
    entries = [*sitemap.children, *sitemap.urls]
    if case["strict"] and not case.get("index"):
        below = parse(case["url"]).partition("?")[0].rpartition("/")[0].partition("://")[2]
        entries = [entry for entry in entries if entry.url.partition("://")[2].startswith(below)]
    return [(entry.url, None if entry.lastmod is None else round(entry.lastmod * 1000)) for entry in entries]


def test_58_recorded_parses_agree_or_differ_by_name(folder: Path):
    recorded = cases(folder, "crawler_commons_sitemaps.json")
    assert len(recorded) == 58
    differing = set()
    for case in recorded:
        ours = parse_sitemap(base64.b64decode(case["body_b64"]), parse(case["url"]))
        theirs = [(parse(entry["loc"]), entry["lastmod_ms"]) for entry in case.get("entries") or ()]
        if case.get("error"):
            assert ours.flaw or case["test"].rpartition(".")[2] in DIFFERENCES, case["test"]
        elif found(ours, case) != theirs:
            differing.add(case["test"].rpartition(".")[2])
    assert differing <= set(DIFFERENCES)


def test_the_sitemaps_of_scrapy(folder: Path):
    for case in cases(folder, "scrapy_sitemap.json"):
        ours = parse_sitemap(base64.b64decode(case["body_b64"]), parse("http://example.org/sitemap.xml"))
        theirs = [
            (join(parse("http://example.org/"), item["loc"]), moment(item.get("lastmod") or ""))
            for item in case["items"]
        ]
        assert [(entry.url, entry.lastmod) for entry in (*ours.children, *ours.urls)] == theirs, case["test"]


def test_every_file_is_read_without_a_crash(folder: Path):
    for file in sorted((folder / "files").iterdir()):
        data = file.read_bytes()
        for cut in {len(data), len(data) // 2, 100}:
            parse_sitemap(data[:cut], parse("http://example.org/sitemap.xml"))
