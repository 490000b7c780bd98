"""The verb `lab labels`: what are a user's labels worth?"""

from pathlib import Path

import click
import msgspec

from thresher.core.errors import UsageError
from thresher.lab.contender import check, contender_of
from thresher.lab.corpus import TOPIC_MODELS, Corpus
from thresher.lab.labelling import FIRST, Labelled, labelled_run, table
from thresher.lab.places import default_cache
from thresher.lab.stage import stage
from thresher.lab.tables import as_markdown

EXAMPLES = """\b
Examples:
  thresher lab labels my-corpus
  thresher lab labels my-corpus --labels 20 --draws 3 --topics bees
"""

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option("--strategy", default="thresher", show_default=True, help="One that can be taught.")
@click.option("--labels", "several", type=click.IntRange(1, FIRST), default=10, show_default=True)
@click.option("--draws", type=click.IntRange(1), default=1, show_default=True, help="Draws of the labels.")
@click.option("--topics", default="", help="Ids of topics, comma between them; none: all.")
@click.option("--pages", default="2x", show_default=True, help="Pages a run fetches; 2x: twice the relevant.")
@click.option("--topic-model", type=click.Choice(TOPIC_MODELS), default="rich", show_default=True)
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), help="Where pages are kept.")
@click.option("--json", "as_json", is_flag=True, help="Print every run as JSON, one a line.")
def labels(
    folders: tuple[Path, ...],
    strategy: str,
    several: int,
    draws: int,
    topics: str,
    pages: str,
    topic_model: str,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Label some of the first hundred pages of each run, and say what that changed.

    The labels are the referee's, drawn at random. Labelled pages count for neither curve.
    """
    check(contender_of(strategy))
    runs: list[Labelled] = []
    for corpus in map(Corpus, folders):
        for mode in corpus.modes:
            with stage(corpus, corpus.hidden(mode), cache or default_cache()) as place:
                for topic in (name for name in corpus.topics if not topics or name in topics.split(",")):
                    click.echo(f"{corpus.name} {mode} {topic}", err=True)
                    for draw in range(1, draws + 1):
                        run = labelled_run(place, mode, topic, strategy, several, draw, pages, topic_model)
                        runs += [run] if run else []
    if not runs:
        raise UsageError(f"No run came to {FIRST} pages; ask for more with --pages.")
    for each in runs if as_json else ():
        click.echo(msgspec.json.encode(each))
    if not as_json:
        click.echo(as_markdown(table(runs)))
