"""Looks ahead now and then while a crawl runs, and ends one that promises too little."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from thresher.core.doors import Judge, Prospects
from thresher.core.progress import Forecast, Progress
from thresher.core.records import Candidate, Url, Visit
from thresher.crawling.forecast import Hints, forecast

FIRST = 100  # pages before anything is foreseen
DOWNLOADS = 1000  # that are foreseen
LATEST = 400  # visits that are learned from
SAMPLE = 500  # of what waits
POOR = "the next"  # so begins the reason for which a crawl ends that promises too little


@dataclass
class Foresight:
    """Forecasts at fixed numbers of pages, so that a resumed crawl looks when an uninterrupted one would.

    Nothing is kept from one look to the next: all that it takes stands in the store, beside the visits.
    """

    store: Prospects
    judge: Judge
    below: float = 0.0  # the share of the downloads that must promise to be relevant
    _next: int = field(default=0, init=False)

    def watching(self, watch: Callable[[Visit, Progress], None]) -> Callable[[Visit, Progress], None]:
        """Return what looks ahead after a visit, when it is time, and then watches as asked."""

        def after(visit: Visit, progress: Progress) -> None:
            self.consider(progress)
            watch(visit, progress)

        return after

    def consider(self, progress: Progress) -> None:
        """Look ahead if it is time, and end the crawl if it promises too little."""
        self._next = self._next or next_look(progress.pages - 1)
        if progress.pages >= self._next:
            self._next = next_look(progress.pages)
            self.look(progress)
            self._stop_if_poor(progress)

    def look_again(self, progress: Progress, ended: str) -> None:
        """Look at once if the run before ended because too little was promised: this one may ask for less."""
        if ended.startswith(POOR):
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
            promise = f"{POOR} {found.downloads} downloads promise about {found.relevant:.0f} relevant pages"
            progress.stopping = f"{promise}, less than {100 * self.below:g} %"


def next_look(pages: int) -> int:
    """Return after how many pages the next look comes: 100, 125, 156 and so on, later every thousand."""
    place = FIRST
    while place <= pages:
        place += min(place // 4, 1000)
    return place
