"""A contender's score, read off the log of the web it was served: never off what it says of itself.

Everything is measured as a replay is (measures.py), so that contenders of others stand beside our own:
a page fetched again costs a page and is not found again; robots.txt is no request that counts, like there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from thresher.core.caches import LruDict
from thresher.core.errors import UnknownName, UsageError
from thresher.core.records import Url
from thresher.core.url import parse
from thresher.fetch.request_headers import product_token
from thresher_lab.corpus import DEFAULT_SEEDS, Corpus, read_urls
from thresher_lab.judge_measures import CountMeasures
from thresher_lab.measures import measure
from thresher_lab.replay import ReplayStep
from thresher_lab.results import Cost, RunResult
from thresher_lab.served_web import RequestKind, ServedWeb, bare, host_of
from thresher_lab.setup import ReplayStage, budget_of

# The log of a served web: what was asked in which order, and whether it was asked politely.
#
# The first line says what was served, the last why it ended and what was counted; between them is a line per
# answer, in the order in which the answers went out. A contender is scored by this log and by nothing else.


LENIENT = 0.95  # of the delay asked for: clocks differ
MOST_HOSTS = 20_000  # of which it is remembered when they were asked last


class Served(Struct, frozen=True, tag="served"):
    """The head of a log: everything that decides what a contender could see."""

    corpora: tuple[str, ...]
    pages: int
    mode: str = "easy"
    crawl_delay: float = 0.0
    latency: float = 0.0
    luck: int = 1
    budget: int = 0
    version: str = ""
    code: str = ""
    python: str = ""
    began: str = ""


class Access(Struct, frozen=True, tag="access", omit_defaults=True):
    """One answer: what was asked for, and in which way."""

    at: float  # seconds since the first request
    url: str  # as the archive spells it
    kind: RequestKind
    status: int
    size: int
    took: float = 0.0
    forbidden: bool = False  # by the robots.txt of the host
    hasty: bool = False  # before the delay had passed that the host asks for
    method: str = "GET"
    agent: str = ""  # where it is another than that of the line before


class LogEnd(Struct, frozen=True, tag="ended"):
    """The last line of a log."""

    reason: str
    seconds: float
    counts: dict[str, int]
    faults: dict[str, int] = {}


Line = Served | Access | LogEnd


class PolitenessWatch:
    """Sees how hosts are treated; requests for robots.txt are never impolite."""

    def __init__(self, web: ServedWeb) -> None:
        """Watch over the hosts of a web."""
        self._web, self._last = web, LruDict[str, float](MOST_HOSTS)
        self._agent, self._token = "", ""

    def look(self, name: str, agent: str, now: float) -> tuple[bool, bool]:
        """Return whether robots.txt forbids a request, and whether it came too early."""
        if agent != self._agent:
            self._agent, self._token = agent, product_token(agent)
        rules = self._web.rules(name, self._token)
        if rules is None or name.endswith("/robots.txt"):
            return False, False
        forbidden = bool(rules.rules) and not rules.verdict(f"http://{name}").allowed
        return forbidden, self._is_early(host_of(name), rules.crawl_delay or 0.0, now)

    def _is_early(self, host: str, delay: float, now: float) -> bool:
        if not delay:
            return False
        last = self._last.get(host)
        self._last.put(host, now)
        return last is not None and now - last < LENIENT * delay


class AccessLog:
    """Writes the lines of a log and counts them; memory does not grow with it."""

    def __init__(self, file: IO[bytes] | None, head: Served) -> None:
        """Write the head."""
        self._file, self._encode = file, msgspec.json.Encoder().encode
        self.counts: Counter[str] = Counter()
        self.bytes = 0
        self._agent = ""
        self._write(head)

    def add(self, line: Access, agent: str) -> None:
        """Write a line, with the user agent if it is another than before."""
        counts = self.counts
        counts[line.kind.value] += 1
        counts["forbidden"] += line.forbidden
        counts["hasty"] += line.hasty
        self.bytes += line.size
        if agent != self._agent:
            self._agent = agent
            line = replace(line, agent=agent[:200])
        self._write(line)

    def close(self, reason: str, seconds: float, faults: dict[str, int]) -> LogEnd:
        """Write and return the last line."""
        ended = LogEnd(reason, round(seconds, 3), dict(sorted((+self.counts).items())), faults)
        self._write(ended)
        if self._file:
            self._file.flush()
        return ended

    def _write(self, line: Line) -> None:
        if self._file:
            self._file.write(self._encode(line) + b"\n")


def read_log(path: Path) -> Iterator[Line]:
    """Yield the lines of a log; one that is none is an error with its number, unless it is the last."""
    decode = msgspec.json.Decoder(Line).decode
    lines = path.read_bytes().splitlines()
    for number, line in enumerate(lines, start=1):
        try:
            found = decode(line)
        except msgspec.DecodeError as error:
            if number == len(lines) > 1:
                return  # it was being written when the server was killed
            raise UsageError(f"{path}, line {number}: {str(error).lower()}.") from None
        if (number == 1) is not isinstance(found, Served):
            raise UsageError(f"{path} is no log of 'thresher lab serve': line {number} is out of place.")
        yield found


OUTCOMES = {
    RequestKind.PAGE: "fetched",
    RequestKind.MOVED: "moved",
    RequestKind.ABSENT: "gone",
    RequestKind.HIDDEN: "gone",
    RequestKind.DAMAGED: "failed",
    RequestKind.OTHER: "failed",
    RequestKind.CONNECT: "refused",
    RequestKind.ODD: "refused",
}


class ContenderRun(Struct, frozen=True):
    """One run of a contender: a line of a file of runs."""

    contender: str
    corpus: str
    topic: str
    log: str  # beside the file of runs
    efforts: tuple[str, ...] = ("",)  # what the topic was told by; a run that is not told it counts for all
    seeds: tuple[str, ...] = DEFAULT_SEEDS
    seconds: float = 0.0  # of processor time that the contender took
    peak_megabytes: float = 0.0
    versions: tuple[str, ...] = ()
    ended: str = ""  # how the contender ended
    said: str = ""  # a file of URLs beside the log: the pages that the contender calls relevant


class Conduct(Struct, frozen=True):
    """How a contender behaved, and what it moved."""

    requests: int = 0
    robots_txt: int = 0
    forbidden: int = 0  # requests that robots.txt forbids
    hasty: int = 0  # requests before the delay had passed that a host asks for
    again: int = 0  # pages fetched that were fetched before
    refused: int = 0  # tunnels, and what made no sense
    bytes: int = 0
    seconds: float = 0.0
    pages_a_second: float = 0.0


class Scored(Struct, frozen=True):
    """A run with its measures and its conduct, for each effort that it counts for."""

    run: ContenderRun
    results: tuple[RunResult, ...]
    conduct: Conduct
    served: Served
    counts: CountMeasures | None = None  # of the pages fetched: called relevant, relevant, both
    unseen: int = 0  # pages called relevant that were not fetched: they count for nothing


def read_runs(path: Path) -> list[ContenderRun]:
    """Return the runs of a file, one a line."""
    runs = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            runs.append(msgspec.json.decode(line, type=ContenderRun))
        except msgspec.DecodeError as error:
            raise UsageError(f"{path}, line {number}: {str(error).lower()}.") from None
    if not runs:
        raise UsageError(f"{path} names no run.")
    return runs


def score(run: ContenderRun, log: Path, place: ReplayStage, pages: str = "") -> Scored:
    """Return what a run is worth; `pages` is its budget, if not the one the server had."""
    head, lines = _read(log, place.corpus)
    wanted = place.relevant(run.topic)
    if not pages and not head.budget:
        raise UsageError(f"{log} was served without a limit of pages: say --pages N.")
    budget = budget_of(pages or str(head.budget), len(wanted))
    steps = steps_of(lines, place, run.topic, budget)
    reachable = place.graph.reachable(place.corpus.seeds(run.topic, run.seeds), place.hidden)
    found = measure(steps, place.corpus.topic(run.topic), wanted, reachable, budget)
    cost = Cost(run.seconds, 0.0, run.peak_megabytes)
    seeds = ",".join(run.seeds)
    results = tuple(
        RunResult(
            place.corpus.name, effort or head.mode, run.topic, seeds, run.contender, budget, found, cost
        )
        for effort in run.efforts
    )
    scored = Scored(run, results, conduct_of(lines, steps), head)
    return _with_counts(scored, read_urls(log.parent / run.said), steps) if run.said else scored


def _with_counts(scored: Scored, said: Iterable[Url], steps: Sequence[ReplayStep]) -> Scored:
    """Return a score with what the contender calls relevant of the pages that it fetched."""
    told = {bare(url) for url in said}
    fetched = {bare(step.url) for step in steps if step.cost}
    true = {bare(step.url) for step in steps if step.relevant}
    counts = CountMeasures(len(told & fetched), len(true), len(told & true))
    return replace(scored, counts=counts, unseen=len(told - fetched))


def steps_of(lines: Iterable[Access], place: ReplayStage, topic: str, budget: int) -> list[ReplayStep]:
    """Return the requests of a log as a replay tells its visits, up to the page that fills the budget."""
    wanted = {bare(url) for url in place.relevant(topic)}
    steps: list[ReplayStep] = []
    spent = 0
    for line in lines:
        if line.kind is RequestKind.ROBOTS or spent == budget:
            continue
        is_page = line.kind is RequestKind.PAGE and line.method == "GET"
        relevant = is_page and bare(line.url) in wanted
        wanted -= {bare(line.url)} if relevant else set()  # found once
        spent += is_page
        steps.append(_step(len(steps) + 1, line, place, topic, is_page, relevant))
    return steps


def conduct_of(lines: Sequence[Access], steps: Sequence[ReplayStep]) -> Conduct:
    """Return how a contender behaved while its budget lasted."""
    pages = [step.url for step in steps if step.cost]
    seconds = steps[-1].at if steps else 0.0
    meant = [line for line in lines if line.at <= seconds]
    return Conduct(
        requests=len(steps),
        robots_txt=sum(line.kind is RequestKind.ROBOTS for line in meant),
        forbidden=sum(line.forbidden for line in meant),
        hasty=sum(line.hasty for line in meant),
        again=len(pages) - len(set(pages)),
        refused=sum(line.kind in (RequestKind.CONNECT, RequestKind.ODD) for line in meant),
        bytes=sum(line.size for line in meant),
        seconds=seconds,
        pages_a_second=len(pages) / seconds if seconds else 0.0,
    )


def _read(log: Path, corpus: Corpus) -> tuple[Served, list[Access]]:
    lines: list[Line] = list(read_log(log))
    if not lines:
        raise UsageError(f"{log} is empty: 'thresher lab serve --log' writes such a file.")
    head = lines[0]
    assert isinstance(head, Served)  # read_log saw to it
    if corpus.name not in head.corpora:
        raise UnknownName(f"corpus that was served, in {log.name},", corpus.name, head.corpora)
    return head, [line for line in lines if isinstance(line, Access)]


def _step(n: int, line: Access, place: ReplayStage, topic: str, is_page: bool, relevant: bool) -> ReplayStep:
    return ReplayStep(
        n=n,
        url=place.web.spelling(Url(line.url)),
        outcome=OUTCOMES[line.kind] if line.method == "GET" else "refused",
        cost=int(is_page),
        relevance=0.0,
        priority=0.0,
        via="",
        relevant=relevant,
        size=line.size,
        information=_information(place, topic, line.url) if is_page else 0.0,
        at=line.at,
    )


def _information(place: ReplayStage, topic: str, url: str) -> float:
    fetched = place.web.peek(parse(url))
    return place.description(topic).information(place.parse(fetched)) if fetched else 0.0
