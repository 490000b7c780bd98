"""What the next downloads will bring, with a band, from the latest visits and from what waits.

n    pages fetched so far;  h  downloads to foresee;  odds(p) = log(p / (1 - p))
r    the share of the latest pages that was relevant, each page back in time counting 1.2 % less
w    the sum of the chances of the best h links that wait, divided by h; the chance of a link is a logistic
     regression on the latest visits by how topical the page is that mentions it, and by how well its anchor
     fits the topic

odds(share of the next h that is relevant) = SHARE . (1, odds(r), log(1 + h / 2n), odds(w))
log(precision of that)                     = PRECISION . (1, log(h / 100), log(n / 100))

The band is the shortest that holds BAND of a beta-binomial of that share and precision. No more is promised
than can still come at all (share_found.py), and nothing where nothing waits. The weights are the likeliest
for crawls until nothing was left to visit, each web counting the same; BAND was chosen so that four bands in
five held while there was something to find, each web by weights fitted without it: docs/trust/learner.md
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from thresher.core.interfaces import CrawlView, Judge, StopRule
from thresher.core.progress import Finish, FinishKind, Forecast, Progress
from thresher.core.records import Candidate, Url
from thresher.engine.share_found import capped, share_found, to_come

Floats = NDArray[np.float64]

SHARE = np.array([-0.78, 0.34, -0.73, 0.45])
PRECISION = np.array([2.02, 0.49, 0.09])
BAND = 0.82

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


def forecast(relevant: Floats, promised: float, pages: int, downloads: int) -> Forecast:
    """Return what the next downloads will bring, of which what waits promises so many relevant ones.

    `relevant` is 1 where a link led to a relevant page and 0 where it did not, the latest visit first.
    """
    ahead = np.log(1 + downloads / (2 * pages))
    known = np.array([1.0, _odds(_recent(relevant)), ahead, _odds(promised / downloads)])
    share = float(_logistic(SHARE @ known))
    precision = np.exp(PRECISION @ np.array([1.0, np.log(downloads / 100), np.log(pages / 100)]))
    return Forecast(pages, downloads, share * downloads, *_band(share, float(precision), downloads))


def _recent(relevant: Floats) -> float:
    weights = 0.5 ** (np.arange(len(relevant)) / HALF_LIFE)
    return float((weights @ relevant + USUAL[0]) / (weights.sum() + USUAL[1]))


def chances(followed: Hints, relevant: Floats) -> Callable[[Hints], Floats]:
    """Return what tells the chances of links, by a logistic regression on those that were followed."""
    columns = followed.columns()
    mean, spread = columns.mean(axis=0), columns.std(axis=0) + 1e-6
    rows = _standardised(columns, mean, spread)
    held = np.diag([1e-3, *[RIDGE] * columns.shape[1]])
    weights = np.zeros(len(held))
    weights[0] = _odds((relevant.sum() + 0.5) / (len(relevant) + 1))
    for _ in range(STEPS):
        known = _logistic(rows @ weights)
        slopes = (rows.T * (known * (1 - known) + 1e-6)) @ rows + held
        step = np.clip(np.linalg.solve(slopes, rows.T @ (relevant - known) - held @ weights), -1, 1)
        weights += step
        if np.abs(step).max() < 1e-4:
            break
    return lambda links: _logistic(_standardised(links.columns(), mean, spread) @ weights)


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
SAMPLE = 500  # of the best that wait


@dataclass
class ForecastStopRule(StopRule):
    """Forecasts at fixed numbers of pages, so that a resumed crawl makes the same ones.

    Nothing is kept from one forecast to the next: all that it takes stands in the store, beside the visits.
    """

    store: CrawlView
    judge: Judge
    below: float = 0.0  # the share of the downloads that must promise to be relevant
    enough: float = 0.0  # the share of what is within reach after which the crawl ends
    watched: bool = (
        True  # a display shows forecasts; else, where nothing can end, a forecast at the end is enough
    )
    _next: int = field(default=0, init=False)

    def __str__(self) -> str:
        rules = [f"when a forecast promises less than {self.below:.0%}"] if self.below else []
        rules += [f"when {self.enough:.0%} of what is within reach was found"] if self.enough else []
        return "; ".join(rules) or "forecasts end nothing"

    @override
    def consider(self, progress: Progress) -> None:
        """Look ahead if it is time, and end the crawl if it promises too little or enough was found."""
        if not (self.watched or self.below or self.enough):
            return
        self._next = self._next or next_forecast(progress.pages - 1)
        if progress.pages >= self._next:
            self._next = next_forecast(progress.pages)
            self.forecast(progress)
            self._stop(progress)

    def forecast_at_start(self, progress: Progress, ended: Finish | None) -> None:
        """Look at once if a forecast ended the run before: this one may ask for something else."""
        if ended and ended.kind in (FinishKind.FORECAST, FinishKind.SHARE_FOUND):
            self.forecast(progress)
            self._stop(progress)

    def forecast(self, progress: Progress) -> None:
        """Forecast the next downloads, if enough is known."""
        if progress.pages >= FIRST:
            progress.forecast = self.ahead(progress, DOWNLOADS)

    def ahead(self, progress: Progress, downloads: int) -> Forecast:
        """Return what so many downloads will bring, and what share was found: where nothing waits, all."""
        waiting, found = self.store.next_up(DOWNLOADS), progress.relevant
        visits = self.store.latest(LATEST)
        if not (waiting and visits):  # every page may have been forgotten
            return Forecast(progress.pages, downloads, 0.0, 0, 0, share_found(found, 0.0, 1.0))
        relevant = np.array([float(visit.relevance >= progress.threshold) for visit in visits])
        chance = chances(self._hints(visit.candidate for visit in visits), relevant)
        step = -(-len(waiting) // SAMPLE)
        known = chance(self._hints(waiting[::step]))
        promised = float(known[: -(-downloads // step)].mean()) * min(downloads, len(waiting))
        likely = forecast(relevant, promised, progress.pages, downloads)
        answered = progress.pages / progress.visits
        rest = to_come(found, answered * float(known.mean()) * len(waiting), progress.pages)
        return capped(likely, found, *rest)

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

    def _stop(self, progress: Progress) -> None:
        """End the crawl after what is under way if the latest forecast is reason to."""
        seen = progress.forecast
        if not seen or progress.stopping:
            return
        if seen.share < self.below:
            promise = f"{seen.downloads:,} downloads promise about {seen.relevant:.0f} relevant pages"
            sentence = f"the next {promise}, less than {100 * self.below:g} %"
            progress.stopping = Finish(FinishKind.FORECAST, sentence, self.below)
        elif self.enough and seen.found and seen.found.share >= self.enough:
            sentence = f"about {100 * seen.found.share:.0f} % of what is within reach was found"
            progress.stopping = Finish(FinishKind.SHARE_FOUND, sentence, self.enough)


def next_forecast(pages: int) -> int:
    """Return after how many pages the next forecast comes: 100, 125, 156 and so on, later every thousand."""
    place = FIRST
    while place <= pages:
        place += min(place // 4, 1000)
    return place
