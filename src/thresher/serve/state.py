"""Which crawls there are, what state each is in, its figures, and its watchers."""

import asyncio
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from shutil import disk_usage

from thresher.core.errors import ThresherError
from thresher.core.progress import FinishKind
from thresher.search.figures import IndexedFigures
from thresher.search.index import IndexLag, behind, catch_up, opened
from thresher.serve.processes import Control, Processes, is_held
from thresher.serve.requests import Problem, ProblemDocument, not_found, of_folder, too_many
from thresher.serve.responses import CrawlState
from thresher.serve.security import Rate, Signer, bounded
from thresher.store.folder import CrawlFolder
from thresher.store.schema import CrawlMetadata


@contextmanager
def ledger(folder: CrawlFolder) -> Iterator[IndexedFigures]:
    """Open the index of a crawl for one question."""
    with folder.open() as store, opened(folder) as index:
        yield IndexedFigures(bounded(index), store.labels())


# Exports under way, each made by a child process


@dataclass
class ExportJobs:
    """The files that are being made; `failed` says why one was not."""

    making: set[Path] = field(default_factory=set)
    failed: dict[Path, str] = field(default_factory=dict)

    def begin(self, file: Path, command: list[str]) -> None:
        """Make a file, unless another is being made."""
        if self.making:
            raise too_many("One file is made at a time.", 5)
        self.failed.pop(file, None)
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "thresher", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self.making.add(file)
        threading.Thread(target=self._wait, args=(file, child), daemon=True).start()

    def _wait(self, file: Path, child: subprocess.Popen[bytes]) -> None:
        """Wait until a file is made, and keep why it was not."""
        told = child.communicate()[1].decode(errors="replace").strip()
        if child.returncode:
            self.failed[file] = told.splitlines()[-1] if told else f"It ended with {child.returncode}."
        self.making.discard(file)


# The crawls of a folder


ROOM = 16_000_000  # bytes without which a crawl cannot write
FRESH = 1.0  # seconds for which the list of folders is believed


@dataclass(frozen=True)
class RegisteredCrawl:
    """A folder that holds a crawl, or that begins to."""

    id: str
    folder: CrawlFolder


@dataclass
class CrawlRegistry:
    """What all requests share."""

    roots: list[Path]
    signer: Signer
    processes: Processes
    workshop: ExportJobs = field(default_factory=ExportJobs)
    understanding: Rate = field(default_factory=lambda: Rate(10))
    _found: dict[str, RegisteredCrawl] = field(default_factory=dict)
    _checked_at: float = 0.0

    def crawls(self) -> dict[str, RegisteredCrawl]:
        """Return the crawls under the folders served, one level deep, by id."""
        if time.monotonic() - self._checked_at > FRESH:
            self._found, self._checked_at = _find_crawls(self.roots), time.monotonic()
        return self._found

    def crawl(self, id: str) -> RegisteredCrawl:
        """Return one crawl, or raise that there is none of this id."""
        known = self.crawls().get(id)
        if known is None:
            self._checked_at = 0.0
            known = self.crawls().get(id)
        if known is None:
            raise not_found(f"No crawl {id!r} is served here.", "Open the list of all crawls.")
        return known

    def forget(self) -> None:
        """Look for crawls anew with the next question."""
        self._checked_at = 0.0

    @property
    def home(self) -> Path:
        """Where new crawls are made."""
        first = self.roots[0]
        return first.parent if (first / "crawl.db").exists() else first


def state_of(folder: CrawlFolder) -> tuple[CrawlState, str, CrawlMetadata | None, ProblemDocument | None]:
    """Return the state of a crawl, why, what is known of it, and what keeps it from being read."""
    held = is_held(folder)
    try:
        begun = folder.is_begun()
        if not begun:
            return _not_begun(folder, held)
        with folder.open() as store:
            facts = store.facts
    except (ThresherError, OSError) as error:
        problem = of_folder(error).document if isinstance(error, ThresherError) else _no_access(error)
        return CrawlState.UNREADABLE, problem.detail, None, problem
    if held:
        return CrawlState.RUNNING, "crawling", facts, None
    return *_ended(folder, facts), facts, None


def _not_begun(
    folder: CrawlFolder, held: bool
) -> tuple[CrawlState, str, CrawlMetadata | None, ProblemDocument | None]:
    if held or Control(folder).is_beginning():
        return CrawlState.BEGINNING, "beginning", None, None
    return CrawlState.FAILED, _last_line(folder) or "It ended before its first page.", None, None


