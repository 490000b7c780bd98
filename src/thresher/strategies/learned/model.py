"""Bayesian linear regression over rows of evidence: a few hundred visits decide what counts on this web.

    w = argmin  sum over visits of (y - b - w . z)^2 + ridge * |w - prior|^2,     z = (row - mean) / spread

Mean and spread are those of the visits and of a sample of what waits: visits were chosen, so their spread
is too small. The intercept b is free, because the two have different means.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.strategies.learned.features import (
    ANCHOR,
    ANCHOR_MEANING,
    CLICKS,
    FOLDER,
    HEADING,
    HEADING_MEANING,
    HEADING_WORDS,
    HOST,
    MEAN,
    NAMES,
    PAGE,
    SECTION,
    URL,
    URL_MEANING,
    LinkFeatures,
)
from thresher.strategies.learned.rows import History
from thresher.strategies.learned.table import GROUPS, PARENTS, Rows

# Several opinions of what waits, mixed by the logarithms of their ranks; who was right counts for more.
#
#     priority  = sum over experts of weight * said,    said = log((n + 1) / rank) / log(n + 2)
#     weight = weight * exp(SPEED * (label - usual label) * (said - what all experts said together))
#
# The learner alone errs where the judge does. Order of arrival, topical parents, words, and what page,
# section, host and folder brought err elsewhere. A rank has no scale, so none of them can shout the others
# down.


Floats = NDArray[np.float64]
Arrivals = NDArray[np.int32]
Groups = NDArray[np.int32]

EXPERTS = {
    "learner": "what the regression makes of its evidence",
    "arrival": "how early it was first mentioned",
    "parents": "how topical the pages are that mention it",
    "words": "the words of its anchors, its URL and the headings it stands under",
    "meaning": "how near these are to the topic in meaning",
    "page": "what other links of the same page brought",
    "places": "what its section, heading, host and folder brought",
}
"""Who is asked, and what each goes by."""

LEARNER = 0.5  # what the learner weighs at first; the others share the rest, but for meaning
MEANING = {"described": 0.2, "named": 0.4, "unsure": 0.1}  # of all weight at first, by what is known
SPEED = 1.0  # how fast experts gain and lose weight
LEAST = 0.02  # no expert weighs less: it may be right again
FEWEST = 10  # what must wait before a rank says anything
BY_MEANING = [*EXPERTS].index("meaning")
GUIDE = 0.9  # how far a guide lowers what it thinks nothing of, and raises what it is sure of
UNRANKED = 0.5  # what meaning adds to the learner's priority until there are ranks


class Experts:
    """What each expert weighs, and how each ranked what waited at the last fit."""

    def __init__(self, learner: float = LEARNER, meaning: float = MEANING["described"]) -> None:
        """Give meaning this weight, the learner its share of the rest, and the others equal ones."""
        others = len(EXPERTS) - 2
        self.weights: Floats = np.array([learner] + [(1 - learner) / others] * (others + 1)) * (1 - meaning)
        self.weights[BY_MEANING] = meaning
        self.ranked: Floats = np.zeros((len(EXPERTS), 0))
        self.changed = False

    def rank(self, opinions: Floats) -> None:
        """Take these for what waits; others are ranked among them."""
        self.ranked, self.changed = np.sort(opinions, axis=1), True

    @property
    def are_ready(self) -> bool:
        """Whether enough waited for a rank to say anything."""
        return bool(self.ranked.shape[1] >= FEWEST)

    def mix(self, opinions: Floats) -> Floats:
        """Return what all say together; before there are ranks, what the learner and meaning do."""
        if not self.are_ready:
            sure = self.weights[BY_MEANING] >= MEANING["described"]
            return np.asarray(opinions[0] + UNRANKED * sure * opinions[BY_MEANING])
        return np.asarray(self.weights @ self.said(opinions))

    def learn(self, opinions: Floats, gain: float) -> None:
        """Update the experts' weights by a visit, which brought so much more than usual."""
        if not self.are_ready:
            return
        said = self.said(opinions)[:, 0]
        weights = self.weights * np.exp(SPEED * gain * (said - self.weights @ said))
        weights = np.maximum(weights / weights.sum(), LEAST)
        self.weights = weights / weights.sum()

    def said(self, opinions: Floats) -> Floats:
        """Return the logarithms of ranks, 1 for the best; equals have the middle of their ranks."""
        several = self.ranked.shape[1]
        below = np.empty_like(opinions)
        for place, (known, values) in enumerate(zip(self.ranked, opinions, strict=True)):
            below[place] = known.searchsorted(values) + known.searchsorted(values, "right")
        said: Floats = np.log((several + 1) / (several - below / 2 + 1)) / np.log(several + 2)
        return said


