"""Revisit policies on simulated webs whose change rates are known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from thresher.cli.output import print_json
from thresher.freshness.policies import POLICIES, ChangeHistory, PageHistories, Policy, harmonic, jitter
from thresher.report.charts import Chart, ChartLine, document
from thresher_lab.statistics import over_budget
from thresher_lab.tables import Grid, as_markdown

# A simulated web with known change rates, of which a policy sees only what its visits find.


Column = NDArray[np.float64]
Codes = NDArray[np.int64]
Process = Literal["poisson", "bursty"]

MEDIAN = 0.08  # changes a day of the middle host
HOST_SPREAD, SECTION_SPREAD, PAGE_SPREAD = 1.2, 0.8, 0.6  # standard deviations of the log rate
FASTEST = 24.0  # changes a day
PARETO = 1.5  # exponent of the pauses of a bursty page: a mean, but no variance
BURN_IN = 400.0  # days before the first, so that bursty pages are in mid-life


@dataclass(frozen=True)
class ChangingWeb:
    """Pages with hosts, sections and weights. `rates` and `moments` are the simulator's own secret."""

    hosts: Codes
    sections: Codes
    weights: Column
    rates: Column
    moments: Column  # the days of all changes, page by page
    begins: Codes  # where the changes of each page begin, and at last where they end
    days: float

    def __len__(self) -> int:
        """Return how many pages there are."""
        return len(self.weights)

    def changes_by(self, ends: Column) -> Iterator[Codes]:
        """Yield how often each page has changed until each of some days, which must be in order."""
        pages = np.repeat(np.arange(len(self)), np.diff(self.begins))
        order = np.argsort(self.moments, kind="stable")
        pages, places = pages[order], np.searchsorted(self.moments[order], ends, side="right")
        count = np.zeros(len(self), np.int64)
        for start, end in pairwise([0, *places.tolist()]):
            count += np.bincount(pages[start:end], minlength=len(self))
            yield count

    def day_of(self, number: Codes) -> Column:
        """Return the day of one change of each page, counted from zero; infinite where there is none."""
        place = self.begins[:-1] + number
        there = place < self.begins[1:]
        return np.where(there, self.moments[np.where(there, place, 0)], np.inf)


def make_web(seed: int, pages: int = 10_000, days: float = 60.0, process: Process = "poisson") -> ChangingWeb:
    """Return a web drawn anew from the seed: hosts, sections, rates, weights and every change."""
    dice = np.random.default_rng(seed)
    hosts = _skewed(dice, pages, max(1, pages // 50))
    sections = _compact(hosts * 8 + dice.integers(0, 4, pages))
    logs = np.log(MEDIAN) + dice.normal(0, HOST_SPREAD, hosts.max() + 1)[hosts]
    logs += dice.normal(0, SECTION_SPREAD, sections.max() + 1)[sections]
    rates = np.minimum(FASTEST, np.exp(logs + dice.normal(0, PAGE_SPREAD, pages)))
    weights = dice.beta(0.8, 2.0, pages) + 0.02
    moments = _moments(dice, rates, days, process)
    begins = np.cumsum([0, *map(len, moments)])
    return ChangingWeb(hosts, sections, weights, rates, np.concatenate(moments), begins, days)


def _skewed(dice: np.random.Generator, pages: int, hosts: int) -> Codes:
    """Give most pages to few hosts, as webs do."""
    shares = 1.0 / np.arange(1, hosts + 1) ** 0.8
    return _compact(dice.choice(hosts, pages, p=shares / shares.sum()))


def _compact(codes: Codes) -> Codes:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _moments(dice: np.random.Generator, rates: Column, days: float, process: Process) -> list[Column]:
    """Return the changes of every page in their order."""
    draw = _poisson if process == "poisson" else _bursty
    return [draw(dice, rate, days) for rate in rates.tolist()]


def _poisson(dice: np.random.Generator, rate: float, days: float) -> Column:
    return np.sort(dice.random(dice.poisson(rate * days)) * days)


def _bursty(dice: np.random.Generator, rate: float, days: float) -> Column:
    """Return changes with Pareto pauses between them: many at once, then long nothing."""
    span, scale = BURN_IN + days, (PARETO - 1) / rate
    pauses: list[Column] = []
    total = 0.0
    while total < span:
        some = scale * dice.pareto(PARETO, 16 + int(span * rate))
        pauses.append(some)
        total += float(some.sum())
    moments = np.cumsum(np.concatenate(pauses)) - BURN_IN
    return moments[(moments >= 0) & (moments < days)]


# Revisit policies on a simulated web: how fresh each keeps it, against one that knows the true rates.


CLAIRVOYANT = "clairvoyant"
STEPS = 20  # of a day: each spends its part of the budget, then the web is looked at
MEASURED = (40.0, 60.0)  # days whose mean counts: before, policies are still learning
HARMONIC = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, 5001))])


