"""How well crawls foresee their own harvest: each forecast beside what the crawl's own judge then said.

A forecast is made every hundred pages, of the next thousand or of what is left of the budget. One that the
run did not live to see, because nothing was left to visit, is left out.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from statistics import fmean

import click
from msgspec import Struct

from thresher.core.enums import Outcome
from thresher.core.errors import UsageError
from thresher.core.progress import Forecast
from thresher_lab.cli.options import Rounds, round_options
from thresher_lab.contenders import check, contender_of, plan_of
from thresher_lab.corpus import DEFAULT_SEEDS
from thresher_lab.replay import play
from thresher_lab.setup import Stage, budget_of
from thresher_lab.tables import Grid

EVERY = 100


class Foreseen(Struct, frozen=True):
    """A forecast, and how many of the downloads were relevant in the end."""

    corpus: str
    mode: str
    topic: str
    strategy: str
    forecast: Forecast
    truth: int

    @property
    def held(self) -> bool:
        """Whether the band held the truth."""
        return self.forecast.low <= self.truth <= self.forecast.high


def foreseen(
    place: Stage, mode: str, topic: str, contender: str, pages: str = "2x", model: str = "labels"
) -> Iterator[Foreseen]:
    """Yield the forecasts of one run, each with what came."""
    budget = budget_of(pages, len(place.relevant(topic)))
    plan = plan_of(contender_of(contender), topic, budget, DEFAULT_SEEDS, model)
    played, threshold = play(place, plan, EVERY), place.judge(plan).threshold
    fetched = [step for step in played.steps if step.outcome == Outcome.FETCHED.value]
    found = [0, *accumulate(step.relevance >= threshold for step in fetched)]
    for each in played.forecasts:
        end = each.pages + each.downloads
        if end < len(found):
            truth = found[end] - found[each.pages]
            yield Foreseen(place.corpus.name, mode, topic, contender, each, truth)


def table(seen: Sequence[Foreseen]) -> Grid:
    """Return how often the band held the truth and how wide it was, in all and for each strategy and web."""
    views: list[Callable[[Foreseen], str]] = [
        lambda each: "all",
        lambda each: each.strategy,
        lambda each: each.corpus,
    ]
    rows = [
        _row(name, [each for each in seen if view(each) == name])
        for view in views
        for name in dict.fromkeys(map(view, seen))
    ]
    heads = ("runs", "forecasts", "held", "forecast", "truth", "mean error", "width", "width / forecast")
    return Grid("Forecasts of the next 1,000 downloads, or of what was left", heads, tuple(rows))


def _row(name: str, seen: Sequence[Foreseen]) -> tuple[str, ...]:
    expected = fmean(each.forecast.relevant for each in seen)
    width = fmean(each.forecast.high - each.forecast.low for each in seen)
    return (
        name,
        str(len(seen)),
        f"{fmean(each.held for each in seen):.1%}",
        f"{expected:.1f}",
        f"{fmean(each.truth for each in seen):.1f}",
        f"{fmean(abs(each.forecast.relevant - each.truth) for each in seen):.1f}",
        f"{width:.1f}",
        f"{width / expected:.2f}",
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
    is what its own judge says of them.
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