def opinions_of(evidence: Floats, arrivals: Arrivals, learned: Floats) -> Floats:
    """Return what each expert thinks of rows, on a scale of its own."""
    column = evidence.T
    found = np.empty((len(EXPERTS), len(evidence)))  # to stack them takes twice as long
    found[0] = learned
    found[1] = -arrivals.astype(np.float64)
    found[2] = column[MEAN]
    found[3] = np.maximum.reduce(column[[ANCHOR, URL, HEADING_WORDS]])
    found[BY_MEANING] = np.maximum.reduce(column[[ANCHOR_MEANING, URL_MEANING, HEADING_MEANING]])
    found[5] = column[PAGE]
    found[6] = column[SECTION] + column[HEADING] + column[HOST] + column[FOLDER]
    return found


HARDLY = 1e-3  # a column that varies less has taught nothing


class LinearModel(Struct, frozen=True):
    """What a row is worth: a sum over its columns, and how far off that was for the visits so far."""

    mean: Floats
    spread: Floats
    weights: Floats
    intercept: float

    def predict(self, rows: Floats) -> Floats:
        """Return the label that each row predicts."""
        return np.asarray(((rows - self.mean) / self.spread) @ self.weights + self.intercept)

    def terms(self, row: Floats) -> Floats:
        """Return what each column of a row adds to its priority."""
        return np.asarray((row - self.mean) / self.spread * self.weights)

    def as_prior(self, before: Floats) -> Floats:
        """Return what each column is worth in its own unit; where it hardly varied, as it was before."""
        return np.where(self.spread > HARDLY, self.weights / self.spread, before)

    def numbers(self) -> list[list[float]]:
        """Return everything as plain numbers, which `of` takes."""
        return [self.mean.tolist(), self.spread.tolist(), self.weights.tolist(), [self.intercept]]

    @staticmethod
    def of(numbers: Sequence[Sequence[float]]) -> "LinearModel":
        """Return the weights of these numbers."""
        mean, spread, weights, intercept = numbers
        return LinearModel(np.array(mean), np.array(spread), np.array(weights), intercept[0])


def fit(rows: Floats, labels: Floats, waiting: Floats, ridge: float, prior: Floats) -> LinearModel:
    """Return the weights that the visits teach; `waiting` is a sample of the rows they are meant for.

    The prior is what a column is worth on the webs seen before, in its own unit.
    """
    together = np.concatenate([rows, waiting])
    mean, spread = together.mean(axis=0), together.std(axis=0) + 1e-6
    standard = (rows - mean) / spread
    centre, level = standard.mean(axis=0), float(labels.mean())
    centred = standard - centre
    matrix = centred.T @ centred + ridge * np.eye(rows.shape[1])
    before = prior * spread
    weights = before + np.linalg.solve(matrix, centred.T @ (labels - level - centred @ before))
    return LinearModel(mean, spread, weights, level - float(centre @ weights))


PRIOR = {
    "parents": 0.05,
    "anchor words": 0.25,
    "anchor meaning": 0.1,
    "URL words": 0.2,
    "URL meaning": 0.1,
    "same host": 0.0,
    "clicks": -0.05,
    "heading words": 0.25,
    "heading meaning": 0.1,
    "page": 0.5,
    "section": 0.5,
    "heading": 0.5,
    "host": 0.5,
    "folder": 0.25,
}
"""What the evidence was worth on other webs, rounded: the priority until this web has taught better."""

