"""The verb `label` with --sample: asks about pages drawn at random, and tells how right the list is."""

import sys
from collections.abc import Iterator, Mapping
from itertools import count

import click

from thresher.api.labels import LabelResult, add_labels
from thresher.api.list_sample import DrawnPage, ListSample, sample_of, told_of
from thresher.cli.output import print_json
from thresher.core.errors import UsageError
from thresher.core.records import Url
from thresher.export.wording import many, plain
from thresher.store.folder import CrawlFolder
from thresher.store.labels import label_of

KEYS = "[y]es, [n]o, [s]kip, [q]uit"
LAST = ("q", "\x03", "\x04", "\x1b")  # Ctrl-C, Ctrl-D and Escape, as a terminal gives them


def label_by_sample(
    crawl: CrawlFolder, most: int, given: list[tuple[Url, bool]], dry_run: bool, as_json: bool
) -> int:
    """Ask about the pages drawn that have no label, and tell how right the list is."""
    drawn = sample_of(crawl, most)
    if not drawn.pages:
        raise UsageError(f"No page of {crawl.path} is relevant or nearly so: there is no list to check.")
    answers = given or ([] if dry_run else list(_asked(drawn).items()))
    said = add_labels(crawl, answers) if answers else None
    told = sample_of(crawl, most) if said else drawn
    if as_json:
        print_json({"sample": told, "said": said})
    else:
        click.echo("\n".join(_lines(told, said, dry_run, crawl)))
    return 0 if dry_run or len(told.unlabelled) < len(told.pages) else 1


def remarks(said: LabelResult) -> Iterator[str]:
    """Yield a line for each label that is left out, or that contradicts another."""
    for url in said.unknown:
        yield f"{url} was not fetched in this crawl; it is left out."
    for url in said.contradicted:
        yield f"{url} was labelled yes and no; the last one counts."


def _lines(told: ListSample, said: LabelResult | None, dry_run: bool, crawl: CrawlFolder) -> Iterator[str]:
    if dry_run:
        yield from (f"{'list' if page.on_list else 'below'}\t{page.url}\t{plain(page.title, 80)}"
                    for page in told.pages)  # fmt: skip
    if said:
        yield from remarks(said)
        turned = f"{many(said.turned, 'page')} of them count{'s' if said.turned == 1 else ''} otherwise now"
        yield f"{many(len(said.labelled), 'page')} labelled; {turned}."
    yield from told_of(told, str(crawl.path))


def _asked(drawn: ListSample) -> Mapping[Url, bool]:
    """Return the answers to the pages that have no label, as far as there are any."""
    answers: dict[Url, bool] = {}
    pages = drawn.unlabelled
    ask = _by_key if sys.stdin.isatty() else _by_line
    for number, page in zip(count(1), pages, strict=False):
        click.echo(f"\n{number} of {len(pages)}  {plain(page.title, 100)}\n  {page.url}", err=True)
        click.echo(f"  {page.beginning}\n  About {plain(drawn.topic, 60)}? {KEYS}: ", err=True, nl=False)
        answer = ask(page)
        click.echo(answer, err=True)
        if answer in LAST:
            break
        if (wanted := label_of(answer)) is not None:
            answers[page.url] = wanted
    return answers


def _by_key(_: DrawnPage) -> str:
    """Return the next key that is an answer; any other is asked for again."""
    while True:
        try:
            key = click.getchar().lower()
        except (KeyboardInterrupt, EOFError):
            return LAST[0]
        if key in ("y", "n", "s", *LAST):
            return LAST[0] if key in LAST else key


def _by_line(page: DrawnPage) -> str:
    """Return the next line of standard input; where it ends, so do the answers."""
    if not (line := sys.stdin.readline()):
        return LAST[0]
    answer = line.strip().lower()
    if answer in ("", "s", "skip", "?", "q") or label_of(answer) is not None:
        return answer
    raise UsageError(
        f"{plain(answer, 40)!r} is not an answer to {page.url}: write y, n, s or q, a line for each page."
    )
