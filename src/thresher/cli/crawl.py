"""The verbs `crawl` and `resume`."""

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from shlex import quote
from typing import Any

import click
import msgspec
from typing_extensions import override

from thresher.build import CrawlResult
from thresher.build.crawl import planned
from thresher.cli.ask import refuse_to_ask
from thresher.cli.options import flag_options, settings_of, settings_over, the_crawl, topic_flags
from thresher.cli.output import log_format_option, show_logs, text_of
from thresher.cli.run import carry_out
from thresher.core.enums import NOT_RENDERED, Detail, Outcome
from thresher.core.errors import UsageError
from thresher.core.progress import FinishKind
from thresher.core.records import Url
from thresher.core.url import hostname_of, parse
from thresher.export.wording import by_default_judge, counted, harvest, many, need_browser, outlook, plain
from thresher.parse.pdf import INSTALL
from thresher.settings.model import Settings, WebSettings
from thresher.store.folder import CrawlFolder, asked_again, to_go_on
from thresher.store.read import CrawlReader, StoredTotals

# The verb `crawl`


CODES = {FinishKind.INTERRUPTED: 11, FinishKind.TIME: 15}  # of the ends that are no success
FOUND = frozenset({Outcome.FETCHED, Outcome.MOVED, Outcome.UNCHANGED})
EXAMPLES = """\b
Examples:
  thresher crawl beekeeping --pages 500
  thresher crawl basketball --seed https://example.org/ --pages 50
  thresher crawl --seed https://example.org/hives --set contact=me@example.org
  thresher crawl cider --strategy breadth_first --relevant 50 -o cider-wide
  thresher crawl beekeeping --learn-from beekeeping -o again
  thresher crawl tea --seed https://example.org/tea --pages 0 --stop-below 2%
  thresher crawl tea --seed https://example.org/tea --pages 0 --stop-found 90%
  thresher crawl basketball.toml --time 10m --set judge.threshold=0.2
"""


class CrawlCommand(click.Command):
    """The verb, which asks about a word behind an address: it was cut off the address, or is of the topic."""

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for flag, address, word in zip(args[1:], args[2:], args[3:], strict=False):
            if flag == "--seed" and not args[0].startswith("-") and not word.startswith("-"):
                raise UsageError(
                    f"Does {word!r} belong to the address {address} or to the topic? Quote them together."
                )
        return super().parse_args(ctx, args)


