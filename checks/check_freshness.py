"""Every revisit policy on simulated webs of full size, two of each kind, against one that knows the rates.

Nothing outside the project is needed; it is here because it takes minutes. Run with -s to see the tables.
"""

import pytest

from thresher_lab.studies.freshness import Trial, table, try_out
from thresher_lab.tables import as_markdown

PAGES, DAYS, BUDGETS = 10_000, 60.0, (0.1, 0.5, 1.0)
SEEDS = (1, 2)
WITHIN = {"poisson": 0.05, "bursty": 0.10}

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module", params=[(kind, seed) for seed in SEEDS for kind in WITHIN], ids=str)
def trial(request: pytest.FixtureRequest) -> Trial:
    process, seed = request.param
    done = try_out(seed, process, PAGES, DAYS, BUDGETS)
    print(f"\n{as_markdown(table(done))}")
    return done


@pytest.mark.parametrize("budget", BUDGETS)
def test_ours_leaves_hardly_more_staleness_than_the_optimum(trial, budget):
    assert trial.over_optimum(trial.of(budget, "harmonic")) <= WITHIN[trial.process]


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("other", ["fixed", "proportional", "adaptive"])
def test_ours_is_better_than_the_others_everywhere(trial, budget, other):
    assert trial.of(budget, "harmonic").staleness < trial.of(budget, other).staleness


@pytest.mark.parametrize("budget", BUDGETS)
def test_visits_in_proportion_to_changes_are_worse_than_visiting_all_alike(trial, budget):
    """The classic mistake: it spends itself on what cannot be kept fresh."""
    assert trial.of(budget, "proportional").staleness > trial.of(budget, "fixed").staleness
