"""The verb `lab hardship`: does a strategy bear bad inputs?"""

from itertools import chain
from pathlib import Path

import click

from thresher.cli.lab_rounds import FOLDER, tell
from thresher.experiments.hard_inputs import Borne, on_corpus, on_invented, on_practice, table
from thresher.lab.contender import check, contender_of
from thresher.lab.corpus import Corpus, default_cache

EXAMPLES = """\b
Examples:
  thresher lab hardship
  thresher lab hardship my-corpus --strategy shark_search --runs 10
"""


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1)
@click.option("--strategy", default="thresher", show_default=True, help="As for lab compare.")
@click.option("--runs", type=click.IntRange(1), default=20, show_default=True, help="Of each hardship.")
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), help="Where pages are kept.")
@click.option("--json", "as_json", is_flag=True, help="Print every run as JSON, one a line.")
def hardship(folders: tuple[Path, ...], strategy: str, runs: int, cache: Path | None, as_json: bool) -> None:
    """Set a strategy beside breadth-first where there is little to go by, or where pages lie.

    A host that lies and a thousand hosts are invented webs, practice webs have stuffed pages. On recorded
    webs: one seed and one keyword, seeds that are all off topic, a topic that is hardly there.
    """
    check(contender_of(strategy))
    kept, borne = cache or default_cache(), list[Borne]()
    recorded = [on_corpus(corpus, strategy, runs, kept) for corpus in map(Corpus, folders)]
    for run in chain(*recorded, on_invented(strategy, runs, kept), on_practice(strategy, runs, kept)):
        click.echo(f"{run.corpus} {run.topic}: {run.hardship}", err=True)
        borne.append(run)
    tell(borne, table(borne), as_json)
