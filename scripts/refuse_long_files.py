"""Refuses Python files over 400 lines: a long file hides two jobs."""

import sys
from collections.abc import Iterable
from pathlib import Path

LIMIT = 400


def too_long(paths: Iterable[Path]) -> list[str]:
    """Return one sentence for each file over the limit."""
    counts = ((path, len(path.read_text(encoding="utf-8").splitlines())) for path in paths)
    return [f"{path} has {lines} lines; split it below {LIMIT}." for path, lines in counts if lines > LIMIT]


if __name__ == "__main__":
    if refusals := too_long(map(Path, sys.argv[1:])):
        sys.exit("\n".join(refusals))
