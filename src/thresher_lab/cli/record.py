"""The verb `lab record`: a finished crawl, or the practice web, as a corpus for experiments."""

from pathlib import Path

import click

from thresher.build.reading import make_judge
from thresher.core.errors import UsageError
from thresher.core.records import Page, Topic
from thresher.engine.read import as_sync
from thresher.settings.components import JudgeSettings
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder
from thresher_lab.record import own_judgements, record_crawl, record_practice

EXAMPLES = """\b
Examples:
  thresher lab record my-crawl --labels judged.tsv -o my-corpus
  thresher lab record my-crawl --judge tfidf -o my-corpus
  thresher lab record --practice 1 -o practice-corpus
"""


@click.command(epilog=EXAMPLES)
@click.argument("crawl", required=False, type=click.Path(path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--labels",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Your own judgements: a URL, a tab, yes or no on each line.",
)
@click.option("--judge", help="A second judge, other than the one that guided the crawl.")
@click.option("--threshold", default=0.1, show_default=True, help="From this score of the second judge on.")
@click.option("--practice", type=int, metavar="SEED", help="Record the practice web of this seed instead.")
def record(
    crawl: Path | None,
    output: Path,
    labels: Path | None,
    judge: str | None,
    threshold: float,
    practice: int | None,
) -> None:
    """Turn a crawl into a corpus folder, with labels from you or a second judge.

    The folder says which.
    """
    if practice is not None:
        corpus = record_practice(output, practice)
        click.echo(f"{len(corpus.topics)} topics of the practice web. Corpus: {output}")
        return
    if crawl is None or (labels is None) == (judge is None):
        raise UsageError(
            "Name a crawl, and say who judges it: --labels FILE with your own judgements, or --judge NAME."
        )
    folder = CrawlFolder(crawl)
    verdict = own_judgements(labels) if labels else _second_judge(folder, judge or "", threshold)
    source = (
        f"the user's own judgements ({labels.name})" if labels else f"the judge {judge} from {threshold:g} on"
    )
    pages, relevant = record_crawl(folder, output, verdict, f"{source}.")
    click.echo(f"{relevant} of {pages} pages relevant by {source}. Corpus: {output}")


class _Verdict:
    """A judge's yes, as a label."""

    def __init__(self, name: str, topic: Topic, threshold: float) -> None:
        self._name = name
        self._judge = as_sync(make_judge(Settings(judge=JudgeSettings(name, threshold)), topic))

    def __call__(self, page: Page) -> str:
        return f"judge/{self._name}" if self._judge.score(page) >= self._judge.threshold else ""


def _second_judge(folder: CrawlFolder, name: str, threshold: float) -> _Verdict:
    """Return the verdicts of a judge that did not guide the crawl."""
    reading = folder.open()
    facts = reading.facts
    reading.close()
    if name == facts.judge:
        raise UsageError(
            f"The judge {name} guided this crawl, so it cannot say how good it was: name another."
        )
    return _Verdict(name, facts.topic, threshold)
