"""The points of a crawl at which a test may pull the plug; in a crawl of yours nothing happens there."""

from collections.abc import Callable

AFTER_FETCH = "after fetch"
AFTER_ARCHIVE = "after archive"
BEFORE_COMMIT = "before commit"
AFTER_COMMIT = "after commit"
BEFORE_VERSION = "before version"
AFTER_VERSION = "after version"
IN_RECOVERY = "in recovery"
IN_CUT = "in the middle of a cut"
IN_REWRITE = "in the middle of a rewritten table"
BEFORE_SWAP = "before the new database takes the place of the old"
AFTER_SWAP = "after the new database took the place of the old"

_listener: Callable[[str], None] | None = None


def reached(point: str) -> None:
    """Tell the test that listens, if one does, that the crawl has come to a point."""
    if _listener:
        _listener(point)


def listen(listener: Callable[[str], None] | None) -> None:
    """Let a test hear of every point reached from now on."""
    global _listener
    _listener = listener
