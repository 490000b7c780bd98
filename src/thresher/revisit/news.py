"""News or furniture: a line that comes or goes alike on many pages of a host says nothing of any of them."""

from collections import Counter
from collections.abc import Iterable, Sequence

MANY = 20  # other pages of the host on which the same line came or went
SEVERAL = 5  # other pages, where these are
HALF = 0.5  # of all pages of the host that changed


class Furniture:
    """The lines that came or went on the pages of each host, counted once a page."""

    def __init__(self, changes: Iterable[tuple[int, int, Sequence[int]]]) -> None:
        """Count host, page and edits of every change."""
        pages = {(host, page, edit) for host, page, edits in changes for edit in (*edits, None)}
        self._pages = Counter((host, edit) for host, _, edit in pages)

    def covers(self, host: int, edits: Sequence[int]) -> bool:
        """Tell whether everything that changed on a page changed on many others of its host alike."""
        return bool(edits) and all(self._is_shared(host, edit) for edit in edits)

    def _is_shared(self, host: int, edit: int) -> bool:
        others, changed = self._pages[host, edit] - 1, self._pages[host, None]
        return others >= MANY or (others >= SEVERAL and others + 1 >= HALF * changed)
