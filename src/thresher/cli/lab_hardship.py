"""The verb `lab hardship`: does a strategy bear bad inputs?"""

from pathlib import Path

import click
import msgspec

from thresher.lab.contender import check, contender_of
from thresher.lab.corpus import Corpus
from thresher.lab.hardship import Borne, on_corpus, on_invented, on_practice, table
from thresher.lab.places import default_cache
from thresher.lab.tables import as_markdown

EXAMPLES = """\b
Examples:
  thresher lab hardship
  thresher lab hardship my-corpus --strategy shark_search --runs 10
"""


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=click.Path(exists=True, file_okay=False, path_type=Path), nargs=-1)
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
    for corpus in map(Corpus, folders):
        click.echo(corpus.name, err=True)
        borne += on_corpus(corpus, strategy, runs, kept)
    click.echo("invented webs", err=True)
    borne += on_invented(strategy, runs, kept)
    click.echo("practice webs", err=True)
    borne += on_practice(strategy, runs, kept)
    for each in borne if as_json else ():
        click.echo(msgspec.json.encode(each))
    if not as_json:
        click.echo(as_markdown(table(borne)))
