"""How patient a crawl is: for how many seconds it would rather wait than ask for a middling page."""

from typing import Protocol

from thresher.core.progress import Progress

PATIENCE = 2.0  # seconds, unless somebody says otherwise
MOST = 4.0  # seconds that a crawl with time to spare waits at most
LEAST = 0.02  # seconds a page: who has less time than that waits for nobody
SLOWLY = 0.1  # the power to which being early or late counts, once a second
FEWEST = 5  # pages before it can be said whether a crawl is early or late


class Pace(Protocol):
    """Something that knows how patient a crawl is at the moment."""

    def seconds(self, now: float) -> float:
        """Return the seconds after which a middling page is asked for instead of a usual one."""


class Steady:
    """The same patience from the start to the end."""

    def __init__(self, patience: float) -> None:
        """Be that patient."""
        self._patience = patience

    def seconds(self, now: float) -> float:
        """Return the patience."""
        return self._patience


class Paced:
    """Both the time and what is to be had are limited: patient while there is time, hasty when it is late.

    patience *= (the time that is left for what is missing / the time that so much has taken) ** SLOWLY
    once a second: a price of time that rises while the crawl is late, and falls while it is early.
    """

    def __init__(self, progress: Progress) -> None:
        """Begin with as much patience as the pages asked for leave time for."""
        self._progress = progress
        self._begun = self._shares()
        self._pages, self._looked = progress.pages, progress.started
        self._patience = min(PATIENCE, 2 * self._seconds_a_page(progress.started))

    def seconds(self, now: float) -> float:
        """Return the patience, weighed anew once a second."""
        if now - self._looked >= 1.0 and self._progress.pages - self._pages >= FEWEST:
            self._looked = now
            self._patience = min(MOST, max(LEAST, self._patience) * self._lead(now) ** SLOWLY)
        return self._patience if self._seconds_a_page(now) >= LEAST else 0.0

    def _lead(self, now: float) -> float:
        """Return the time the rest may take beside what it would take as it went so far; 1 is in time."""
        left = self._left(now)
        share = max(
            (each - before) / (1 - before) for each, before in zip(self._shares(), self._begun, strict=True)
        )
        passed = now - self._progress.started
        return left * share / (passed * max(1 - share, 1e-6)) if share > 0 else 1.0

    def _shares(self) -> tuple[float, ...]:
        """Return how much of each limit but the time is spent; what is over counts as nearly so."""
        progress, budget = self._progress, self._progress.budget
        spent = [(progress.pages, budget.pages), (progress.relevant, budget.relevant)]
        return tuple(min(done / limit, 0.999) for done, limit in spent if limit) or (0.0,)

    def _seconds_a_page(self, now: float) -> float:
        missing = self._progress.budget.pages - self._progress.pages
        return self._left(now) / max(1, missing) if self._progress.budget.pages else PATIENCE

    def _left(self, now: float) -> float:
        return max(0.0, self._progress.started + self._progress.budget.seconds - now)


def pace_of(asked: float | None, progress: Progress) -> Pace:
    """Return the patience asked for; without a word, that which fits the limits of the crawl."""
    budget = progress.budget
    if asked is None and budget.seconds and (budget.pages or budget.relevant):
        return Paced(progress)
    return Steady(PATIENCE if asked is None else asked)
