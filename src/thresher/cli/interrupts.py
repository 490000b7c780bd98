"""Ctrl-C with care: the first one finishes what is under way, the second one stops now."""

import asyncio
import signal
import threading
from types import TracebackType

import click

from thresher.crawling.loop import Crawl

INTERRUPTED = "interrupted"
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Listens while its context lasts. Whatever is dropped was never acknowledged, so nothing is lost."""

    def __init__(self) -> None:
        self._crawl: Crawl | None = None
        self._task: asyncio.Task[object] | None = None

    def watch(self, crawl: Crawl) -> None:
        """Take the crawl that is to be stopped; its task is the one that calls."""
        self._crawl, self._task = crawl, asyncio.current_task()

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread():  # signals belong to it
            for each in SIGNALS:
                asyncio.get_running_loop().add_signal_handler(each, self.stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if threading.current_thread() is threading.main_thread():
            for each in SIGNALS:
                asyncio.get_running_loop().remove_signal_handler(each)

    def stop(self) -> None:
        """Answer one signal."""
        if self._crawl is None or self._task is None:
            raise KeyboardInterrupt  # nothing has begun
        again = bool(self._crawl.progress.stopping)
        self._crawl.progress.stopping = INTERRUPTED
        if again or not self._crawl.workers.busy:  # with nothing under way the crawl waits for a host
            self._task.cancel()
        else:
            click.echo("Stopping after what is under way; Ctrl-C again stops now.", err=True)
