"""The main text against gold data: strings that belong to a page or must not, whole articles, Chinese blogs.

Of the Chinese pages only hashes are kept: of how their main text begins and ends, and of lines that are none
of it (main_text_zh.tsv). Other extractors are measured in the same run where they are installed.
"""

import importlib.util
import json
import os
import re
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from xxhash import xxh3_64_hexdigest

from thresher.core.records import Candidate, Fetched
from thresher.core.url import key_of, normalise
from thresher.parse import parse
from thresher.parse.charset import decode
from thresher.parse.html import read

Extract = Callable[[bytes], str]

LOST = 0.15  # of what belongs to a page
FLOORS = {"segments": 0.94, "articles": 0.965}
MOST_LOSE = 0.02  # of the pages
MARKS = Path(__file__).with_name("main_text_zh.tsv")


class Score(NamedTuple):
    precision: float
    recall: float
    lost: float  # share of the pages that lose more than LOST

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall)


@pytest.fixture(scope="module")
def shared() -> Path:
    found = Path(os.environ.get("THRESHER_SHARED", "THRESHER_SHARED is not set"))
    assert (found / "gold").is_dir(), (
        f"No folder {found / 'gold'}: set THRESHER_SHARED to the one that holds it."
    )
    return found


@pytest.fixture(scope="module")
def gold(shared) -> dict[str, bytes]:
    with tarfile.open(shared / "gold" / "pages.tar.xz") as archive:
        members = ((member.name.removeprefix("./"), archive.extractfile(member)) for member in archive)
        return {name: file.read() for name, file in members if file}


def ours(body: bytes) -> str:
    return read(decode(body)[0], context=False, place=False, offsets=False, codes=False).main


def others() -> Iterator[tuple[str, Extract]]:
    """Yield the other extractors that are installed."""
    if importlib.util.find_spec("trafilatura"):
        import trafilatura

        yield (
            "trafilatura, fast",
            lambda body: trafilatura.extract(body, fast=True, include_comments=False) or "",
        )
        yield "trafilatura", lambda body: trafilatura.extract(body, include_comments=False) or ""
    if importlib.util.find_spec("resiliparse"):
        from resiliparse.extract.html2text import extract_plain_text

        yield "resiliparse", lambda body: extract_plain_text(decode(body)[0], main_content=True)
    if importlib.util.find_spec("readability"):
        from lxml.html import fromstring
        from readability import Document

        yield "readability", lambda body: fromstring(Document(decode(body)[0]).summary()).text_content()


def folded(text: str) -> str:
    """Return a text as it is compared: blanks are alike, and a letter is one however it is composed."""
    text = normalize("NFC", text).replace("\xad", "")  # a hyphen that is not seen is none
    return " ".join(re.sub("[\u00a0\u2000-\u200b\u202f\ufeff]", " ", text).split())


def on_segments(extract: Extract, gold: dict[str, bytes]) -> Score:
    """Count the strings found that belong to the text, and those that must not be in it."""
    truth = json.loads(gold["segments/truth.json"])
    right = wrong = wanted = lost = 0
    for entry in truth.values():
        text = folded(extract(gold[f"segments/html/{entry['file']}"]))
        found = sum(folded(each) in text for each in entry["with"])
        right, wanted = right + found, wanted + len(entry["with"])
        wrong += sum(folded(each) in text for each in entry["without"])
        lost += found < (1 - LOST) * len(entry["with"])
    return Score(right / (right + wrong), right / wanted, lost / len(truth))


def on_articles(extract: Extract, gold: dict[str, bytes]) -> Score:
    """Compare shingles of four words, every article counting the same."""
    truth = json.loads(gold["articles/truth.json"])
    right = wrong = missed = 0.0
    lost = 0
    for name, entry in truth.items():
        found, wanted = shingles(extract(gold[f"articles/html/{name}.html"])), shingles(entry["articleBody"])
        both, more, less = ((part).total() for part in (found & wanted, found - wanted, wanted - found))
        every = max(1, both + more + less)
        right, wrong, missed = right + both / every, wrong + more / every, missed + less / every
        lost += both < (1 - LOST) * (both + less)
    return Score(right / (right + wrong), right / (right + missed), lost / len(truth))


def shingles(text: str) -> Counter[tuple[str, ...]]:
    words = re.findall(r"\w+", folded(text))
    return Counter(tuple(words[at : at + 4]) for at in range(max(1, len(words) - 3))) if words else Counter()


class Timed:
    """An extractor that adds up its processor time and its pages."""

    def __init__(self, extract: Extract) -> None:
        self._extract = extract
        self.seconds, self.pages = 0.0, 0

    def __call__(self, body: bytes) -> str:
        begun = time.process_time()
        text = self._extract(body)
        self.seconds, self.pages = self.seconds + time.process_time() - begun, self.pages + 1
        return text

    @property
    def milliseconds(self) -> float:
        return 1000 * self.seconds / max(1, self.pages)


def test_main_text_is_as_good_as_that_of_others(gold):
    measures = {"segments": on_segments, "articles": on_articles}
    for name, extract in [("thresher", ours), *others()]:
        extract(b"<p>What is loaded at first use is not counted.")
        for data, measure in measures.items():
            score = measure(timed := Timed(extract), gold)
            told = f"precision {score.precision:.3f}  recall {score.recall:.3f}  F1 {score.f1:.3f}"
            told += f"  {timed.milliseconds:5.2f} ms a page"
            print(f"\n{name:18} {data:9} {told}  lose more than 15 %: {score.lost:.1%}", end="")
            assert name != "thresher" or (score.f1 >= FLOORS[data] and score.lost < MOST_LOSE)


def test_chinese_pages_begin_and_end_where_a_person_says(shared):
    marks = [line.split("\t") for line in MARKS.read_text().splitlines() if not line.startswith("#")]
    wanted = {page: rest for page, *rest in marks}
    begun = ended = clean = 0
    for page, text in chinese(shared, wanted.keys()):
        begin, end, *strangers = wanted[page]
        lines = ["".join(line.split()) for line in text.split("\n")]
        begun += begin in {hashed(line[:12]) for line in lines}
        ended += end in {hashed(line[-12:]) for line in lines}
        clean += not {hashed(line) for line in lines} & set(strangers)
    print(f"\nof {len(wanted)} Chinese pages {begun} begin, {ended} end, {clean} have no line too many")
    assert min(begun, ended, clean) >= 0.9 * len(wanted)


def chinese(shared: Path, wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    with (shared / "corpora" / "dev-zhblogs" / "pages.warc.gz").open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            if record.http_headers is None or record.http_headers.status_code != 200:
                continue
            url = normalise(record.headers["WARC-Target-URI"])
            if (page := f"{key_of(url) & (2**64 - 1):016x}") in wanted:
                kind = (("content-type", record.http_headers.get("content-type", "")),)
                yield page, parse(Fetched(Candidate(url), url, 200, kind, record.reader.read())).main


def hashed(text: str) -> str:
    return xxh3_64_hexdigest(text.encode())