@click.command(epilog=EXAMPLES, cls=CrawlCommand)
@click.argument("topic", nargs=-1)
@click.option("-o", "--output", metavar="FOLDER", help="Where the crawl is kept; default: the topic's name.")
@flag_options()
@click.option("--ask", is_flag=True, help="Ask at the terminal about the two pages whose label helps most.")
@click.option("--plan", is_flag=True, help="Print the stages of the crawl, and fetch nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@log_format_option
@click.option("-v", "--verbose", count=True, help="Show every visit on stderr; twice: everything.")
def command(
    topic: tuple[str, ...],
    output: str | None,
    ask: bool,
    plan: bool,
    as_json: bool,
    verbose: int,
    **flags: Any,
) -> int:
    """Crawl for a topic, the most promising pages first.

    TOPIC is what to look for, in words, or a settings file whose name ends in .toml; without one, pages
    like the seeds or the --example pages. With seeds the live web is crawled, without them the practice
    web. The crawl is kept in a folder: what was asked (crawl.toml), what was found (crawl.db) and what to
    look at (report.html). Ctrl-C finishes what is under way and saves; a second one stops now. Either way
    'thresher resume' goes on from there.

    Exit codes: 0 done, 1 failed, 2 misused, 4 bad settings, 11 interrupted, 15 time limit.
    """
    show_logs(verbose)
    settings = settings_of(topic, flags)
    folder = folder_for(settings, topic, output)
    if plan:
        return show_plan(planned(settings, folder))
    if ask:
        refuse_to_ask(settings)
    return carried_out(settings, folder, as_json, ask=ask)


def carried_out(
    settings: Settings, folder: CrawlFolder, as_json: bool, resume: bool = False, ask: bool = False
) -> int:
    """Carry out a crawl, go on with the words it offers if the user wants that, and return the exit code."""
    result = asyncio.run(carry_out(settings, folder, title_of(settings), resume, ask=ask))
    code = conclude(result, folder, as_json)
    if as_json or not (words := with_offered(result, folder)) or not wants_to_go_on():
        return code
    limit = [("stop.pages", 2 * result.pages)] if result.finish is FinishKind.PAGES else []
    again = asked_again(folder, [("topic.keywords", words), *limit])
    return carried_out(to_go_on(folder, again), folder, as_json, resume=True)


def wants_to_go_on() -> bool:
    """Ask for one key at a terminal; elsewhere nothing is asked."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    click.echo("Add these words and go on? Press y: ", nl=False, err=True)
    key = click.getchar()
    click.echo(key if key.isprintable() else "", err=True)
    return key.lower() == "y"


def show_plan(plan: Coroutine[Any, Any, str]) -> int:
    """Print the stages of a crawl."""
    click.echo(asyncio.run(plan))
    return 0


def title_of(settings: Settings) -> str:
    """Return what the display calls a crawl."""
    return f"{settings.topic.name or 'pages like the examples'} with {settings.strategy.name}"


def conclude(result: CrawlResult, folder: CrawlFolder, as_json: bool) -> int:
    """Write the report, print the result and return the exit code."""
    from thresher.report.crawl_report import write_report  # measured: 3 % of the start

    report = write_report([folder])
    click.echo(as_document(result, report) if as_json else summary(result, report))
    asked = folder.asked()
    if not as_json and (further := how_to_go_on(result, folder, asked)):
        click.echo(further)
    with folder.open() as store:
        for sentence in (*lost_seeds(asked, store), *unread(asked, store)):
            click.echo(sentence, err=True)
    return exit_code(result)


def lost_seeds(asked: Settings, store: CrawlReader) -> list[str]:
    """Return a sentence for each seed that brought no page, with the reason."""
    visits = [visit for seed in asked.seeds for visit in store.history(parse(seed))[-1:]]
    lost = [visit for visit in visits if visit.outcome not in FOUND]
    return [
        f"Seed {visit.candidate.url} brought no page ({visit.outcome.value}): {plain(visit.reason)}"
        for visit in lost
    ]


def unread(asked: Settings, store: CrawlReader) -> list[str]:
    """Return a sentence on the documents that came and could not be read, with what would help."""
    details = store.details()
    told = (
        [f"{many(pdf, 'PDF file')} not read: {INSTALL}"] if (pdf := details.get(Detail.NO_READER, 0)) else []
    )
    others = {each.value: details[each] for each in UNREAD if each in details}
    told += [f"{many(sum(others.values()), 'document')} not read: {counted(others)}."] if others else []
    return told + _unrendered(details, asked.web)


def _unrendered(details: dict[Detail, int], web: WebSettings) -> list[str]:
    """Return a sentence on the pages made by script that were kept as they came, with what would help."""
    kept = {each.value: details[each] for each in Detail if each in NOT_RENDERED and each in details}
    if not kept:
        return []
    if web.browser == "never":
        helps = "--set web.browser=auto renders what is made by script"
    elif Detail.NEEDS_BROWSER in details:
        from thresher.build.live import INSTALL_BROWSER
        from thresher.fetch.browser.chromium import find_browser

        missing = not find_browser(web.browser_path)
        helps = INSTALL_BROWSER if missing else "--set web.browser_share=1 renders all that is made by script"
    else:
        helps = counted(kept)
    return [f"{need_browser(sum(kept.values()))}: {helps.removesuffix('.')}."]


UNREAD = (Detail.UNKNOWN_DOCUMENT, Detail.ENCRYPTED, Detail.BROKEN_DOCUMENT, Detail.HUGE_DOCUMENT)


def folder_for(settings: Settings, topic: tuple[str, ...], output: str | None) -> CrawlFolder:
    """Return the folder asked for, or that of the topic, or that of the file's name."""
    if output:
        return CrawlFolder(Path(output))
    asked = settings.topic
    named = asked.name or asked.node or asked.query or next(iter(asked.keywords), "")
    pages = (
        [Path(topic[0]).stem]
        if topic
        else [*(hostname_of(Url(seed)) for seed in settings.seeds), *asked.examples]
    )
    return CrawlFolder.named(named or pages[0])


def summary(result: CrawlResult, report: Path) -> str:
    """Return what a user wants to know at the end: the figure first, then why it ended."""
    lines = [f"{harvest(result.relevant, result.pages)}. Report: {report}"]
    if offer := result.keyword_offer:
        lines.append(offer.sentence)
    lines.append(f"Stopped: {result.finish_reason}.")
    requests = many(sum(result.outcomes.values()), "request")
    lines.append(f"{requests}: {counted(result.outcomes) or 'none'}.")
    lines += outlook(result.forecast) + by_default_judge(result.second_count)
    if result.refused:
        lines.append(f"{many(sum(result.refused.values()), 'link')} refused: {counted(result.refused)}.")
    return "\n".join(lines)


def how_to_go_on(result: CrawlResult, folder: CrawlFolder, asked: Settings) -> str:
    """Return the command that goes on from here, or nothing where nothing is left to go on with."""
    if result.finish is FinishKind.NOTHING_LEFT:
        seed = f"Start from another page: thresher resume {quote(str(folder.path))} --seed URL"
        return "" if result.pages else seed
    flag = {
        FinishKind.PAGES: f" --pages {2 * result.pages}",
        FinishKind.RELEVANT: f" --relevant {2 * asked.stop.relevant}",  # it may call fewer so by now
        FinishKind.FORECAST: " --stop-below 0",
        FinishKind.SHARE_FOUND: " --stop-found 0",
    }.get(result.finish, "")
    words = [f" --keyword {quote(word)}" for word in with_offered(result, folder)]
    return f"Go on: thresher resume {quote(str(folder.path))}{flag}{''.join(words)}"


def with_offered(result: CrawlResult, folder: CrawlFolder) -> dict[str, float]:
    """Return the keywords of the crawl and those that it offers; nothing if it offers none."""
    offered = result.keyword_offer.words if result.keyword_offer else ()
    return dict.fromkeys(offered, 1.0) | folder.asked().topic.keywords if offered else {}


def as_document(result: CrawlResult, report: Path) -> str:
    """Return the result for a program."""
    document = {**msgspec.to_builtins(result), "report": str(report)}
    return text_of(document)


def exit_code(result: CrawlResult) -> int:
    """Return the code by which a script knows how the crawl ended."""
    return CODES.get(result.finish) or (0 if result.pages else 1)  # no seed was left to crawl from


# The verb `resume`: a crawl goes on where it stopped, whatever stopped it.


RESUME_EXAMPLES = """\b
Examples:
  thresher resume beekeeping
  thresher resume beekeeping --pages 5000
  thresher resume beekeeping --seed https://example.org/
"""


@click.command(epilog=RESUME_EXAMPLES)
@click.argument("folder", required=False)
@flag_options(
    "seed",
    "seeds",
    *topic_flags(),
    "pages",
    "relevant",
    "time",
    "stop_below",
    "stop_found",
    "delay",
    "concurrency",
    "per_host",
    "workers",
    "allow_network",
    "pairs",
    "trust_folder",
)
@click.option("--plan", is_flag=True, help="Print the stages of the crawl, and fetch nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@log_format_option
@click.option("-v", "--verbose", count=True, help="Show every visit on stderr; twice: everything.")
def resume(folder: str | None, plan: bool, as_json: bool, verbose: int, **flags: Any) -> int:
    """Continue a crawl that was stopped, or raise its limits.

    FOLDER is the crawl; without it, the only crawl here. Limits count everything the crawl has done so
    far, except --time, which counts from now. Pages that were fetched are not fetched again; if the topic
    was edited, here or in crawl.toml, they are judged again first, as 'thresher label --apply' does.
    """
    show_logs(verbose)
    crawl = the_crawl(folder)
    done = tally_of(crawl)  # says so if it is no crawl
    settings = to_go_on(crawl, settings_over(crawl, flags))
    if plan:
        return show_plan(planned(settings, crawl))
    refuse_less(flags["pages"], done.outcomes[Outcome.FETCHED], "pages")
    refuse_less(flags["relevant"], done.relevant, "relevant")
    return carried_out(settings, crawl, as_json, resume=True)


def tally_of(crawl: CrawlFolder) -> StoredTotals:
    """Return what the crawl has done so far."""
    with crawl.open() as store:
        return store.tally(store.facts.threshold)


def refuse_less(asked: int | None, done: int, flag: str) -> None:
    """Refuse a limit that the crawl has passed already."""
    if asked and asked < done:
        raise UsageError(
            f"The crawl has {done} already: --{flag} counts them, so ask for more, or for 0: no limit."
        )
