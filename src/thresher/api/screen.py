"""A crawl to watch from Python: live in a notebook, lines on stderr if asked for, else nothing."""

import sys
import time
from html import escape
from importlib import import_module
from typing import Any, TextIO

from thresher.core.interfaces import Observer
from thresher.core.progress import Progress
from thresher.core.records import Visit
from thresher.engine.crawl import Crawl
from thresher.export.wording import harvest, last_find, many, number

BETWEEN = 5.0  # seconds between two lines


class Screen:
    """Shows where a crawl stands now and then, and lets another see its visits; this one shows nothing."""

    def __init__(self, title: str, watch: Observer | None = None) -> None:
        """Know what the crawl is called, and who else wants to see its visits."""
        self.title, self._watch = title, watch
        self._crawl: Crawl | None = None

    def begin(self, crawl: Crawl) -> None:
        """Take the crawl that is to be shown."""
        self._crawl = crawl

    def note(self, visit: Visit, progress: Progress) -> None:
        """See one visit."""
        if self._watch:
            self._watch(visit, progress)

    def show(self) -> None:
        """Show where the crawl stands, if it has begun."""
        if self._crawl:
            self.put(self._line(self._crawl.progress), self._crawl.progress)

    def put(self, line: str, progress: Progress) -> None:
        """Put a line where somebody reads it."""

    def close(self) -> None:
        """Show the end."""
        self.show()

    def _line(self, progress: Progress) -> str:
        limit = f", {number(progress.budget.pages)} asked for" if progress.budget.pages else ""
        hosts = many(len(progress.hosts), "host")
        found = f"; last find: {last_find(progress.found)}" if progress.found else ""
        return f"{self.title}: {harvest(progress.relevant, progress.pages)}{limit}, {hosts}{found}"


class Lines(Screen):
    """A line every few seconds."""

    def __init__(self, title: str, watch: Observer | None = None, stream: TextIO | None = None) -> None:
        """Write to a stream, by default stderr."""
        super().__init__(title, watch)
        self._stream, self._next = stream or sys.stderr, 0.0

    def put(self, line: str, progress: Progress) -> None:
        """Write a line if it is time."""
        if (now := time.monotonic()) >= self._next:
            self._next = now + BETWEEN
            print(line, file=self._stream, flush=True)

    def close(self) -> None:
        """Write the last line, whatever the time."""
        self._next = 0.0
        self.show()


class Notebook(Screen):
    """One output of a cell that is drawn anew."""

    _handle: Any = None

    def put(self, line: str, progress: Progress) -> None:
        """Draw a bar and the line below it."""
        display = import_module("IPython.display").display  # it is there: we are in its kernel
        share = min(1.0, progress.pages / progress.budget.pages) if progress.budget.pages else 0.0
        bar = f'<progress value="{share:.3f}" max="1" style="width:20em"></progress> ' if share else ""
        drawn = {"text/plain": line, "text/html": f"<div>{bar}{escape(line)}</div>"}
        if self._handle is None:
            self._handle = display(drawn, raw=True, display_id=True)
        else:
            self._handle.update(drawn, raw=True)


def screen_for(title: str, progress: bool | None, watch: Observer | None) -> Screen:
    """Return where a crawl is shown: nobody asked means in a notebook only."""
    if progress is False:
        return Screen(title, watch)
    if in_notebook():
        return Notebook(title, watch)
    return Lines(title, watch) if progress else Screen(title, watch)


def in_notebook() -> bool:
    """Tell whether a notebook's kernel runs us."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return hasattr(shell, "kernel")
