"""The verbs `lab judge` and `lab fit-judge`: how well pages are told apart, and the weights that do it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from thresher.core.errors import UsageError
from thresher.judges import JUDGES
from thresher.judges.question.features import Effort, JudgeWeights, shipped_weights
from thresher_lab.cli.options import FOLDER
from thresher_lab.corpus import Corpus
from thresher_lab.judge_bench import ALL, QUESTION, JudgeRow, bench, columns, fit_weights
from thresher_lab.judge_data import EvidenceTable, evidence_of, judged_web
from thresher_lab.judge_tables import binned, counted, summary
from thresher_lab.setup import stage
from thresher_lab.tables import as_markdown

EXAMPLES = """\b
Examples:
  thresher lab judge my-corpus
  thresher lab judge corpora/* --judge question --judge cosine --effort name --pages 0 --json
  thresher lab judge corpora/* --judge question --pages 300 --pages 3000 --pages all
  thresher lab fit-judge corpora/* -o weights.json
"""
EFFORTS = tuple(effort.value for effort in Effort)
CACHE = click.option(
    "--cache", type=click.Path(file_okay=False, path_type=Path), help="Where parsed pages are kept."
)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class PagesMet(click.IntRange):
    """So many pages, or all that links lead to."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        return ALL if value == "all" else super().convert(value, param, ctx)


@click.command(epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option("--judge", "judges", multiple=True, type=click.Choice(list(JUDGES)), help="Only this judge.")
@click.option("--effort", "efforts", multiple=True, type=click.Choice(EFFORTS), help="Only this effort.")
@click.option("--pages", multiple=True, type=PagesMet(0), help="Pages met: 0, 300, all; repeat for more.")
@click.option("--weights", type=FILE, help="Weights of 'lab fit-judge' instead of those shipped.")
@click.option("--json", "as_json", is_flag=True, help="Print a list with a row for every topic.")
@CACHE
def judge(
    folders: tuple[Path, ...],
    judges: tuple[str, ...],
    efforts: tuple[str, ...],
    pages: tuple[int, ...],
    weights: Path | None,
    as_json: bool,
    cache: Path | None,
) -> None:
    """Ask every judge about every page of labelled webs, given what a person types.

    A person gives the name of the topic alone, or with three words, a sentence or two example pages. The
    judge that learns is asked again after 300 pages, met breadth-first and best first; `--pages all`: after
    all that links lead to. How many of the pages met it calls relevant stands beside how many are, and ten
    bins say which share of the pages is right where it says so much. A web whose labels the shipped weights
    were fitted on is judged by weights that were fitted without it.
    """
    given = [Effort(name) for name in efforts or EFFORTS]
    asked = columns(given, judges or tuple(JUDGES), pages or (0, 300))
    others = [name for name in judges or JUDGES if name != QUESTION]
    fitted = msgspec.json.decode(weights.read_bytes(), type=JudgeWeights) if weights else shipped_weights()
    rows: list[JudgeRow] = []
    for table in _tables(folders, given, others, cache):
        rows += bench(table, asked, fitted)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows)).decode())
    else:
        click.echo("\n\n".join(as_markdown(each(rows)) for each in (summary, counted, binned)))


@click.command("fit-judge", epilog=EXAMPLES)
@click.argument("folders", type=FOLDER, nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default="weights.json")
@CACHE
def fit_judge(folders: tuple[Path, ...], output: Path, cache: Path | None) -> None:
    """Fit the weights of the default judge on labelled webs.

    They are fitted on all webs, and without each of them in turn.
    """
    if len(folders) < 2:
        raise UsageError("One web cannot be left out: name at least two labelled webs.")
    fitted = fit_weights(list(_tables(folders, list(Effort), (), cache)))
    output.write_bytes(msgspec.json.encode(fitted) + b"\n")
    click.echo(f"Wrote {output}: weights of {len(folders)} webs, and without each of them in turn.")


def _tables(
    folders: Sequence[Path], efforts: Sequence[Effort], judges: Sequence[str], cache: Path | None
) -> Iterator[EvidenceTable]:
    """Yield the evidence of each web, and say on stderr which it is."""
    for corpus in map(Corpus, folders):
        click.echo(f"{corpus.name}: {len(corpus.topics)} topics", err=True)
        with stage(corpus, cache=cache) as place:
            web = judged_web(place)
        if not web.topics:
            raise UsageError(f"{corpus.name} has no topic with five relevant pages: nothing to judge.")
        yield evidence_of(web, efforts, judges)
