"""The verb `export`: the pages of a crawl for other programs."""

import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from thresher.cli.options import judged_crawl
from thresher.cli.output import standard_output
from thresher.core.errors import UsageError
from thresher.export.formats import FORMATS, format_by_suffix, format_named
from thresher.export.items import ExportFormat, Selection, StreamFormat, fields_of, pages_of
from thresher.export.wording import many
from thresher.report.changes import moment_of
from thresher.warc.remote import stored

EXAMPLES = """\b
Examples:
  thresher export beekeeping --relevant > bees.jsonl
  thresher export beekeeping -o bees.csv --fields url,title,relevance
  thresher export beekeeping --relevant --unique -o bees.parquet
  thresher export beekeeping --top 500 -f markdown -o bees-for-retrieval
  thresher export beekeeping --relevant -o bees.warc.gz
"""


@click.command(epilog=EXAMPLES)
@click.argument("folder", required=False)
@click.option(
    "-f",
    "--format",
    "kind",
    metavar="NAME",
    help=f"{', '.join(FORMATS)}, or package.module:Class. Default: what FILE ends in, else jsonl.",
)
@click.option("--relevant", is_flag=True, help="Only the pages that are relevant.")
@click.option(
    "--min-relevance",
    metavar="SHARE",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Only pages of at least this relevance.",
)
@click.option(
    "--language",
    "languages",
    metavar="zh",
    multiple=True,
    help="Only pages in this language; repeat for more.",
)
@click.option("--labelled", is_flag=True, help="Only pages that you labelled.")
@click.option("--since", metavar="WHEN", help="Only pages fetched since: 12h or 2d ago, or 2026-03-01 (UTC).")
@click.option("--top", metavar="N", type=click.IntRange(min=1), help="Only the N most relevant pages.")
@click.option("--unique", is_flag=True, help="Of pages that say nearly the same, only the most relevant one.")
@click.option("--fields", metavar="NAMES", default="", help="Which fields, with commas between them.")
@click.option("-o", "--output", metavar="FILE", help="Where to write, or s3://bucket/name; default: stdout.")
def command(
    folder: str | None,
    kind: str | None,
    since: str | None,
    top: int | None,
    languages: tuple[str, ...],
    fields: str,
    output: str | None,
    relevant: bool,
    min_relevance: float,
    labelled: bool,
    unique: bool,
) -> None:
    """Write the pages as JSON Lines, CSV, Parquet, WARC, Markdown and more.

    Fields: url, requested_url, status, fetched_at, title, main, language, relevance, is_relevant, label,
    parent, depth, anchor, digest; by --fields also text (menus and all), host, size, outlinks, model_label,
    alike. A
    file appears under its name only when it is complete; the crawl may be running.
    """
    target = None if output in (None, "-") else Path(output or "")
    form = format_named(kind) if kind else format_by_suffix(target) if target else FORMATS["jsonl"]
    moment = moment_of(since, time.time()) if since else 0.0
    selection = Selection(relevant, min_relevance, languages, labelled, moment, top or 0, unique)
    with pages_of(judged_crawl(folder), selection, fields_of(fields)) as pages:
        if output and target:
            with stored(output) if "://" in output else _in_a_folder(target) as place:
                count = form.save(pages, place)
            click.echo(f"{many(count, form.noun)} in {output}{form.beside}", err=True)
        else:
            _streamed(form).write(pages, standard_output())


def _in_a_folder(target: Path) -> AbstractContextManager[Path]:
    if not target.parent.is_dir():
        raise UsageError(f"No folder {target.parent} here. Make it first, or name another place with -o.")
    return nullcontext(target)


def _streamed(form: ExportFormat) -> StreamFormat:
    if not isinstance(form, StreamFormat):
        raise UsageError(
            f"The format {form.name} is not a stream; name the file, as in -o bees{(*form.suffixes, '')[0]}."
        )
    return form
