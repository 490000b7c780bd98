"""A corpus folder looked through before anybody trusts figures from it."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from thresher.core.errors import InvalidUrl, ThresherError
from thresher.core.records import Url
from thresher.core.url import parse as parse_url
from thresher.engine.workers import MOVED
from thresher.fetch.archive import ArchiveWeb
from thresher.lab.corpus import Corpus
from thresher.lab.setup import is_archive


class Findings(Struct, frozen=True):
    """What a corpus holds, and what is wrong with it."""

    facts: tuple[str, ...]
    problems: tuple[str, ...]


def examine(corpus: Corpus) -> Findings:
    """Return what a corpus folder holds and what would spoil an experiment with it."""
    archives = sorted(path for path in corpus.path.iterdir() if is_archive(path))
    if not archives:
        return Findings((), ("No WARC or ARC file is here: put the recorded pages there as pages.warc.gz.",))
    with ArchiveWeb(archives) as web:
        statuses = Counter(capture.status for url in web.index if (capture := web.index.latest(url)))
        pages = sum(count for status, count in statuses.items() if 200 <= status < 300)
        moved = sum(statuses[status] for status in MOVED)
        facts = [f"{pages} pages and {moved} redirects in {len(archives)} archive file(s)."]
        facts += [f"{count} left out: {reason}." for reason, count in sorted(web.index.left_out.items())]
        facts += [
            f"{count} damaged place(s) of kind {kind}." for kind, count in sorted(web.index.faults.items())
        ]
        problems = [] if pages else ["No page can be read from the archives."]
        problems += _topic_problems(corpus, web)
        problems += _label_problems(corpus, web)
        return Findings((*facts, *_topic_facts(corpus)), tuple(problems))


def _topic_facts(corpus: Corpus) -> Iterator[str]:
    with suppress(ThresherError):  # which the problems tell
        for name in corpus.topics:
            yield f"Topic {name}: {len(corpus.relevant(name))} relevant pages."


def _topic_problems(corpus: Corpus, web: ArchiveWeb) -> Iterator[str]:
    try:
        names = list(corpus.topics)
    except ThresherError as error:
        yield str(error)
        return
    if not names:
        yield "topics.jsonl names no topic."
    for name in names:
        if not re.fullmatch(r"\w[\w.-]*", name):
            yield f"Topic {name!r} cannot be the name of a file: write letters, digits and hyphens."
        else:
            yield from _one_topic(corpus, web, name)


def _one_topic(corpus: Corpus, web: ArchiveWeb, name: str) -> Iterator[str]:
    try:
        relevant = corpus.relevant(name)
        hidden = corpus.hidden("hard") if corpus.exclusions.exists() else frozenset[Url]()
        seeds = corpus.seeds(
            name, (key for key, url in corpus.topic(name).seeds.items() if isinstance(url, str))
        )
    except ThresherError as error:
        yield str(error)
        return
    if not relevant:
        yield f"Topic {name} has no relevant page."
    if absent := [url for url in relevant if url not in web.index]:
        yield f"Topic {name}: {len(absent)} relevant page(s) are not in the archive, such as {min(absent)}."
    if both := relevant & hidden:
        yield f"Topic {name}: {len(both)} relevant page(s) are hidden in hard mode, such as {min(both)}."
    if not seeds:
        yield f"Topic {name} has no seed."
    for seed in seeds:
        if seed not in web.index:
            yield f"Topic {name}: its seed {seed} is not in the archive."


def _label_problems(corpus: Corpus, web: ArchiveWeb) -> Iterator[str]:
    path = corpus.path / "labels.tsv"
    if not path.exists():
        return
    absent = 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        url, tab, _ = line.partition("\t")
        try:
            absent += parse_url(url) not in web.index
        except InvalidUrl:
            yield f"labels.tsv, line {number}: {url!r} is no URL."
        if not tab:
            yield f"labels.tsv, line {number} has no label: write URL, tab, labels split by '|'."
    if absent:
        yield f"labels.tsv labels {absent} page(s) that are not in the archive."
