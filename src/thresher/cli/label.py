"""The verb `label`: say of fetched pages whether they are what is wanted; the crawl learns it at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from thresher.api.labels import add_labels
from thresher.build.plugins import load_class
from thresher.cli.label_sample import label_by_sample, remarks
from thresher.cli.options import judged_crawl, mode_option
from thresher.core.errors import UsageError
from thresher.core.interfaces import LabelSource
from thresher.core.records import Url
from thresher.core.url import parse
from thresher.export.wording import many
from thresher.store.labels import label_of, labels_in

NOTHING = (
    "Nothing to label: give a URL and yes or no, a table with --csv, a source with --from, "
    "pages drawn with --sample, or a model with --llm."
)

EXAMPLES = """\b
Examples:
  thresher label basketball https://example.org/game yes
  thresher label basketball https://example.org/cake no
  thresher label basketball --csv labels.csv
  thresher label basketball --sample 20
  thresher label --apply basketball
  thresher label basketball --llm https://models.example.org/v1 --model large
"""

TABLES = (".csv", ".tsv", ".txt")
MOST_DRAWN = 1000  # pages of a sample
MOST_WORDS = 200_000  # of pages that are sent to a model, unless the user says otherwise
MODEL_OPTIONS = (
    click.option("--llm", metavar="URL", help="Ask a model: an OpenAI-compatible endpoint, or env:NAME."),
    click.option("--model", default="", metavar="NAME", help="The model, as the endpoint calls it."),
    click.option("--key", default="", metavar="env:NAME", help="The key for it, from the environment."),
    click.option("--pages", default=50, show_default=True, help="Pages to ask about, the unsure ones first."),
    click.option("--words", default=MOST_WORDS, show_default=True, help="Words of pages to send at most."),
    click.option("--timeout", default=60.0, show_default=True, help="Seconds one answer may take."),
    click.option(
        "--allow-network", "networks", metavar="CIDR", multiple=True, help="Ask in this private network, too."
    ),
    click.option(
        "--dry-run", is_flag=True, help="Show what it may cost, or what was drawn, and ask nothing."
    ),
    click.option("--json", "as_json", is_flag=True, help="Print what was said and drawn as JSON."),
)


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options by which a model is asked."""
    for option in reversed(MODEL_OPTIONS):
        command = option(command)
    return command


@click.command(epilog=EXAMPLES)
@click.argument("folder")
@click.argument("url", required=False)
@click.argument("answer", required=False)
@click.option(
    "--csv",
    "table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Many at once: a URL and yes or no in each line.",
)
@click.option(
    "--from",
    "source",
    metavar="SOURCE",
    help="Many at once: a label source of your own, as package.module:Class or by its entry point.",
)
@click.option(
    "--sample",
    type=click.IntRange(1, MOST_DRAWN),
    metavar="N",
    help="Draw N pages of the list and from just below it, ask about each, and tell how right it is.",
)
@mode_option("--apply", "Judge all stored pages again")
@model_options
def command(
    folder: str,
    url: str | None,
    answer: str | None,
    table: Path | None,
    source: str | None,
    sample: int | None,
    **asked: Any,
) -> int:
    """Label fetched pages as wanted or not; the crawl learns from it.

    What you say of a page outranks the judge at once: in counts, lists, reports, exports and 'why'. A crawl
    that is running learns from it with its next visit, one that has stopped when it is resumed. It takes
    both a yes and a no to learn from. Only the strategy `thresher` learns from labels.

    With --sample pages drawn at random are shown one by one: a key each at a terminal, a line each from a
    pipe, or all with --csv. The same pages come again until all have a label; a larger N adds to them.

    With --llm a model is asked about the pages that the crawl is least sure of. What it may cost is shown
    first. Ten labels of yours check it: only if it agrees with you may the crawl learn from what it says.
    """
    crawl = judged_crawl(folder)
    if asked["llm"]:
        from thresher.cli.label_model import label_by_model  # measured: 100 ms that other labels do not need

        return label_by_model(crawl, **asked)
    labels = _labels_from(table, source)
    if url is not None:
        labels.append(_label_of_one(folder, url, answer))
    if sample:
        return label_by_sample(crawl, sample, labels, asked["dry_run"], asked["as_json"])
    if not labels:
        raise UsageError(NOTHING)
    said = add_labels(crawl, labels)
    for line in remarks(said):
        click.echo(line, err=True)
    click.echo(f"{many(len(said.labelled), 'page')} labelled. {said.effect}")
    return 0 if said.labelled else 1


def _label_of_one(folder: str, url: str, answer: str | None) -> tuple[Url, bool]:
    if answer is None and "://" not in url and Path(url).suffix in TABLES:
        raise UsageError(f"A table of labels goes with --csv: thresher label {folder} --csv {url}")
    wanted = label_of(answer or "")
    if wanted is None:
        raise UsageError("Expected yes or no after the URL.")
    return parse(url), wanted


def _labels_from(table: Path | None, source: str | None) -> list[tuple[Url, bool]]:
    """Return what a table and a label source of the user's own say."""
    given = load_class(LabelSource, source)().labels() if source else {}
    return [*(labels_in(table) if table else ()), *((parse(url), wanted) for url, wanted in given.items())]