class FreshnessScore(Struct, frozen=True):
    """How well one policy kept a web, as means over the days that count, weighted by relevance."""

    policy: str
    budget: float  # visits a page and day
    staleness: float  # 1 + 1/2 + ... + 1/k at k unseen changes
    freshness: float  # share of pages as they are
    age: float  # days since the first unseen change
    wasted: float  # share of visits that found nothing new
    by_day: tuple[float, ...]  # staleness of each day


def keep(web: ChangingWeb, name: str, budget: float, seed: int = 1) -> FreshnessScore:
    """Let a policy spend its budget on a web for all its days."""
    return _Keeping(web, name, budget, seed).run()


def keep_all(web: ChangingWeb, budgets: Sequence[float], seed: int = 1) -> list[FreshnessScore]:
    """Let every policy, and the one that knows the rates, keep a web at every budget."""
    return [keep(web, name, budget, seed) for budget in budgets for name in (CLAIRVOYANT, *POLICIES)]


class _Keeping:
    """One policy at work. Only the clairvoyant is made from the web's rates."""

    def __init__(self, web: ChangingWeb, name: str, budget: float, seed: int) -> None:
        self.web, self.name, self.budget = web, name, budget
        self.dice = np.random.default_rng(seed)
        self.evidence = ChangeHistory.none(len(web))
        self.policy: Policy = _clairvoyant(web) if name == CLAIRVOYANT else POLICIES[name]
        self.seen = np.zeros(len(web))  # the day of the last visit: all pages were crawled on day 0
        self.known = np.zeros(len(web), np.int64)  # changes until then
        self.factors = self.dice.random(len(web))  # the first intervals end at any moment
        self.credit = 0.0
        self.visits = self.found = 0
        self.rows: list[tuple[float, float, float, float]] = []

    def run(self) -> FreshnessScore:
        ends = np.arange(1, int(self.web.days * STEPS) + 1) / STEPS
        for step, changes in enumerate(self.web.changes_by(ends)):
            if step % STEPS == 0:
                pages = PageHistories(self.evidence, self.web.weights, (self.web.hosts, self.web.sections))
                self.rates = self.policy(pages, self.budget * len(self.web))
            self._visit(ends[step], changes)
            self._measure(ends[step], changes)
        return self._sum_up()

    def _visit(self, day: float, changes: Codes) -> None:
        """Visit those whose interval has run furthest, as many as the budget allows."""
        self.credit += self.budget * len(self.web) / STEPS
        count, self.credit = int(self.credit), self.credit % 1.0
        phase = (day - self.seen) * self.rates / self.factors
        pages = np.argpartition(-phase, count)[:count]
        changed = changes[pages] > self.known[pages]
        self.evidence.add(pages, day - self.seen[pages], changed)
        self.seen[pages], self.known[pages] = day, changes[pages]
        self.factors[pages] = jitter(count, self.dice)
        if day > MEASURED[0]:
            self.visits += count
            self.found += int(changed.sum())

    def _measure(self, day: float, changes: Codes) -> None:
        unseen = changes - self.known
        age = np.where(unseen > 0, day - np.minimum(self.web.day_of(self.known), day), 0.0)
        weights = self.web.weights / self.web.weights.sum()
        priority = HARMONIC[np.minimum(unseen, len(HARMONIC) - 1)]
        self.rows.append(
            (day, float(weights @ priority), float(weights @ (unseen == 0)), float(weights @ age))
        )

    def _sum_up(self) -> FreshnessScore:
        rows = np.array(self.rows)
        counted = rows[(rows[:, 0] > MEASURED[0]) & (rows[:, 0] <= MEASURED[1])]
        staleness, fresh, age = counted[:, 1:].mean(axis=0)
        by_day = rows[:, 1].reshape(-1, STEPS).mean(axis=1)
        wasted = 1 - self.found / max(1, self.visits)
        return FreshnessScore(self.name, self.budget, staleness, fresh, age, wasted, tuple(by_day.tolist()))


def _clairvoyant(web: ChangingWeb) -> Policy:
    """Return the harmonic allocation of the true mean rates: it knows rates, not times."""
    best: dict[float, Column] = {}

    def visits(pages: PageHistories, budget: float) -> Column:
        if budget not in best:
            best[budget] = harmonic(web.rates, pages.weights, budget).visits
        return best[budget]

    return visits


