"""The figures of the revisit policies as tables and pictures."""

from collections.abc import Sequence

from msgspec import Struct

from thresher.experiments.changing_web import Process, make_web
from thresher.experiments.freshness import CLAIRVOYANT, Kept, keep_all
from thresher.lab.curves import over_budget
from thresher.lab.tables import Grid
from thresher.report.charts import Chart, Line, document

OURS = "harmonic"
SMOOTH = 3  # days averaged for a point of a curve


class Trial(Struct, frozen=True):
    """All policies at all budgets on one simulated web."""

    seed: int
    process: Process
    pages: int
    kept: tuple[Kept, ...]

    def of(self, budget: float, policy: str) -> Kept:
        """Return how one policy did at one budget."""
        return next(each for each in self.kept if (each.budget, each.policy) == (budget, policy))

    def over_optimum(self, kept: Kept) -> float:
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
        Line.spread(
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
