"""What our own loggers say to the user of the command line; the root logger is never touched."""

import logging

import click

FULL = "%(asctime)s [%(name)s] %(levelname)s: %(message)s"


def show_logs(verbose: int) -> None:
    """Let our loggers speak on stderr: warnings always, more with each -v."""
    handler = Stderr()
    handler.setFormatter(logging.Formatter(FULL) if verbose else Sentence())
    logger = logging.getLogger("thresher")
    logger.handlers = [handler]
    logger.setLevel({0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG))


class Stderr(logging.Handler):
    """Writes to whatever stderr is at the time, so that lines pass above a live display."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record."""
        click.echo(self.format(record), err=True)


class Sentence(logging.Formatter):
    """The message alone: a traceback is for those who ask with -v."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the message."""
        return record.getMessage()
