"""The verb `lab forecast`: do crawls foresee their own harvest?"""

import click

from thresher.cli.lab_rounds import Rounds, round_options
from thresher.core.errors import UsageError
from thresher.experiments.forecast_check import Foreseen, foreseen, table
from thresher.lab.contender import check, contender_of

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
