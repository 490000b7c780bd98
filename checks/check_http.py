"""Malformed responses of others, over a real connection: each ends in one answer or one named error."""

import asyncio
import base64
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults.server import ALLOWED, FaultServer, raw
from thresher.core.compression import Body
from thresher.core.errors import FetchError
from thresher.fetch.limits import ResponseLimits, retry_after
from thresher.fetch.live import LiveWeb

NOW = 1_700_000_000.0
HASTY = ResponseLimits(total=3.0, idle=1.0)


@pytest.fixture(scope="module")
def folder() -> Path:
    found = Path(os.environ.get("THRESHER_SHARED", "")) / "faults/data/http"
    assert found.is_dir(), f"No folder {found}: set THRESHER_SHARED to the folder that holds faults/data."
    return found


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [row for row in json.loads((folder / name).read_text()) if isinstance(row, dict)]


async def endings(cases: list[dict[str, Any]]) -> list[str]:
    """The status of each raw response, or the name of its error; anything else raised fails the check."""
    answers = {f"/{number}": raw(base64.b64decode(case["raw_b64"])) for number, case in enumerate(cases)}
    async with FaultServer(answers) as server:
        web = LiveWeb(allow_networks=[ALLOWED], limits=HASTY, delay=0.0, sleep=no_wait)
        ended = [await ending(web, server.candidate(path)) for path in answers]
        await web.close()
    return ended


async def ending(web: LiveWeb, candidate: Any) -> str:
    try:
        return str((await asyncio.wait_for(web.get(candidate), 30)).status)
    except FetchError as error:
        return type(error).__name__


async def no_wait(seconds: float) -> None:
    pass


@pytest.mark.parametrize(
    ("name", "count"),
    [("llhttp_responses.json", 84), ("wpt_h1_parsing_asis.json", 103), ("nutch_bad_responses.json", 9)],
)
async def test_every_raw_response_has_one_ending(folder: Path, name: str, count: int):
    ended = await endings(rows(folder, name))
    assert len(ended) == count
    print(name, dict(Counter(ended).most_common()))


async def test_what_browsers_read_is_read_and_little_more(folder: Path):
    """A colon, a line feed or a NUL in odd places keeps browsers from reading a page, but not us."""
    cases = rows(folder, "wpt_h1_parsing_asis.json")
    ended = await endings(cases)
    pairs = [(case, end) for case, end in zip(cases, ended, strict=True) if "fetch" in case]
    lenient = {case["file"] for case, end in pairs if case["fetch"] == "Network Error" and end.isdigit()}
    strict = {case["file"] for case, end in pairs if case["fetch"] == "Valid" and not end.isdigit()}
    assert strict == set()
    assert len(lenient) <= 16, sorted(lenient)


def test_retry_after(folder: Path):
    cases = rows(folder, "retry_after.json")
    assert len(cases) == 16
    for case in cases:
        rule, ours = case["expected_seconds_or_rule"], retry_after(case["value"], NOW)
        if isinstance(rule, int):
            assert ours == rule, case
        elif rule.startswith("past"):
            assert ours == 0.0, case
        elif rule.startswith(("date: cap", "cap")):
            assert ours is not None and ours > 3600, case
        elif not rule.startswith("invalid per RFC 9110"):
            assert ours is None, case


def test_compressed_samples_are_unpacked_cut_or_refused(folder: Path):
    codings = {"br": "br", "gzip": "gzip", "deflate": "deflate", "zstd": "zstd", "gz": "gzip"}
    for file in sorted((folder / "compressed").rglob("*")):
        coding = next(
            (codings[part] for part in file.name.replace(".", "-").split("-") if part in codings), ""
        )
        if file.is_file() and coding:
            body = Body(coding, 12_000_000, max_ratio=1e9)
            for start in range(0, file.stat().st_size, 4096):
                body.feed(file.read_bytes()[start : start + 4096])
            body.finish()
            if file.name.startswith("bomb"):
                assert (len(body.data), body.flaw) == (11_511_612, ""), file
