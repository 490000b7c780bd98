"""Crawls as child processes: they outlive the server, and the server finds them again by their locks."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from thresher.core.errors import CrawlExists, CrawlRunning, InvalidUrl
from thresher.core.errors import GuardRefused as Refused
from thresher.core.files import atomic_write, refuse_link
from thresher.core.platform import is_locked, owner_and_command, process_exists, read_note
from thresher.core.url import parse
from thresher.fetch.guard import Guard
from thresher.serve.requests import NewCrawl, NewState, Problem, bad_request
from thresher.store.database import WIDTH
from thresher.store.folder import CrawlFolder, folder_name
from thresher.strategies import ALL_STRATEGIES
from thresher_practice.text import TOPICS


class ControlRequest(Struct, frozen=True):
    """What the user asked of a crawl last, beside its folder's own files."""

    to: str
    process: int = 0  # that was begun for it


@dataclass(frozen=True)
class Control:
    """The file in which the server notes that a crawl was to be stopped, not paused."""

    folder: CrawlFolder

    @property
    def _file(self) -> Path:
        return self.folder.path / "asked.json"

    def asked(self) -> str:
        """Return what was asked last."""
        return self._read().to

    def is_beginning(self) -> bool:
        """Tell whether a process that was begun for the crawl lives, though it may not have the lock yet."""
        return bool(process := self._read().process) and process_exists(process)

    def note(self, to: str, process: int = 0) -> None:
        """Keep what is asked now."""
        with atomic_write(self._file) as file:
            file.write(msgspec.json.encode(ControlRequest(to, process)))

    def _read(self) -> ControlRequest:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=ControlRequest)
        except (OSError, msgspec.MsgspecError, RecursionError):
            return ControlRequest("")


@dataclass
class Processes:
    """Begins crawls, lets them go on, and asks them to end."""

    given: tuple[str, ...] = ()  # flags of the user's own command line that every crawl gets
    networks: tuple[str, ...] = ()  # private networks that the user allowed there

    def begin(self, asked: NewCrawl, home: Path) -> CrawlFolder:
        """Begin a crawl in a new folder."""
        if asked.strategy not in ALL_STRATEGIES:
            raise bad_request(
                f"No strategy {asked.strategy!r} is known.", f"Choose one of {', '.join(ALL_STRATEGIES)}."
            )
        if asked.topic.lower().endswith(".toml"):
            raise bad_request(
                "A topic is words here, never a file.", "Crawl from a file with 'thresher crawl FILE'."
            )
        if bad := self.refused_seeds(asked.seeds + asked.examples):
            raise Problem(
                "bad-seeds",
                "An address cannot be crawled",
                422,
                " ".join(bad),
                "Nothing was started.",
                "Fix it.",
            )
        if nowhere := nowhere_to_begin(asked.topic, asked.seeds):
            raise Problem(
                "no-seeds", "No seed", 422, nowhere, "Nothing was started.",
                "Give a seed URL, or choose one of these topics.",
            )  # fmt: skip
        folder = CrawlFolder(home / folder_name(asked.name or asked.topic))
        if folder.path.exists():
            raise CrawlExists(f"There is a folder {folder.path.name} already.")
        folder.path.mkdir(parents=True)
        self._spawn(folder, ["crawl", *_flags(asked), *self.given, "-o", str(folder.path), "--", asked.topic])
        return folder

    def change(self, folder: CrawlFolder, asked: NewState) -> None:
        """Let a crawl go on, or ask it to end after what is under way."""
        if asked.to == "running":
            self._resume(folder, asked)
            return
        Control(folder).note(asked.to)
        process = holder(folder)
        if process is None:
            return
        os.kill(process, signal.SIGTERM)

    def refused_seeds(self, seeds: tuple[str, ...]) -> list[str]:
        """Return a sentence for each seed that must not or cannot be crawled."""
        guard = Guard(self.networks)
        refused = []
        for seed in seeds:
            try:
                guard.vet(parse(seed))
            except (InvalidUrl, Refused) as error:
                refused.append(f"{seed[:200]}: {error}.".replace("..", "."))
        return refused

    def _resume(self, folder: CrawlFolder, asked: NewState) -> None:
        if is_held(folder):
            raise CrawlRunning("The crawl is running already.")
        flags = [
            f"--{name}={value}"
            for name in ("pages", "relevant")
            if (value := getattr(asked, name)) is not None
        ]
        if asked.keywords:  # --keyword stands for all of them
            known = dict.fromkeys((*folder.asked().topic.keywords, *asked.keywords))
            flags += [f"--keyword={keyword}" for keyword in known]
        self._spawn(folder, ["resume", *flags, "--", str(folder.path)])

    def _spawn(self, folder: CrawlFolder, arguments: list[str]) -> None:
        for name in ("crawl.log", "asked.json"):
            refuse_link(folder.path / name)
        with (folder.path / "crawl.log").open("ab") as log:
            child = subprocess.Popen(
                [sys.executable, "-P", "-m", "thresher", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        threading.Thread(target=child.wait, daemon=True).start()  # a crawl may outlive the server
        Control(folder).note("running", child.pid)


def holder(folder: CrawlFolder) -> int | None:
    """Return the process that crawls in a folder, if it is ours and a Thresher; else say that it is not."""
    if not is_held(folder):
        return None
    process = _written(folder)
    if process is None or not _is_ours(process):
        raise Problem(
            "foreign-process", "Not our process", 409, f"Process {process} holds it and is not yours.",
            "It was not touched.", "Stop it where it was started.",
        )  # fmt: skip
    return process


def is_held(folder: CrawlFolder) -> bool:
    """Tell whether a process crawls in a folder; the lock is tried only if the one named in it lives."""
    process = _written(folder)
    if process is None or not process_exists(process):
        return False
    return is_locked(folder.path / "crawl.lock")


def _flags(asked: NewCrawl) -> list[str]:
    """Return the flags of a new crawl; nothing else can be set through the web."""
    flags = [f"--seed={seed}" for seed in asked.seeds]
    flags += [f"--domain={domain}" for domain in asked.domains]
    flags += [f"--strategy={asked.strategy}", f"--pages={asked.pages}"]
    flags += [f"--relevant={asked.relevant}"] if asked.relevant else []
    flags += [f"--depth={asked.depth}"] if asked.depth else []
    flags += [f"--keyword={keyword}" for keyword in asked.keywords]
    flags += [f"--description={asked.description}"] if asked.description else []
    flags += [f"--example={example}" for example in asked.examples]
    flags += [f"--delay={asked.delay:g}"] if asked.delay is not None else []
    flags += [f"--set=contact={asked.contact}"] if asked.contact else []
    return flags + ([f"--time={asked.minutes * 60:g}s"] if asked.minutes else [])


def _written(folder: CrawlFolder) -> int | None:
    """Return the process that is named in the lock of a folder, whatever stands in its place."""
    try:
        text = read_note(folder.path / "crawl.lock", WIDTH).decode("ascii", "replace").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _is_ours(process: int) -> bool:
    """Tell whether a process belongs to the user and is a Thresher."""
    ours, command = owner_and_command(process)
    return ours and "thresher" in command


def nowhere_to_begin(topic: str, seeds: Sequence[str]) -> str:
    """Return why a crawl cannot begin without an address: only the practice web needs none."""
    names = [subject.name for subject in TOPICS]
    if any(seeds) or topic.strip() in names:
        return ""
    return f"Without a seed only the practice web can be crawled; its topics are {', '.join(names)}."
