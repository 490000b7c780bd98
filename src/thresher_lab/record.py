"""Corpora of your own: a finished crawl as a corpus folder, or the practice web as one."""

import asyncio
import re
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from thresher.core.errors import InvalidUrl, ThresherError, UsageError
from thresher.core.records import Candidate, Fetched, Page, Topic, Url
from thresher.core.url import parse as parse_url
from thresher.engine.workers import MOVED
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader
from thresher.warc.capture import HttpExchange
from thresher.warc.files import LocalVolume
from thresher.warc.writer import WarcWriter
from thresher_lab.archive_web import ArchiveWeb
from thresher_lab.corpus import DEFAULT_SEEDS, Corpus, CorpusTopic
from thresher_lab.setup import is_archive
from thresher_practice import PracticeWeb

RECORDED_AT = 1_600_000_000.0  # the date of every record of the practice web: it has no time of its own


def record_crawl(
    crawl: CrawlFolder, folder: Path, verdict: Callable[[Page], str], source: str
) -> tuple[int, int]:
    """Turn a crawl into a corpus folder and count its pages and relevant ones; no verdict is an empty one."""
    _refuse_full(folder)
    reading = crawl.open()
    try:
        labels = {visit.candidate.url: verdict(visit.page) for visit in reading.pages() if visit.page}
        topic, seeds = reading.facts.topic, _seeds_of(reading)
    finally:
        reading.close()
    _copy_archive(crawl, folder)
    identity = "-".join(re.findall(r"\w+", topic.name.lower())) or "topic"
    entry = CorpusTopic(
        identity,
        "/".join(topic.path) or topic.name,
        keywords=tuple(topic.keywords),
        description=topic.description,
        seeds={f"seed{number}": seed for number, seed in enumerate(seeds, start=1)},
    )
    relevant = [url for url, label in labels.items() if label]
    write_corpus(
        folder, [entry], {identity: relevant}, {url: label for url, label in labels.items() if label}, source
    )
    return len(labels), len(relevant)


def own_judgements(path: Path) -> Callable[[Page], str]:
    """Return the user's own verdicts from a file of lines 'URL tab yes' (or no)."""
    relevant: set[Url] = set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        url, _, word = line.strip().partition("\t")
        try:
            address = parse_url(url) if line.strip() else None
        except InvalidUrl as error:
            raise UsageError(f"{path}, line {number}: {error}") from None
        if address and word.strip().lower() not in _NO:
            relevant.add(address)
    return lambda page: "own/relevant" if page.url in relevant else ""


def record_practice(folder: Path, seed: int = 1, topics: Collection[str] = ()) -> Corpus:
    """Record the practice web as a corpus: its pages, its topics, and the labels it was made from."""
    _refuse_full(folder)
    web = PracticeWeb(seed)
    wanted = [topic for topic in web.topics if not topics or topic.name in topics]
    record_pages(folder, asyncio.run(_answers(web)))
    relevant = {topic.name: sorted(web.labels(topic.name)) for topic in wanted}
    labels = {url: f"practice/{name}" for name, urls in relevant.items() for url in urls}
    source = f"The practice web of seed {seed}; it was made from its labels. It proves behaviour, not merit."
    write_corpus(folder, [_practice_topic(topic) for topic in wanted], relevant, labels, source)
    return Corpus(folder)


def record_pages(folder: Path, pages: Iterable[Fetched]) -> None:
    """Write the pages of a web to the archive of a corpus folder."""
    counter = iter(range(1_000_000_000))
    writer = WarcWriter(
        LocalVolume(folder),
        now=lambda: RECORDED_AT,
        make_id=lambda: f"<urn:uuid:{next(counter):08x}-0000-4000-8000-0>",
    )
    for page in pages:
        headers = "".join(f"{name}: {value}\r\n" for name, value in page.headers)
        head = f"HTTP/1.1 {page.status} OK\r\n{headers}\r\n".encode()
        writer.write(HttpExchange(page.url, RECORDED_AT, head, page.body))
    writer.close()
    if writer.name:
        (folder / writer.name).replace(folder / "pages.warc.gz")


def write_corpus(
    folder: Path,
    topics: Sequence[CorpusTopic],
    relevant: Mapping[str, Sequence[str]],
    labels: Mapping[Url, str],
    source: str,
) -> None:
    """Write everything of a corpus folder but its archive."""
    encode = msgspec.json.Encoder().encode
    (folder / "topics.jsonl").write_bytes(b"".join(encode(topic) + b"\n" for topic in topics))
    (folder / "relevant").mkdir()
    for name, urls in relevant.items():
        (folder / "relevant" / f"{name}.txt").write_text(
            "".join(f"{url}\n" for url in urls), encoding="utf-8"
        )
    lines = "".join(f"{url}\t{label}\n" for url, label in labels.items())
    (folder / "labels.tsv").write_text(lines, encoding="utf-8")
    (folder / "README.md").write_text(
        f"# {folder.name}\n\nWhere the labels come from: {source}\n", encoding="utf-8"
    )


_NO = frozenset({"", "no", "0", "false", "irrelevant"})


def _refuse_full(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty. Name a new folder with -o.")
    folder.mkdir(parents=True, exist_ok=True)


def _seeds_of(reading: CrawlReader) -> list[Url]:
    return [
        visit.candidate.url
        for visit in reading.visits()
        if visit.candidate.via is None and not visit.candidate.redirects and visit.outcome.value == "fetched"
    ]


def _copy_archive(crawl: CrawlFolder, folder: Path) -> None:
    if not (names := crawl.volume.names()):
        raise UsageError(f"{crawl.path} kept no WARC file, so there is nothing to play again.")
    for name in names:
        target = folder / ("pages.warc.gz" if len(names) == 1 else name)
        with crawl.volume.open(name) as file, target.open("wb") as copy:
            shutil.copyfileobj(file, copy)


def _practice_topic(topic: Topic) -> CorpusTopic:
    chinese = not topic.name.isascii()
    path, words = "/".join(topic.path), tuple(topic.keywords)
    return CorpusTopic(
        topic.name,
        path,
        path if chinese else None,
        () if chinese else words,
        words if chinese else None,
        languages=("zh",) if chinese else ("en",),
        seeds=dict(zip(DEFAULT_SEEDS, topic.seeds, strict=True)),
    )


async def _answers(web: PracticeWeb) -> list[Fetched]:
    return [await web.get(Candidate(url)) for url in web.pages]


# The check of a corpus folder, before figures from it are trusted


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