def _ended(folder: CrawlFolder, facts: CrawlMetadata) -> tuple[CrawlState, str]:
    if facts.finish is None:
        return CrawlState.CUT_OFF, _trouble_of(folder) or "nothing acknowledged is lost"
    kind, sentence = facts.finish.kind, facts.finish.sentence
    if kind in (FinishKind.INTERRUPTED, FinishKind.CANCELLED):
        stopped = Control(folder).asked() == "stopped"
        return (CrawlState.STOPPED, "by you") if stopped else (CrawlState.PAUSED, "it can go on")
    return (CrawlState.FAILED if kind is FinishKind.FAILED else CrawlState.FINISHED), sentence.removeprefix(
        "failed: "
    )


def _trouble_of(folder: CrawlFolder) -> str:
    """Return what may have cut a crawl off that could not write it down itself: a disk that has no room."""
    return "the disk is full; make room, then resume" if disk_usage(folder.path).free < ROOM else ""


def _no_access(error: OSError) -> ProblemDocument:
    return Problem(
        "no-access", "This folder cannot be opened", 422, f"{error.filename}: {error.strerror}.",
        "Nothing was changed.", "Give yourself the right to read it, or take it out of here.",
    ).document  # fmt: skip


def _last_line(folder: CrawlFolder) -> str:
    try:
        lines = (folder.path / "crawl.log").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return lines[-1][:500] if lines else ""


def _find_crawls(roots: list[Path]) -> dict[str, RegisteredCrawl]:
    found: dict[str, RegisteredCrawl] = {}
    for root in roots:
        places = [root] if _is_crawl(root) else _inside(root)
        for place in places:
            name = re.sub(r"[^\w-]", "-", place.name)[:80] or "crawl"
            id, number = name, 2
            while id in found:
                id, number = f"{name[:76]}-{number}", number + 1
            found[id] = RegisteredCrawl(id, CrawlFolder(place))
    return found


def _inside(root: Path) -> list[Path]:
    """Return the crawls in a folder; a link that leads out of it is not followed."""
    try:
        places = sorted(Path(entry.path) for entry in os.scandir(root) if entry.is_dir())
    except OSError:
        return []
    home = root.resolve()
    return [place for place in places if _is_crawl(place) and home in place.resolve().parents]


def _is_crawl(place: Path) -> bool:
    return any((place / name).exists() for name in ("crawl.db", "crawl.lock", "crawl.toml", "crawl.log"))


# Each crawl is checked now and then: its index is brought up to date, and those who watch are told


PULSE = 0.25  # seconds between two checks
GROUPS = 20  # of pages whose figures are counted at a time, so that no crawl waits for another
WORDY_GROUPS = 1  # the same with the words of the pages, which take longer


@dataclass
class Watcher:
    """Threads that check the crawls, and an event of the loop that is set when something was new.

    One counts figures and lists pages; the other indexes words, at a low priority.
    """

    desk: CrawlRegistry
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _ended: threading.Event = field(default_factory=threading.Event)
    _seen: dict[str, tuple[int, int, int, CrawlState]] = field(default_factory=dict)

    @contextmanager
    def watching(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Check the crawls as long as the context lasts."""
        threads = [
            threading.Thread(target=self._run, args=(loop,), name="watcher", daemon=True),
            threading.Thread(target=self._index_words, name="indexer", daemon=True),
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ended.set()
            for thread in threads:
                thread.join(10)

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self._ended.wait(PULSE):
            changed = [found.id for found in list(self.desk.crawls().values()) if self._refresh(found)]
            if changed and not loop.is_closed():
                asyncio.run_coroutine_threadsafe(self._tell(), loop)

    def _index_words(self) -> None:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 15)  # indexing gives way to answers
        is_busy = False
        while not self._ended.wait(0 if is_busy else PULSE):
            is_busy = sum(map(self._add_words, [each.folder for each in self.desk.crawls().values()])) > 0

    def _add_words(self, folder: CrawlFolder) -> bool:
        """Index some words of a crawl whose figures are counted, and tell whether there were any."""
        with suppress(ThresherError, OSError):
            lag = behind(folder)
            if lag.words and not lag.visits and not self._ended.is_set():
                return catch_up(folder, most=WORDY_GROUPS).words < lag.words
        return False

    def _refresh(self, found: RegisteredCrawl) -> bool:
        """Look at one crawl, and tell whether anything is new."""
        try:
            state, *_ = state_of(found.folder)
            lag = behind(found.folder)
            if lag.visits and not self._ended.is_set():
                lag = catch_up(found.folder, most=GROUPS, with_words=False)
        except (ThresherError, OSError):
            state, lag = CrawlState.UNREADABLE, IndexLag(0, 0)
        now = (lag.indexed, lag.visits, lag.words, state)
        is_new = self._seen.get(found.id) != now
        self._seen[found.id] = now
        return is_new

    async def _tell(self) -> None:
        async with self.changed:
            self.changed.notify_all()
