"""The results of an experiment, kept line by line, so that an interrupted one goes on where it stopped."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from thresher.frontier.waiting import PATIENCE
from thresher.settings.components import JudgeSettings, decoded, encoded
from thresher_lab.corpus import DEFAULT_SEEDS
from thresher_lab.measures import Measures
from thresher_lab.setup import PAPERS_JUDGE
from thresher_lab.versions import code_version


class ExperimentSettings(Struct, frozen=True):
    """What an experiment is: everything that decides its figures."""

    corpora: tuple[str, ...]
    strategies: tuple[str, ...]  # as src/thresher_lab/contenders/named.py reads them
    topics: tuple[str, ...] = ()  # none: all
    seeds: tuple[tuple[str, ...], ...] = (DEFAULT_SEEDS,)
    modes: tuple[str, ...] = ()  # none: all that a corpus has
    pages: str = "2x"
    model: str = "labels"
    judge: JudgeSettings = PAPERS_JUDGE
    rules: bool = False
    delay: float = 0.0
    lucks: tuple[int, ...] = ()  # seeds of latencies: each run is also played politely with each of them
    wait: float = PATIENCE


class Cost(Struct, frozen=True):
    """What a run cost this machine: the only figures that differ from run to run."""

    seconds: float
    microseconds_per_link: float
    peak_megabytes: float


class RunResult(Struct, frozen=True):
    """One run: which it was, how it went, what it cost."""

    corpus: str
    mode: str
    topic: str
    seeds: str
    strategy: str
    budget: int
    measures: Measures
    cost: Cost
    luck: int = 0  # the seed of the latencies of a polite replay; 0: it was not polite

    @property
    def task(self) -> tuple[str, str, str, str]:
        """What was to be found, and from where."""
        return (self.corpus, self.mode, self.topic, self.seeds)

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Where the run took place; the strategies that did are compared there."""
        return (*self.task[:3], with_luck(self.seeds, self.luck))

    @property
    def run(self) -> tuple[str, ...]:
        """What tells this run from the others."""
        return (*self.place, self.strategy)


def with_luck(seeds: str, luck: int) -> str:
    """Return what a run started from: latencies are one more thing that a strategy cannot choose."""
    return f"{seeds} luck {luck}" if luck else seeds


def read_kept(path: Path, asked: ExperimentSettings) -> list[RunResult]:
    """Return the results of an interrupted experiment; those of other code or settings are put aside."""
    lines = path.read_bytes().splitlines() if path.exists() else []
    try:
        head = msgspec.json.decode(lines[0], type=_Head, dec_hook=decoded) if lines else None
    except msgspec.DecodeError:
        head = None
    if head != _head(asked):
        if lines:
            path.replace(path.with_suffix(".old.jsonl"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.encode(_head(asked), enc_hook=encoded) + b"\n")
        return []
    return [result for line in lines[1:] if (result := _read_result(line))]


def read_results(path: Path) -> list[RunResult]:
    """Return the results in a file, whatever code and settings made them."""
    return [result for line in path.read_bytes().splitlines()[1:] if (result := _read_result(line))]


def append(path: Path, results: Sequence[RunResult]) -> None:
    """Add results to the file."""
    with path.open("ab") as file:
        file.write(b"".join(msgspec.json.encode(result) + b"\n" for result in results))


class _Head(Struct, frozen=True):
    """The first line of a file of results: what they are results of."""

    code: str
    pages: str
    model: str
    judge: JudgeSettings
    rules: bool
    delay: float = 0.0
    wait: float = 0.0


def _head(asked: ExperimentSettings) -> _Head:
    return _Head(code_version(), asked.pages, asked.model, asked.judge, asked.rules, asked.delay, asked.wait)


def _read_result(line: bytes) -> RunResult | None:
    try:
        return msgspec.json.decode(line, type=RunResult)
    except msgspec.DecodeError:
        return None  # a line that was being written when the power failed: it is run again
