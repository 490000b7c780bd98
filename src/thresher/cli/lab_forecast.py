"""The verb `lab forecast`: do crawls foresee their own harvest?"""

from pathlib import Path

import click
import msgspec

from thresher.core.errors import UsageError
from thresher.lab.contender import check, contender_of
from thresher.lab.corpus import TOPIC_MODELS, Corpus
from thresher.lab.foreseeing import Foreseen, foreseen, table
from thresher.lab.places import default_cache
from thresher.lab.stage import stage
from thresher.lab.tables import as_markdown

EXAMPLES = """\b
Examples:
  thresher lab forecast my-corpus
  thresher lab forecast my-corpus --topics bees --strategies thresher,breadth_first --pages 4x
"""

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option(
    "--strategies",
    default="thresher,shark_search,best_first,breadth_first",
    show_default=True,
    help="As for lab compare.",
)
@click.option("--topics", default="", help="Ids of topics, comma between them; none: all.")
@click.option("--pages", default="2x", show_default=True, help="Pages a run fetches; 2x: twice the relevant.")
@click.option("--topic-model", type=click.Choice(TOPIC_MODELS), default="labels", show_default=True)
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), help="Where pages are kept.")
@click.option("--json", "as_json", is_flag=True, help="Print every forecast as JSON, one a line.")
def forecast(
    folders: tuple[Path, ...],
    strategies: str,
    topics: str,
    pages: str,
    topic_model: str,
    cache: Path | None,
    as_json: bool,
) -> None:
    """Set forecasts beside what came: how often the band held the truth, and how wide it was.

    Every hundred pages a run foresees the next thousand downloads, or what is left of its budget. The truth
    is what its own judge says of them.
    """
    contenders = strategies.split(",")
    for name in contenders:
        check(contender_of(name))
    seen: list[Foreseen] = []
    for corpus in map(Corpus, folders):
        for mode in corpus.modes:
            with stage(corpus, corpus.hidden(mode), cache or default_cache()) as place:
                for topic in (name for name in corpus.topics if not topics or name in topics.split(",")):
                    click.echo(f"{corpus.name} {mode} {topic}", err=True)
                    for contender in contenders:
                        seen += foreseen(place, mode, topic, contender, pages, topic_model)
    if not seen:
        raise UsageError(
            "No run came to a hundred pages with some left to foresee; ask for more with --pages."
        )
    for each in seen if as_json else ():
        click.echo(msgspec.json.encode(each))
    if not as_json:
        click.echo(as_markdown(table(seen)))
