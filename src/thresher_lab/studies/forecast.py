"""How well crawls foresee their own harvest: each forecast beside what the crawl's own judge then said.

A forecast is made every hundred pages and at the end, of the next thousand downloads or of what is left of
the budget; where nothing was left to visit before, the truth is what came until then. The share found stands
beside the labels: those found so far, of those found in the end by a run that left nothing to visit.

before   the run had found less than 95 % of what it found in the end, by labels
after    it had found that much
nothing  nothing was left to visit
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from statistics import fmean

import click
from msgspec import Struct

from thresher.core.enums import Outcome
from thresher.core.errors import UsageError
from thresher.core.progress import NOTHING_LEFT, Forecast
from thresher_lab.cli.options import Rounds, round_options
from thresher_lab.contenders.named import check, contender_of, plan_of
from thresher_lab.corpus import DEFAULT_SEEDS
from thresher_lab.replay import play
from thresher_lab.setup import ReplayStage, budget_of
from thresher_lab.tables import Grid

EVERY = 100
MOST = 0.95  # of what a run finds: from then on it has found most of it


class Foreseen(Struct, frozen=True):
    """A forecast, how many of the downloads were relevant in the end, and what share had been found."""

    corpus: str
    mode: str
    topic: str
    strategy: str
    forecast: Forecast
    truth: int
    phase: str = "before"
    share: float | None = None  # by labels; unknown where the run left something to visit

    @property
    def held(self) -> bool:
        """Whether the band held the truth."""
        return self.forecast.low <= self.truth <= self.forecast.high

    @property
    def held_share(self) -> bool | None:
        """Whether the band of the share held it; None if nothing was claimed or nothing is known."""
        found = self.forecast.found
        return None if found is None or self.share is None else found.low <= self.share <= found.high


def foreseen(
    place: ReplayStage, mode: str, topic: str, contender: str, pages: str = "2x", model: str = "labels"
) -> Iterator[Foreseen]:
    """Yield the forecasts of one run, each with what came."""
    budget = budget_of(pages, len(place.relevant(topic)))
    plan = plan_of(contender_of(contender), topic, budget, DEFAULT_SEEDS, model)
    played, threshold = play(place, plan, EVERY), place.judge(plan).threshold
    fetched = [step for step in played.steps if step.outcome == Outcome.FETCHED.value]
    said = [0, *accumulate(step.relevance >= threshold for step in fetched)]
    labelled = [0, *accumulate(step.relevant for step in fetched)]
    for each in played.forecasts:
        truth = said[min(each.pages + each.downloads, len(fetched))] - said[each.pages]
        share = labelled[each.pages] / max(1, labelled[-1])
        is_last = played.finish == NOTHING_LEFT.sentence and each.pages == len(fetched)
        phase = "nothing" if is_last else "after" if share >= MOST else "before"
        known = share if played.finish == NOTHING_LEFT.sentence else None
        yield Foreseen(place.corpus.name, mode, topic, contender, each, truth, phase, known)


def table(seen: Sequence[Foreseen]) -> Grid:
    """Return how often the bands held and how wide they were: in all, by phase, strategy and web."""
    views: list[Callable[[Foreseen], str]] = [
        lambda each: "all",
        lambda each: each.phase,
        lambda each: each.strategy,
        lambda each: each.corpus,
    ]
    rows = [
        _row(name, [each for each in seen if view(each) == name])
        for view in views
        for name in dict.fromkeys(map(view, seen))
    ]
    heads = (
        "runs", "forecasts", "held", "forecast", "truth", "mean error", "width", "width / forecast",
        "shares", "held",
    )  # fmt: skip
    return Grid("Forecasts of the next 1,000 downloads, or of what was left", heads, tuple(rows))


def _row(name: str, seen: Sequence[Foreseen]) -> tuple[str, ...]:
    expected = fmean(each.forecast.relevant for each in seen)
    width = fmean(each.forecast.high - each.forecast.low for each in seen)
    shares = [held for each in seen if (held := each.held_share) is not None]
    return (
        name,
        str(len(seen)),
        f"{fmean(each.held for each in seen):.1%}",
        f"{expected:.1f}",
        f"{fmean(each.truth for each in seen):.1f}",
        f"{fmean(abs(each.forecast.relevant - each.truth) for each in seen):.1f}",
        f"{width:.1f}",
        f"{width / expected:.2f}" if expected else "",
        str(len(shares)),
        f"{fmean(shares):.1%}" if shares else "",
    )


# The command


EXAMPLES = """\b
Examples:
  thresher lab forecast my-corpus
  thresher lab forecast my-corpus --topics bees --strategies thresher,breadth_first --pages 4x
"""
SOME = "thresher,shark_search,best_first,breadth_first"


@click.command(epilog=EXAMPLES)
@round_options
@click.option("--strategies", default=SOME, show_default=True, help="As for lab compare.")
def forecast(asked: Rounds, strategies: str) -> None:
    """Set forecasts beside what came: how often the band held the truth, and how wide it was.

    Every hundred pages a run foresees the next thousand downloads, or what is left of its budget. The truth
    is what its own judge says of them. The share found is checked by the labels, in runs that leave nothing
    to visit: ask for those with --pages 100000.
    """
    contenders = strategies.split(",")
    for name in contenders:
        check(contender_of(name))
    seen: list[Foreseen] = []
    for place, mode, topic in asked.stages():
        for contender in contenders:
            seen += foreseen(place, mode, topic, contender, asked.pages, asked.topic_model)
    if not seen:
        raise UsageError(
            "No run came to a hundred pages with some left to foresee; ask for more with --pages."
        )
    asked.tell(seen, table(seen))
