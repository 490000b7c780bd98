"""The command line as a test sees it: arguments in, exit code and what was printed out."""

import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from typing import NamedTuple
from unittest.mock import patch

from thresher.cli.main import main


class Ran(NamedTuple):
    """What one command left behind."""

    code: int
    out: str
    err: str


def thresher(*arguments: str, stdin: str = "") -> Ran:
    """Run one command in this process and return what it did."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    path = list(sys.path)
    try:
        with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", StringIO(stdin)):
            main(arguments)
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 1
    finally:
        sys.path[:] = path
    return Ran(code, _text(out), _text(err))


def _text(stream: TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
