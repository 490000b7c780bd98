"""Standard output and standard error: JSON for programs, sentences for people, and log lines."""

import logging
import re
import sys
import time
from io import RawIOBase
from typing import Any, BinaryIO, cast

import click
import msgspec
from typing_extensions import override

from thresher.settings.components import encoded

# Standard output


_DRIVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Controls, and marks that turn the direction of a line; line ends and tabs pass."""


def print_json(document: Any) -> None:
    """Print a document as JSON."""
    click.echo(text_of(document))


def text_of(document: Any) -> str:
    """Return a document as JSON; on a terminal, unusual characters are spelt out."""
    text = msgspec.json.format(msgspec.json.encode(document, enc_hook=encoded), indent=2).decode()
    return spelt_out(text) if sys.stdout.isatty() else text


def spelt_out(text: str) -> str:
    """Return a text with what could drive a terminal as JSON spells it, as a code."""
    return _DRIVES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def standard_output() -> BinaryIO:
    """Return where to write a document in bytes; a terminal gets it spelt out."""
    return cast(BinaryIO, _Terminal()) if sys.stdout.isatty() else sys.stdout.buffer


class _Terminal(RawIOBase):
    """A terminal that takes whole lines of UTF-8."""

    @override
    def writable(self) -> bool:
        return True

    @override
    def write(self, data: Any) -> int:
        click.echo(spelt_out(bytes(data).decode("utf-8", "replace").replace("\r\n", "\n")), nl=False)
        return len(data)


# What is logged on stderr: sentences for people, or one JSON object a line for programs.


FULL = "%(asctime)s [%(name)s] %(levelname)s: %(message)s"

CHOSEN = "thresher.log_format"  # where the context of a command keeps it


def _choose(context: click.Context, parameter: click.Parameter, value: str) -> None:
    context.meta[CHOSEN] = value


log_format_option = click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    expose_value=False,
    callback=_choose,
    help="How progress and logs are written on stderr: sentences, or a JSON object a line.",
)


def show_logs(verbose: int) -> None:
    """Let our loggers speak on stderr: warnings always, more with each -v."""
    handler = Stderr()
    handler.setFormatter(_formatter(verbose))
    logger = logging.getLogger("thresher")
    logger.handlers = [handler]
    logger.setLevel({0: logging.WARNING, 1: logging.INFO}.get(verbose, logging.DEBUG))


def as_json() -> bool:
    """Tell whether a program reads along."""
    context = click.get_current_context(silent=True)
    return context is not None and context.meta.get(CHOSEN) == "json"


def write_event(event: str, **facts: Any) -> None:
    """Write one line for a program."""
    click.echo(msgspec.json.encode({"time": round(time.time(), 3), "event": event, **facts}), err=True)


def _formatter(verbose: int) -> logging.Formatter:
    if as_json():
        return Json()
    return logging.Formatter(FULL) if verbose else Sentence()


class Stderr(logging.Handler):
    """Writes to whatever stderr is at the time, so that lines pass above a live display."""

    @override
    def emit(self, record: logging.LogRecord) -> None:
        click.echo(spelt_out(self.format(record)), err=True)  # a worker or a page may have said it


class Sentence(logging.Formatter):
    """The message alone; tracebacks only with -v."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage()


class Json(logging.Formatter):
    """One object a line, as collectors of logs read them."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        facts = {
            "time": round(record.created, 3),
            "event": "log",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            facts["traceback"] = self.formatException(record.exc_info)
        return msgspec.json.encode(facts).decode()