# Tables and pictures


OURS = "harmonic"
SMOOTH = 3  # days averaged for a point of a curve


class Trial(Struct, frozen=True):
    """All policies at all budgets on one simulated web."""

    seed: int
    process: Process
    pages: int
    kept: tuple[FreshnessScore, ...]

    def of(self, budget: float, policy: str) -> FreshnessScore:
        """Return how one policy did at one budget."""
        return next(each for each in self.kept if (each.budget, each.policy) == (budget, policy))

    def over_optimum(self, kept: FreshnessScore) -> float:
        """Return how much more staleness a policy leaves than the one that knows the rates, as a share."""
        return kept.staleness / self.of(kept.budget, CLAIRVOYANT).staleness - 1

    @property
    def budgets(self) -> tuple[float, ...]:
        """The budgets, smallest first."""
        return tuple(sorted({each.budget for each in self.kept}))


def try_out(seed: int, process: Process, pages: int, days: float, budgets: Sequence[float]) -> Trial:
    """Draw a web anew from a seed and let every policy keep it."""
    web = make_web(seed, pages, days, process)
    return Trial(seed, process, pages, tuple(keep_all(web, budgets, seed)))


def table(trial: Trial) -> Grid:
    """Return every measure of every policy at every budget."""
    rows = tuple(
        (
            f"{kept.budget:g}",
            kept.policy,
            f"{kept.staleness:.4f}",
            "" if kept.policy == CLAIRVOYANT else f"{trial.over_optimum(kept):+.1%}",
            f"{kept.freshness:.3f}",
            f"{kept.age:.2f}",
            f"{kept.wasted:.1%}",
        )
        for kept in trial.kept
    )
    heads = ("visits a page and day", "policy", "staleness", "to optimum", "fresh", "age, days", "wasted")
    return Grid(f"{trial.process}, seed {trial.seed}, {trial.pages:,} pages", heads, rows)


def picture(trial: Trial) -> str:
    """Return one plot a budget side by side: how near each policy comes to the optimum, day by day."""
    return document([_chart(trial, budget) for budget in trial.budgets])


def _chart(trial: Trial, budget: float) -> Chart:
    best = _smooth(trial.of(budget, CLAIRVOYANT).by_day)
    curves = [each for each in trial.kept if each.budget == budget and each.policy != CLAIRVOYANT]
    lines = [
        ChartLine.spread(
            each.policy,
            [
                min(1.0, one / max(other, 1e-12))
                for one, other in zip(best, _smooth(each.by_day), strict=True)
            ],
        )
        for each in curves
    ]
    title = f"{trial.process}, {budget:g} visits a page and day"
    return over_budget(title, f"share of {len(best)} days", "optimum / staleness", lines)


def _smooth(values: Sequence[float]) -> list[float]:
    """Return each value averaged with those just before it."""
    parts = [values[max(0, place - SMOOTH + 1) : place + 1] for place in range(len(values))]
    return [sum(part) / len(part) for part in parts]


# The command


EXAMPLES = """\b
Examples:
  thresher lab freshness
  thresher lab freshness --seed 2 --pages 2000 --budgets 0.5 -o results
"""

PROCESSES: tuple[Process, ...] = ("poisson", "bursty")


@click.command(epilog=EXAMPLES)
@click.option("--seed", type=int, default=1, show_default=True, help="Draws hosts, rates and every change.")
@click.option("--pages", type=click.IntRange(100), default=10_000, show_default=True)
@click.option("--days", type=click.IntRange(45), default=60, show_default=True, help="Days 40 on count.")
@click.option("--budgets", default="0.1,0.5,1", show_default=True, help="Visits a page and day.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Write pictures here.")
@click.option("--json", "as_json", is_flag=True, help="Print every figure as JSON.")
def freshness(seed: int, output: Path | None, as_json: bool, **asked: Any) -> None:
    """Let every revisit policy keep a simulated web, beside the one that knows the rates.

    Staleness is harmonic: 1 + 1/2 + ... + 1/k at k unseen changes, weighted by relevance.
    """
    budgets = [float(each) for each in asked["budgets"].split(",")]
    trials: list[Trial] = []
    for process in PROCESSES:
        trials.append(try_out(seed, process, asked["pages"], asked["days"], budgets))
        if output:
            output.mkdir(parents=True, exist_ok=True)
            (output / f"freshness-{process}.svg").write_text(picture(trials[-1]), encoding="utf-8")
        if not as_json:
            click.echo(f"{as_markdown(table(trials[-1]))}\n")
    if as_json:
        print_json(trials)
