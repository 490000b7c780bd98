"""Average precision of each judge on the labelled corpora; the topic is its labels, keywords and description.

Run with -s to see the tables. The constants of the default judge were chosen by the topics marked A (every
other one, in the order of topics.jsonl); B was reported beside it. Labels only score, they never teach.
"""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from warcio.archiveiterator import ArchiveIterator

from thresher.core.interfaces import Judge
from thresher.core.records import Candidate, Fetched, Page, Topic, Url
from thresher.judges import JUDGES
from thresher.parse import parse
from thresher.topic.build import path_weights

CORPORA = ("dev-webkb", "dev-wikispeedia", "dev-zhblogs")
PAPERS = ("cosine", "vocabulary", "tfidf", "topic_vector", "lexicon")


pytestmark = pytest.mark.timeout(3600)


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_default_judge_is_above_each_papers_judge(corpus: str) -> None:
    """Mean over the topics of a corpus, every page of it ranked."""
    topics = _topics(corpus)
    judges = {name: [JUDGES[name](_topic(given)) for given in topics] for name in (*PAPERS, "question")}
    judges["cosine of the path labels"] = [JUDGES["cosine"](_by_path(given)) for given in topics]
    table = _precisions(judges, _pages(corpus), [_relevant(corpus)[given["id"]] for given in topics])
    for half, names in (("A", topics[::2]), ("B", topics[1::2])):
        print(f"\n{corpus} {half}: {' '.join(given['id'] for given in names)}", end="")
    _show(table)
    assert all(np.mean(table["question"]) > np.mean(table[name]) for name in PAPERS)


def test_an_english_topic_recognises_chinese_pages() -> None:
    """The Chinese corpus without Latin words: English labels and keywords reach 0.7 of Chinese ones."""
    topics = _topics("dev-zhblogs")
    judges = {
        f"{name} {language}": [
            JUDGES[name](_topic(given, (language,), description=False)) for given in topics
        ]
        for name in ("question", "cosine")
        for language in ("en", "zh")
    }
    pages = [_without_latin(page) for page in _pages("dev-zhblogs")]
    table = _precisions(judges, pages, [_relevant("dev-zhblogs")[given["id"]] for given in topics])
    _show(table)
    share = {
        name: np.mean(table[f"{name} en"]) / np.mean(table[f"{name} zh"]) for name in ("question", "cosine")
    }
    print(
        f"English reaches {share['question']:.2f} of Chinese; by counting words alone {share['cosine']:.2f}"
    )
    assert share["question"] >= 0.7


def _precisions(
    judges: dict[str, list[Judge]], pages: list[Page], relevant: list[set[str]]
) -> dict[str, list[float]]:
    """Return the average precision of each judge on each topic; each page is read once for all of them."""
    scores: dict[str, list[list[float]]] = {name: [[] for _ in row] for name, row in judges.items()}
    for page in pages:
        for name, row in judges.items():
            for at, judge in enumerate(row):
                scores[name][at].append(judge.score(page))
    wanted = [np.array([page.url in urls for page in pages]) for urls in relevant]
    return {
        name: [_average_precision(*pair) for pair in zip(row, wanted, strict=True)]
        for name, row in scores.items()
    }


def _average_precision(scores: list[float], wanted: NDArray[np.bool_]) -> float:
    """Return the mean precision at each relevant page; equal scores keep the corpus' order."""
    hits = wanted[np.argsort(-np.array(scores), kind="stable")]
    return float((np.cumsum(hits)[hits] / (np.flatnonzero(hits) + 1)).mean())


def _show(table: dict[str, list[float]]) -> None:
    print()
    for name, row in table.items():
        halves = f"{np.mean(row):.3f}  A {np.mean(row[::2]):.3f}  B {np.mean(row[1::2]):.3f}"
        print(f"  {name:26} {halves}  {' '.join(f'{value:.2f}' for value in row)}")


def _topic(given: dict, languages: tuple[str, ...] = ("en", "zh"), description: bool = True) -> Topic:  # type: ignore[type-arg]
    """Return the topic of its path labels (i/D), keywords (1) and description, in the languages asked for."""
    keywords: dict[str, float] = {}
    for language in languages:
        suffix = "" if language == "en" else "_zh"
        keywords |= path_weights((given[f"path{suffix}"] or "").split("/")) if given[f"path{suffix}"] else {}
        keywords |= dict.fromkeys(given[f"keywords{suffix}"] or (), 1.0)
    return Topic(given["id"], keywords=keywords, description=given["description"] if description else "")


def _by_path(given: dict) -> Topic:  # type: ignore[type-arg]
    return Topic(given["id"], path=tuple(given["path"].split("/")))


def _without_latin(page: Page) -> Page:
    latin = re.compile(r"[A-Za-z\uff21-\uff3a\uff41-\uff5a][\w+#.-]*", re.ASCII)
    return Page(page.url, latin.sub(" ", page.title), latin.sub(" ", page.text))


def _pages(corpus: str) -> list[Page]:
    """Return every page of a corpus, parsed once for all checks."""
    if corpus not in _PARSED:
        with (_shared() / "corpora" / corpus / "pages.warc.gz").open("rb") as file:
            _PARSED[corpus] = [_parsed(record) for record in ArchiveIterator(file) if _is_page(record)]
    return _PARSED[corpus]


def _is_page(record) -> bool:  # type: ignore[no-untyped-def]
    return bool(record.rec_type == "response" and record.http_headers.get_statuscode() == "200")


def _parsed(record) -> Page:  # type: ignore[no-untyped-def]
    url = Url(record.rec_headers.get_header("WARC-Target-URI"))
    headers = tuple((name.lower(), value) for name, value in record.http_headers.headers)
    page = parse(Fetched(Candidate(url), url, 200, headers, record.content_stream().read()))
    return Page(url, page.title, page.text)


def _topics(corpus: str) -> list[dict]:  # type: ignore[type-arg]
    lines = (_shared() / "corpora" / corpus / "topics.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _relevant(corpus: str) -> dict[str, set[str]]:
    folder = _shared() / "corpora" / corpus / "relevant"
    return {
        file.stem: {line.split("\t")[0] for line in file.read_text(encoding="utf-8").splitlines()}
        for file in folder.glob("*.txt")
    }


def _shared() -> Path:
    folder = os.environ.get("THRESHER_SHARED", "")
    if not folder or not (Path(folder) / "corpora").is_dir():
        pytest.fail("Set THRESHER_SHARED to the folder that holds the corpora.")
    return Path(folder)


_PARSED: dict[str, list[Page]] = {}
