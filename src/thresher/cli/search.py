"""The verb `search`: the pages of one crawl or of many that have the words asked for."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from thresher.cli.options import the_crawl
from thresher.cli.output import print_json
from thresher.core.errors import NotACrawl, ThresherError, UsageError
from thresher.export.wording import many, number, plain
from thresher.report.similar_urls import slips_between
from thresher.search.find import SCREEN, SearchResult, search
from thresher.search.index import IndexLag, catch_up
from thresher.search.query import Marked
from thresher.search.reader import Hit
from thresher.store.folder import CrawlFolder

EXAMPLES = """\b
Words:
  "two words"   side by side      host:example.org  on this host and below it
  -word         not there         lang:zh           in this language
  word*         begins so         since:7d          fetched since (or a date)
  relevant:yes  or no, or >.7     label:yes         labelled so (or no, none)
\b
Examples:
  thresher search beekeeping honey
  thresher search beekeeping '"queen excluder" -winter lang:en relevant:yes'
  thresher search beekeeping cider 蜂王 since:7d --most 50
  thresher search basketball 篮球 host:example.org --json
"""


@click.command(epilog=EXAMPLES, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, required=True, metavar="[FOLDER]... WORDS...")
@click.option("--most", type=click.IntRange(1, 1000), default=SCREEN, show_default=True, help="Pages shown.")
@click.option("--json", "as_json", is_flag=True, help="Print the pages as JSON.")
def command(words: tuple[str, ...], most: int, as_json: bool) -> int:
    """Search the pages of one or more crawls, in English and Chinese.

    The best come first. Leading arguments that are folders of crawls are searched; the rest are words.
    Without a folder, the only crawl here is. English is found by its stems, Chinese by its characters,
    simplified or traditional.
    """
    folders, asked = parted(words)
    if not asked:
        raise UsageError("Search for what? Write words after the folder.")
    if asked.count('"') % 2:
        raise UsageError(f"A quotation mark is open in {asked}: close it, or leave it out.")
    behind = [folder for folder in folders if not _catch_up(folder)]
    found, _ = search(folders, asked, most)
    for remark in found.remarks:
        click.echo(remark, err=True)
    if as_json:
        print_json(found.items)
    elif found.items or not behind:  # else not everything was searched yet
        click.echo("\n".join(_told(found, len(folders) > 1)))
    return 0 if found.items else 1


def parted(words: Sequence[str]) -> tuple[list[CrawlFolder], str]:
    """Return the crawls that the leading arguments name, or the only one here, and the words behind them."""
    leading = 0
    while leading < len(words) and (Path(words[leading]) / "crawl.db").is_file():
        leading += 1
    if not leading and len(words) > 1 and (meant := _meant(words[0])):
        raise NotACrawl(f"No crawl in {words[0]}. Did you mean {meant!r}?")
    folders = [CrawlFolder(Path(name)) for name in dict.fromkeys(words[:leading])] or [the_crawl(None)]
    return folders, " ".join(words[leading:])


def _meant(word: str) -> str:
    """Return the crawl here that a first word is a slip for."""
    names = sorted(file.parent.name for file in Path().glob("*/crawl.db"))
    return next((name for name in names if slips_between(word, name)), "")


def _catch_up(folder: CrawlFolder) -> bool:
    """Tell whether the index could be made; what stands in the way is said, and what is there is searched."""
    try:
        left = catch_up(folder, _progress)
    except ThresherError as error:
        click.echo(f"{error}", err=True)
        return False
    if left.visits or left.words:
        why = "another process is indexing" if left.is_busy else "it goes on"
        click.echo(f"The index of {folder.path} is {many(left.visits, 'visit')} behind: {why}.", err=True)
    return True


def _progress(behind: IndexLag) -> bool:
    if behind.visits > 2000 and sys.stderr.isatty():
        click.echo(f"\rIndexing: {number(behind.visits)} visits to go ", err=True, nl=False)
    return True


def _told(found: SearchResult, several: bool) -> Iterator[str]:
    some = False
    for hit in found.items:
        if not hit.all_words and not some:
            some = True
            yield "Only some of the words:\n"
        yield from _hit(hit, several)
    yield _summary(found)


def _hit(hit: Hit, several: bool) -> Iterator[str]:
    where = f"{hit.crawl}  " if several else ""
    said = {True: "  labelled yes", False: "  labelled no", None: ""}[hit.label]
    yield f"{hit.relevance:.2f}  {_shown(hit.title_marked) or plain(hit.url)}"
    yield f"      {where}{plain(hit.url)}  {hit.fetched_at[:10]}{said}"
    if any(hit.snippet):
        yield f"      {_shown(hit.snippet)}"
    yield ""


def _shown(pieces: Marked) -> str:
    """Return text with its marks: bold in a terminal, in brackets elsewhere."""
    bold = sys.stdout.isatty()
    told = []
    for number_, piece in enumerate(pieces):
        clean = "".join(letter if letter.isprintable() else " " for letter in piece)
        told.append(clean if not number_ % 2 else click.style(clean, bold=True) if bold else f"[{clean}]")
    return "".join(told).strip()


def _summary(found: SearchResult) -> str:
    shown = f", the best {number(len(found.items))} shown" if found.total > len(found.items) else ""
    if not found.total:
        return "No page has these words. Drop one, or look for its beginning: word*."
    return f"{many(found.total, 'page')} found in {found.milliseconds:.0f} ms{shown}."
