"""PageRank seeded with the topic, kept up to date page by page (Ratna et al. 2012, eq. 5 to 8).

s, L       the score of a page; how many pages it links to
M          M[u, v] = 1 / L(v) where page v links to u: x <- M x is eq. (7)

Sweeps     x after k sweeps from x = s, as printed: mass leaks where no link leads on, and runs in circles
LocalPush  x = s + d M x: personalised PageRank but for its scale, since the jump back to the topic, whether
           by (1 - d) or from a page without links, makes all values larger by one factor

A page that comes in changes x only where links lead from it, so the change is pushed along them: k links
far, or as far as it is worth more than `least`; what was not pushed on counts where it is.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint32]
Values = NDArray[np.float64]
NONE = np.empty(0, np.uint32)


class Growing:
    """A value or, with a width, a row of values for each of ever more pages; one never set is 0."""

    def __init__(self, width: int | None = None) -> None:
        """Start with room for a few."""
        self._shape = () if width is None else (width,)
        self.values: Values = np.zeros((1_024, *self._shape))

    def __getitem__(self, pages: Numbers) -> Values:
        """Return the values of pages."""
        self.make_room(pages)
        found: Values = self.values[pages]
        return found

    def first(self, size: int) -> Values:
        """Return the values of the first pages; not a copy."""
        self.make_room(NONE, size)
        return self.values[:size]

    def set(self, page: int, value: float) -> None:
        """Set the value of one page."""
        self.make_room(NONE, page)
        self.values[page] = value

    def raise_to(self, pages: Numbers, values: Values) -> None:
        """Let each page have the larger of its value and another."""
        self.make_room(pages)
        np.maximum.at(self.values, pages, values)

    def make_room(self, pages: Numbers, page: int = 0) -> None:
        """Have a value for each of these pages."""
        needed = max(int(pages.max(initial=0)), page) + 1
        if needed > len(self.values):
            grown = np.zeros((needed + needed // 4, *self._shape))
            grown[: len(self.values)] = self.values
            self.values = grown


class Sweeps:
    """x after k sweeps, for several scores of each page at once: those of single words.

    Invariant: each level is M times the one before it, for all links there are.
    """

    def __init__(self, k: int = 1, width: int = 1) -> None:
        """Keep a level for each sweep; the one before them holds the scores of the pages that came in."""
        self._scores: dict[int, Values] = {}
        self._levels = [Growing(width) for _ in range(k)]
        self._links: dict[int, Numbers] = {}

    def add(self, page: int, scores: Values, targets: Numbers) -> None:
        """Take in a page with its scores and the distinct pages it links to."""
        for level in self._levels:
            level.make_room(targets, page)
        self._scores[page] = scores
        if len(self._levels) > 1:  # one sweep goes no further than here
            self._links[page] = targets
        changes = {page: scores}
        for level, following in zip(self._levels, (*self._levels[1:], None), strict=True):
            changes = self._sweep(changes, {page: targets}, level.values)
            if following is not None:
                changes[page] = level.values[page].copy()

    def __getitem__(self, pages: Numbers) -> Values:
        """Return the ranks of pages."""
        return self._levels[-1][pages] if self._levels else self._own(pages.tolist())

    def first(self, size: int) -> Values:
        """Return the ranks of the first pages."""
        return self._levels[-1].first(size) if self._levels else self._own(range(size))

    def _own(self, pages: Iterable[int]) -> Values:
        """Return what pages have without any sweep: their own scores."""
        nothing = np.zeros_like(next(iter(self._scores.values()), np.zeros(1)))
        return np.array([self._scores.get(page, nothing) for page in pages])

    def _sweep(
        self, changes: dict[int, Values], new: dict[int, Numbers], following: Values
    ) -> dict[int, Values]:
        """Move changes along the links into the level that follows, and return what changed there."""
        moved: dict[int, Values] = {}
        for page, change in changes.items():
            targets = new.get(page, self._links.get(page, NONE))
            share = change / max(1, len(targets))
            following[targets] += share
            for target in targets.tolist() if len(self._levels) > 1 else ():
                moved[target] = moved[target] + share if target in moved else share
        return moved


class LocalPush:
    """x = s + d M x within `least`. Invariant: settled + unpushed satisfy it but for d M unpushed."""

    def __init__(self, damping: float = 0.85, least: float = 1e-3) -> None:
        """Push on whatever is worth more than `least`."""
        self._damping, self._least = damping, least
        self._settled, self._unpushed = Growing(), Growing()
        self._links: dict[int, Numbers] = {}
        self.pushed: dict[int, float] = {}  # pages whose targets have risen, and by how much each

    def add(self, page: int, score: float, targets: Numbers, ranked: bool = False) -> None:
        """Take in a page with its score and the distinct pages it links to, unless it is ranked already."""
        self._settled.make_room(targets, page)
        self._unpushed.make_room(targets, page)
        self._links[page] = targets
        if not ranked:
            self._unpushed.values[page] += score
            self._push_from(page)

    def __getitem__(self, pages: Numbers) -> Values:
        """Return the ranks of pages."""
        return self._settled[pages] + self._unpushed[pages]

    def save(self) -> bytes:
        """Return everything but the links."""
        values = (self._settled.values.tobytes(), self._unpushed.values.tobytes())
        return msgspec.msgpack.encode((*values, self.pushed))

    def load(self, saved: bytes) -> None:
        """Take up what was saved."""
        settled, unpushed, self.pushed = _decode_saved(saved)
        self._settled.values = np.frombuffer(settled, np.float64).copy()
        self._unpushed.values = np.frombuffer(unpushed, np.float64).copy()

    def _push_from(self, first: int) -> None:
        """Push a page's mass on, then that of every page where too much has gathered."""
        unpushed, waiting = self._unpushed.values, deque([first])
        while waiting:
            page = waiting.popleft()
            mass, targets = unpushed[page], self._links[page]
            unpushed[page] = 0.0
            self._settled.values[page] += mass
            if not len(targets):
                continue
            share = self._damping * mass / len(targets)
            before = unpushed[targets]
            unpushed[targets] = before + share
            self.pushed[page] = self.pushed.get(page, 0.0) + float(share)
            risen = targets[(abs(before) <= self._least) & (abs(before + share) > self._least)]
            waiting.extend(each for each in risen.tolist() if each in self._links)


def personalised(
    scores: Sequence[float], links: Mapping[int, Sequence[int]], damping: float = 0.85
) -> Values:
    """Return the personalised PageRank r = d M r + (1 - d + d * lost) t of a whole graph, which sums to 1."""
    topic: Values = np.clip(np.array(scores, np.float64), 0.0, None)
    topic /= topic.sum()
    ranks, change = topic, 1.0
    while change > 1e-12:
        moved = np.zeros(len(topic))
        for page, targets in links.items():
            np.add.at(moved, list(targets), damping * ranks[page] / max(1, len(targets)))
        following = moved + (1 - moved.sum()) * topic
        ranks, change = following, float(abs(following - ranks).sum())
    return ranks


_decode_saved = msgspec.msgpack.Decoder(tuple[bytes, bytes, dict[int, float]]).decode
