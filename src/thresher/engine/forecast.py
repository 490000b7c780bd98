"""What the next downloads will bring, with a band, from the latest visits and from what waits.

n    pages fetched so far;  h  downloads to foresee;  odds(p) = log(p / (1 - p))
r    the share of the latest pages that was relevant, each page back in time counting 1.2 % less
w    the mean chance of the best h links that wait; the chance of a link is a logistic regression on the
     latest visits by how topical the page is that mentions it, and by how well its anchor fits the topic

odds(share of the next h that is relevant) = SHARE . (1, odds(r), log(1 + h / 2n), odds(w))
log(precision of that)                     = PRECISION . (1, log(h / 100), log(n / 100))

The band is the shortest that holds BAND of a beta-binomial of that share and precision. The seven weights are
the likeliest for crawls of half of the topics of three recorded webs, each web counting the same; that BAND
holds the truth four times in five was seen there, and holds for the other half: results/learned/README.md
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thresher.core.interfaces import Judge, Memory, StopRule
from thresher.core.progress import Finish, FinishKind, Forecast, Progress
from thresher.core.records import Candidate, Url

Floats = NDArray[np.float64]

SHARE = np.array([-0.22, 0.44, -0.49, 0.43])
PRECISION = np.array([1.79, 0.36, 0.27])
BAND = 0.73

HALF_LIFE = 60  # pages
USUAL = (1.2, 4.0)  # relevant pages, and pages, that every crawl is taken to have seen before
SURE = 3e-3  # no share is nearer to 0 or 1 than that
RIDGE = 2.0  # how strongly the regression is held to no difference between links
STEPS = 20  # of Newton's method, at most
FARTHEST = 4.0  # standard deviations from the usual that a hint may be


class Hints(NamedTuple):
    """What is known of links before they are followed, a number for each."""

    parents: Floats  # the score of the page that mentions it
    anchors: Floats  # how well its anchor fits the topic

    def columns(self) -> Floats:
        """Return the hints as the regression takes them."""
        return np.column_stack((np.log(self.parents + 0.02), np.sqrt(self.anchors)))


def forecast(followed: Hints, relevant: Floats, waiting: Hints, pages: int, downloads: int) -> Forecast:
    """Return what the next downloads will bring.

    `relevant` is 1 where the link led to a relevant page and 0 where it did not, the latest visit first.
    """
    recent = _recent(relevant)
    promise = _chances(followed.columns(), relevant, waiting.columns()) if len(waiting.parents) else recent
    ahead = np.log(1 + downloads / (2 * pages))
    share = float(_logistic(SHARE @ np.array([1.0, _odds(recent), ahead, _odds(promise)])))
    precision = np.exp(PRECISION @ np.array([1.0, np.log(downloads / 100), np.log(pages / 100)]))
    return Forecast(pages, downloads, share * downloads, *_band(share, float(precision), downloads))


def _recent(relevant: Floats) -> float:
    weights = 0.5 ** (np.arange(len(relevant)) / HALF_LIFE)
    return float((weights @ relevant + USUAL[0]) / (weights.sum() + USUAL[1]))


def _chances(followed: Floats, relevant: Floats, waiting: Floats) -> float:
    """Return the mean chance of the waiting links, by a logistic regression on those that were followed."""
    mean, spread = followed.mean(axis=0), followed.std(axis=0) + 1e-6
    rows, new = (_standardised(columns, mean, spread) for columns in (followed, waiting))
    held = np.diag([1e-3, *[RIDGE] * followed.shape[1]])
    weights = np.zeros(len(held))
    weights[0] = _odds((relevant.sum() + 0.5) / (len(relevant) + 1))
    for _ in range(STEPS):
        chances = _logistic(rows @ weights)
        slopes = (rows.T * (chances * (1 - chances) + 1e-6)) @ rows + held
        step = np.clip(np.linalg.solve(slopes, rows.T @ (relevant - chances) - held @ weights), -1, 1)
        weights += step
        if np.abs(step).max() < 1e-4:
            break
    return float(_logistic(new @ weights).mean())


def _standardised(columns: Floats, mean: Floats, spread: Floats) -> Floats:
    near = np.clip((columns - mean) / spread, -FARTHEST, FARTHEST)
    return np.column_stack((np.ones(len(near)), near))


def _band(share: float, precision: float, downloads: int) -> tuple[int, int]:
    """Return the closest two counts between which a beta-binomial lies often enough, its mean among them.

    The shortest band of a skewed distribution may end below its mean; a reader would take that for a mistake.
    """
    count = np.arange(downloads)
    hits, misses = share * precision, (1 - share) * precision
    one_more = (downloads - count) * (hits + count) / ((count + 1) * (misses + downloads - count - 1))
    logs = np.concatenate(([0.0], np.cumsum(np.log(one_more))))
    up_to = np.cumsum(np.exp(logs - logs.max()))
    up_to /= up_to[-1]
    before = np.concatenate(([0.0], up_to[:-1]))
    highs = np.searchsorted(up_to, before + BAND - 1e-12)
    lows = np.flatnonzero(highs <= downloads)
    low = int(lows[np.argmin(highs[lows] - lows)])
    mean = round(share * downloads)
    return min(low, mean), max(int(highs[low]), mean)


def _odds(share: float) -> float:
    bounded = min(max(share, SURE), 1 - SURE)
    return float(np.log(bounded / (1 - bounded)))


def _logistic(odds: Floats) -> Floats:
    shares: Floats = 1 / (1 + np.exp(-odds))
    return shares


FIRST = 100  # pages before anything is foreseen
DOWNLOADS = 1000  # that are foreseen
LATEST = 400  # visits that are learned from
SAMPLE = 500  # of what waits


@dataclass
class Foresight(StopRule):
    """Forecasts at fixed numbers of pages, so that a resumed crawl looks when an uninterrupted one would.

    Nothing is kept from one look to the next: all that it takes stands in the store, beside the visits.
    """

    store: Memory
    judge: Judge
    below: float = 0.0  # the share of the downloads that must promise to be relevant
    watched: bool = True  # somebody looks on; else, where nothing can end, a look at the end is enough
    _next: int = field(default=0, init=False)

    def __str__(self) -> str:
        return (
            f"when a forecast promises less than {self.below:.0%}" if self.below else "forecasts end nothing"
        )

    def consider(self, progress: Progress) -> None:
        """Look ahead if it is time, and end the crawl if it promises too little."""
        if not self.watched and not self.below:
            return
        self._next = self._next or next_look(progress.pages - 1)
        if progress.pages >= self._next:
            self._next = next_look(progress.pages)
            self.look(progress)
            self._stop_if_poor(progress)

    def look_again(self, progress: Progress, ended: Finish | None) -> None:
        """Look at once if the run before ended because too little was promised: this one may ask for less."""
        if ended and ended.kind is FinishKind.FORECAST:
            self.look(progress)
            self._stop_if_poor(progress)

    def look(self, progress: Progress) -> None:
        """Forecast the next downloads, if enough is known."""
        if progress.pages >= FIRST:
            progress.forecast = self.ahead(progress, DOWNLOADS)

    def ahead(self, progress: Progress, downloads: int) -> Forecast:
        """Return what so many downloads will bring."""
        visits, waiting = self.store.latest(LATEST), self.store.next_up(downloads)
        return forecast(
            self._hints(visit.candidate for visit in visits),
            np.array([float(visit.relevance >= progress.threshold) for visit in visits]),
            self._hints(waiting[:: -(-len(waiting) // SAMPLE) or 1]),
            progress.pages,
            downloads,
        )

    def _hints(self, candidates: Iterable[Candidate]) -> Hints:
        """Return what speaks for links; a seed is taken for the link of a page that is just relevant."""
        # Menus name the same page in the same words again and again.
        score, similarity = cache(self._score), cache(self.judge.similarity)
        links = [candidate.via for candidate in candidates]
        parents = [score(link.source) if link else self.judge.threshold for link in links]
        anchors = [similarity(link.anchor) if link else 0.0 for link in links]
        return Hints(np.array(parents), np.array(anchors))

    def _score(self, url: Url) -> float:
        score = self.store.relevance(url)
        return self.judge.threshold if score is None else score

    def _stop_if_poor(self, progress: Progress) -> None:
        """End the crawl after what is under way if the latest forecast is below what was asked for."""
        found = progress.forecast
        if found and found.share < self.below and not progress.stopping:
            promise = f"{found.downloads} downloads promise about {found.relevant:.0f} relevant pages"
            sentence = f"the next {promise}, less than {100 * self.below:g} %"
            progress.stopping = Finish(FinishKind.FORECAST, sentence, self.below)


def next_look(pages: int) -> int:
    """Return after how many pages the next look comes: 100, 125, 156 and so on, later every thousand."""
    place = FIRST
    while place <= pages:
        place += min(place // 4, 1000)
    return place