AT_ONCE = 1 << 14  # rows whose evidence is spread out in memory at the same time
SAMPLE = 200  # rows of what waits that standardise the regression
WORTH_TELLING = 0.003  # a change of priority up to this is not
RANKED = 4_000  # rows of what waits among which others are ranked
MANY, MOST = 20_000, 50_000  # rows that wait and are ranked anew at a fit, at least and at most
WIDE = 5  # times as many are ranked anew as may be told
POOL = 3  # times as many are looked at, for those whose groups were visited lately
LATELY = 1_000  # visits
HOST_GROUP = GROUPS.index("host")
OF_A_HOST = 2_000  # rows of a host that are ranked anew; those below keep the priority they have
UNTOLD = -1e9  # less than every priority: until the first fit every change is told
NEAR = 3.0  # what being eight clicks nearer to the seeds is worth at first, if they are on topic


class PriorityModel:
    """The weights of a crawl, and the priorities that follow from them."""

    def __init__(self, evidence: LinkFeatures, history: History, experts: Experts, ridge: float) -> None:
        """Know what the evidence was worth on other webs."""
        self.seeds_shown = 0.0  # how topical the seeds are together; what is near them counts by that
        self.experts, self.near = experts, NEAR
        self._evidence, self._history, self._ridge = evidence, history, ridge
        self.prior: Floats = np.array([PRIOR[name] for name in NAMES])
        self.weights: LinearModel | None = None
        self.guided = False  # whether a guide has said anything
        self.floor = UNTOLD  # what waits below this priority is not told of changes until the next fit

    @property
    def expected(self) -> Floats:
        """What the evidence is worth before this web has taught better."""
        expected = self.prior.copy()
        expected[CLICKS] -= self._nearness()
        return expected

    def _nearness(self) -> float:
        """Return what eight clicks less are worth: where no seed is on topic there is nothing to be near."""
        return self.near * min(1.0, self.seeds_shown)

    def fit(self) -> None:
        """Let the visits so far teach what the evidence is worth."""
        rows = self._evidence.table.waiting()
        sample = self._evidence.matrix(rows[:: max(1, len(rows) // SAMPLE)])
        self.weights = fit(self._history.rows, self._history.labels, sample, self._ridge, self.expected)
        self._evidence.answers.fit()
        self.experts.rank(self.opinions(rows[:: max(1, len(rows) // RANKED)]))

    def show(self, row: int, label: float) -> Floats:
        """Let a visit to a row show which of the experts were right; return the evidence they had."""
        rows = np.array([row])
        evidence = self._evidence.matrix(rows)
        self.experts.learn(self._opinions(rows, evidence), label - self._evidence.overall)
        return np.asarray(evidence[0])

    def opinions(self, rows: Rows) -> Floats:
        """Return what each expert thinks of rows."""
        return self._opinions(rows, self._evidence.matrix(rows))

    def _opinions(self, rows: Rows, evidence: Floats) -> Floats:
        arrivals = self._evidence.table.cells["arrival"][rows]
        return opinions_of(evidence, arrivals, self._learned(evidence))

    def of(self, rows: Rows) -> Floats:
        """Return the priorities of rows."""
        parts = (rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE))
        return np.concatenate([self._of(part) for part in parts])

    def worth_offering(self, rows: Rows) -> tuple[Rows, Floats]:
        """Return which of the rows just mentioned the frontier should hear of, and their priorities.

        That is the new ones, and those near their turn whose priority has changed.
        """
        table = self._evidence.table
        priorities, told = self.of(rows), table.cells["told"][rows]
        near = ~(np.maximum(priorities, told) < self.floor)  # who was told nothing yet compares with nothing
        near &= ~table.in_turn(rows)
        chosen = np.flatnonzero(near & ~(np.abs(priorities - told) <= WORTH_TELLING))
        return chosen, priorities[chosen]

    def changes(self, several: int) -> tuple[Rows, Floats]:
        """Return those of the best few that wait at another priority than the frontier was told.

        A candidate whose turn has come keeps it: its host may have to rest first.
        """
        table = self._evidence.table
        rows = self._within_reach(min(MOST, max(MANY, WIDE * several)))
        priorities, told = self.of(rows), table.cells["told"][rows]
        hopes, several = np.maximum(priorities, told), min(len(rows), several)
        self.floor = float(np.partition(hopes, -several)[-several])
        fresh = (np.abs(priorities - told) > WORTH_TELLING) & ~table.in_turn(rows)
        changed = np.flatnonzero((hopes >= self.floor) & fresh)
        best = changed[np.argsort(-hopes[changed], kind="stable")[:several]]
        return rows[best], priorities[best]

    def _within_reach(self, most: int) -> Rows:
        """Return the rows to rank anew: all that wait, or of many the best by what the frontier was told.

        Half of those are the best of hosts and parents that were visited lately: their yields have changed.
        """
        rows = self._evidence.table.waiting()
        if len(rows) <= most:
            return rows
        rows = self._evidence.table.best_told(POOL * most)
        cells = self._evidence.table.cells[rows]
        told, hosts = cells["told"], cells["groups"][:, HOST_GROUP]
        told[~_among_best(hosts, told)] = -np.inf
        groups = self._history.groups(self._history.latest(min(len(self._history), LATELY)))
        parents = groups[:, len(GROUPS) : len(GROUPS) + PARENTS]
        lately = _are_among(hosts, groups[:, HOST_GROUP])
        lately |= _are_among(cells["parents"], parents[parents > 0]).any(axis=1)
        near = _best(np.where(lately, told, -np.inf), most // 2)
        told[near] = -np.inf
        return np.sort(rows[np.concatenate([near, _best(told, most - len(near))])])

    def inherit(self, earlier: "PriorityModel") -> None:
        """Start from the weights of another crawl; what nearness is worth is among what that has learned."""
        self.weights, self.prior, self.seeds_shown = earlier.weights, earlier.prior, earlier.seeds_shown
        if self.weights:
            self.prior, self.near = self.weights.as_prior(earlier.expected), 0.0

    def _of(self, rows: Rows) -> Floats:
        mixed = self.experts.mix(self.opinions(rows))
        if self.guided:
            mixed = mixed * self._by_guide(rows)
        charged: Floats = np.where(mixed > 0, mixed * self._evidence.chances(rows), mixed)
        return np.round(charged, 6)

    def _by_guide(self, rows: Rows) -> Floats:
        """Return the factor of each row by what the guide says of it; 1 where it was not asked."""
        said = self._evidence.table.cells["guided"][rows].astype(np.float64)
        return np.where(np.isnan(said), 1.0, 1 + GUIDE * (2 * said - 1))

    def _learned(self, evidence: Floats) -> Floats:
        """Return what the regression makes of rows, or the prior before there is one."""
        learned = self.weights.predict(evidence) if self.weights else evidence @ self.expected
        return np.round(learned, 6)


def _best(told: Floats, most: int) -> Rows:
    """Return the places of the best few, in their order, but for those at minus infinity."""
    places = np.argpartition(-told, most)[:most] if most < len(told) else np.arange(len(told))
    return np.sort(places[told[places] > -np.inf])


def _are_among(numbers: Groups, some: Groups) -> NDArray[np.bool_]:
    """Tell which group numbers are among some others."""
    flags = np.zeros(1 + max(numbers.max(initial=0), some.max(initial=0)), np.bool_)
    flags[some] = True
    return np.asarray(flags[numbers])


def _among_best(hosts: Groups, told: Floats) -> NDArray[np.bool_]:
    """Tell which rows are among the best few of their host."""
    found = np.ones(len(hosts), np.bool_)
    places = np.flatnonzero(np.bincount(hosts)[hosts] > OF_A_HOST)
    order = places[np.lexsort((-told[places], hosts[places]))]
    ahead = np.arange(len(order)) - np.searchsorted(hosts[order], hosts[order])
    found[order[ahead >= OF_A_HOST]] = False
    return found
