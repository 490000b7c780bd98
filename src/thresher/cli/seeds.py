"""The verb `seeds`: places to start a crawl from, found in what is at hand, ranked and explained."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from thresher.build.reading import make_judge
from thresher.build.seeds import (
    SeedSuggestion,
    Source,
    by_tfidf,
    from_crawl,
    from_index,
    from_list,
    from_search,
    suggest,
)
from thresher.build.topic import topic_of
from thresher.cli.options import TOPIC_FLAGS, flag_options, settings_of, the_crawl
from thresher.cli.output import print_json, show_logs
from thresher.core.errors import UsageError
from thresher.core.files import atomic_write
from thresher.export.wording import many, plain
from thresher.settings.model import Settings

EXAMPLES = """\b
Examples:
  thresher seeds beekeeping --from bookmarks.html -o seeds.txt
  thresher seeds beekeeping --search https://searx.example.org/search
  thresher seeds beekeeping --crawl beekeeping
  thresher crawl beekeeping --seeds seeds.txt
"""


@click.command(epilog=EXAMPLES)
@click.argument("topic", nargs=-1, required=True)
@click.option(
    "--from",
    "places",
    metavar="URL|FILE",
    multiple=True,
    help="A page that links to others, bookmarks, OPML, a list in Markdown or of URLs; repeat for more.",
)
@click.option(
    "--search", metavar="URL", help="An endpoint that searches, as SearXNG's /search; or with {query}."
)
@click.option("--index", metavar="URL", help="A Common Crawl index endpoint; with --domain.")
@click.option(
    "--crawl", "crawls", metavar="FOLDER", multiple=True, help="An earlier crawl, for its best hubs."
)
@click.option(
    "--rank",
    type=click.Choice(["words", "tfidf"]),
    default="words",
    show_default=True,
    help="By the words beside links, or by reading the pages: Ratna's seed detector.",
)
@click.option("--top", default=20, show_default=True, metavar="N", help="How many to suggest.")
@click.option("-o", "--output", metavar="FILE", help="Write them to a file that --seeds takes.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@flag_options(*TOPIC_FLAGS, "domain", "allow_network", "pairs")
def command(
    topic: tuple[str, ...],
    places: tuple[str, ...],
    search: str | None,
    index: str | None,
    crawls: tuple[str, ...],
    rank: str,
    top: int,
    output: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Suggest seed URLs, ranked, with the reason for each.

    They come from what is at hand: pages and files that link to others, the example pages of the topic, an
    endpoint that searches, an index of URLs, an earlier crawl. Nothing is asked that is not named here.
    """
    show_logs(0)
    settings = settings_of(topic, flags)
    asked = topic_of(settings)
    judge = make_judge(settings, asked)
    sources: list[Source] = [from_crawl(the_crawl(name)) for name in crawls]
    examples = [each for each in settings.topic.examples if each.startswith("http")]
    sources += [from_list(place, settings, judge, _complain) for place in (*places, *examples)]
    sources += [from_search(search, asked, settings, _complain)] if search else []
    if index:
        sources += [from_index(index, each, asked, settings, _complain) for each in _domains(settings)]
    if not sources:
        raise UsageError("Say where to look: --from a page or a list of links, --search, --index or --crawl.")
    best = suggest(sources, judge)[:top]
    if not best:
        raise UsageError(f"Nothing there has the words of {asked.name!r}; name other places, or --keyword.")
    best = by_tfidf(best, asked, settings, _complain) if rank == "tfidf" else best
    _tell(best, output, as_json)


def _domains(settings: Settings) -> tuple[str, ...]:
    if not settings.scope.domains:
        raise UsageError("An index is asked about domains: name them with --domain.")
    return settings.scope.domains


def _complain(sentence: str) -> None:
    click.echo(sentence, err=True)


def _tell(best: Sequence[SeedSuggestion], output: str | None, as_json: bool) -> None:
    if output:
        with atomic_write(Path(output)) as file:
            file.write("".join(f"{line}\n" for line in _lines(best)).encode())
    if as_json:
        print_json(best)
    elif output:
        click.echo(f"{many(len(best), 'place')} to start from in {output}. Go on: --seeds {output}")
    else:
        click.echo("\n".join(_lines(best)))


def _lines(best: Sequence[SeedSuggestion]) -> Iterator[str]:
    """Yield each URL on a line of its own below the reason for it, which `--seeds` passes over."""
    for each in best:
        score = f"tf-idf {each.tfidf:.3f}" if each.tfidf is not None else f"{each.likeness:.2f}"
        words = f' "{plain(each.words, 70)}"' if each.words else ""
        yield f"# {score}{words} from {plain(', '.join(each.sources), 120)}"
        yield str(each.url)
