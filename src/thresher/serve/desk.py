"""The desk behind the routes: which crawls there are, what state each is in, and how to reach them."""

import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from shutil import disk_usage

from thresher.core.errors import ThresherError
from thresher.core.progress import FinishKind
from thresher.serve.answers import State
from thresher.serve.limits import Rate
from thresher.serve.problems import Problem, ProblemDocument, not_found, of_folder
from thresher.serve.processes import Control, Processes, is_held
from thresher.serve.secrets import Signer
from thresher.serve.workshop import Workshop
from thresher.store.folder import CrawlFolder
from thresher.store.schema import Facts

ROOM = 16_000_000  # bytes without which a crawl cannot write
FRESH = 1.0  # seconds for which the list of folders is believed


@dataclass(frozen=True)
class Found:
    """A folder that holds a crawl, or that begins to."""

    id: str
    folder: CrawlFolder


@dataclass
class Desk:
    """What all requests share."""

    roots: list[Path]
    signer: Signer
    processes: Processes
    workshop: Workshop = field(default_factory=Workshop)
    understanding: Rate = field(default_factory=lambda: Rate(10))
    _found: dict[str, Found] = field(default_factory=dict)
    _looked: float = 0.0

    def crawls(self) -> dict[str, Found]:
        """Return the crawls under the folders served, one level deep, by id."""
        if time.monotonic() - self._looked > FRESH:
            self._found, self._looked = _look(self.roots), time.monotonic()
        return self._found

    def crawl(self, id: str) -> Found:
        """Return one crawl, or raise that there is none of this id."""
        known = self.crawls().get(id)
        if known is None:
            self._looked = 0.0
            known = self.crawls().get(id)
        if known is None:
            raise not_found(f"No crawl {id!r} is served here.", "Open the list of all crawls.")
        return known

    def forget(self) -> None:
        """Look for crawls anew with the next question."""
        self._looked = 0.0

    @property
    def home(self) -> Path:
        """Where new crawls are made."""
        first = self.roots[0]
        return first.parent if (first / "crawl.db").exists() else first


def state_of(folder: CrawlFolder) -> tuple[State, str, Facts | None, ProblemDocument | None]:
    """Return the state of a crawl, why, what is known of it, and what keeps it from being read."""
    held = is_held(folder)
    try:
        begun = folder.is_begun()
        if not begun:
            return _not_begun(folder, held)
        store = folder.open()
        try:
            facts = store.facts
        finally:
            store.close()
    except (ThresherError, OSError) as error:
        problem = of_folder(error).document if isinstance(error, ThresherError) else _no_access(error)
        return State.UNREADABLE, problem.detail, None, problem
    if held:
        return State.RUNNING, "crawling", facts, None
    return *_ended(folder, facts), facts, None


def _not_begun(folder: CrawlFolder, held: bool) -> tuple[State, str, Facts | None, ProblemDocument | None]:
    if held or Control(folder).is_beginning():
        return State.BEGINNING, "beginning", None, None
    return State.FAILED, _last_line(folder) or "It ended before its first page.", None, None


def _ended(folder: CrawlFolder, facts: Facts) -> tuple[State, str]:
    if facts.finish is None:
        return State.CUT_OFF, _trouble_of(folder) or "nothing acknowledged is lost"
    kind, sentence = facts.finish.kind, facts.finish.sentence
    if kind in (FinishKind.INTERRUPTED, FinishKind.CANCELLED):
        stopped = Control(folder).asked() == "stopped"
        return (State.STOPPED, "by you") if stopped else (State.PAUSED, "it can go on")
    return (State.FAILED if kind is FinishKind.FAILED else State.FINISHED), sentence.removeprefix("failed: ")


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


def _look(roots: list[Path]) -> dict[str, Found]:
    found: dict[str, Found] = {}
    for root in roots:
        places = [root] if _is_crawl(root) else _inside(root)
        for place in places:
            name = re.sub(r"[^\w-]", "-", place.name)[:80] or "crawl"
            id, number = name, 2
            while id in found:
                id, number = f"{name[:76]}-{number}", number + 1
            found[id] = Found(id, CrawlFolder(place))
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
