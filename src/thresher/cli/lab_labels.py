"""The verb `lab labels`: what are a user's labels worth?"""

import click

from thresher.cli.lab_rounds import Rounds, round_options
from thresher.core.errors import UsageError
from thresher.experiments.label_value import FIRST, Labelled, labelled_runs, table
from thresher.lab.contender import check, contender_of

EXAMPLES = """\b
Examples:
  thresher lab labels my-corpus
  thresher lab labels my-corpus --labels 20 --draws 12 --topics bees --topic-model rich
"""


@click.command(epilog=EXAMPLES)
@round_options
@click.option("--strategy", default="thresher", show_default=True, help="One that can be taught.")
@click.option("--labels", "several", type=click.IntRange(1, FIRST), default=10, show_default=True)
@click.option("--draws", type=click.IntRange(1), default=6, show_default=True, help="Draws of the labels.")
def labels(asked: Rounds, strategy: str, several: int, draws: int) -> None:
    """Label some of the first hundred pages of each run, and say what that changed.

    The labels are the referee's, drawn at random. Labelled pages count for neither curve.
    """
    check(contender_of(strategy))
    runs: list[Labelled] = []
    for place, mode, topic in asked.stages():
        runs += labelled_runs(place, mode, topic, strategy, several, draws, asked.pages, asked.topic_model)
    if not runs:
        raise UsageError(f"No run came to {FIRST} pages; ask for more with --pages.")
    asked.tell(runs, table(runs))
