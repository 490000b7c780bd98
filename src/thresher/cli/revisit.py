"""The verb `revisit`: the pages of a crawl are looked at again, and what changed is kept and told."""

import asyncio
import re
from typing import Any

import click

from thresher.build.revisit import RevisitResult, planned, revisit
from thresher.cli.crawl import CODES, show_plan
from thresher.cli.options import flag_options, mode_option, overrides_of, the_crawl
from thresher.cli.output import log_format_option, show_logs, text_of
from thresher.cli.run import shown, tell
from thresher.cli.strategies import paper_settings
from thresher.core.errors import UsageError
from thresher.engine.revisit import RevisitTask
from thresher.export.wording import counted, many, number
from thresher.freshness.page_state import DAY
from thresher.freshness.schedule import ORDERS
from thresher.report.crawl_report import write_report
from thresher.settings.model import Settings
from thresher.store.folder import NO_LIMITS, CrawlFolder

EXAMPLES = """\b
Examples:
  thresher revisit beekeeping --once
  thresher revisit beekeeping --once --paper mali
  thresher revisit beekeeping --budget 500/day
  thresher revisit beekeeping --budget 500/day --time 10m --command ./tell-me
  thresher revisit --list beekeeping --since 2d --relevant
"""

UNITS = {"": DAY, "day": DAY, "d": DAY, "hour": 3600.0, "h": 3600.0, "minute": 60.0, "m": 60.0}


@click.command(epilog=EXAMPLES)
@click.argument("folder", required=False)
@click.option("--budget", metavar="500/day", help="Requests a day (or 20/hour); with --once: in all.")
@click.option("--once", is_flag=True, help="Make one pass and end: every page, or what the budget allows.")
@click.option("--policy", type=click.Choice(list(ORDERS)), help="How the budget is divided among pages.")
@click.option("--paper", "of_paper", metavar="NAME", help="Revisit as a paper has it, such as mali.")
@click.option("--discover", type=click.FloatRange(0, 1), help="Share of the budget for new pages.")
@click.option("--command", "hook", metavar="COMMAND", help="Run this with every relevant change on stdin.")
@click.option("--webhook", metavar="URL", help="Post every relevant change there.")
@flag_options("time", "delay", "concurrency", "per_host", "workers", "allow_network", "pairs", "trust_folder")
@mode_option("--list", "List the changes found so far")
@click.option("--plan", is_flag=True, help="Print the stages of the revisit, and fetch nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@log_format_option
@click.option("-v", "--verbose", count=True, help="Show every visit on stderr; twice: everything.")
def command(folder: str | None, plan: bool, as_json: bool, verbose: int, **flags: Any) -> int:
    """Fetch the pages of a crawl again to find changes and new pages.

    FOLDER is the crawl; without it, the only crawl here. Without --once it goes on until --time has passed
    or Ctrl-C ends it, and spends the budget evenly: on the pages where a revisit is worth most, and on new
    pages they lead to. It can be stopped and started again at any moment.
    """
    show_logs(verbose)
    crawl = the_crawl(folder)
    settings = settings_of(crawl, flags)
    errand = errand_of(settings, flags["budget"], flags["once"])
    if plan:
        return show_plan(planned(errand, settings, crawl))
    result = asyncio.run(run_revisit(crawl, errand, settings))
    report = write_report([crawl])
    click.echo(as_document(result) if as_json else f"{summary(result)}\nReport: {report}")
    return CODES.get(result.finish, 0)


async def run_revisit(crawl: CrawlFolder, errand: RevisitTask, settings: Settings) -> RevisitResult:
    """Make the revisits, shown on stderr; Ctrl-C ends them early but in order."""
    title = f"{settings.topic.name or crawl.path.name}, again"
    async with shown(title) as begin:
        return await revisit(crawl, errand, settings, tell, begin)


def settings_of(crawl: CrawlFolder, flags: dict[str, Any]) -> Settings:
    """Return the settings of the crawl with the flags over them; its limits were those of the crawl."""
    if not crawl.is_begun():
        crawl.open()  # says so
    names = {"policy": "revisit.policy", "discover": "revisit.discover"}
    names |= {"hook": "revisit.command", "webhook": "revisit.webhook"}
    given = [(name, flags[flag]) for flag, name in names.items() if flags[flag] is not None]
    paper = paper_settings(flags["of_paper"], revisit=True) if flags["of_paper"] else []
    return crawl.asked_again([NO_LIMITS, *paper, *overrides_of(flags), *given], flags["trust_folder"])


def errand_of(settings: Settings, budget: str | None, once: bool) -> RevisitTask:
    """Return what is to be done; a revisit without end needs a budget."""
    if not budget and not once:
        raise UsageError("Give a budget: --budget 500/day, or --once for one pass over all pages.")
    asked = settings.revisit
    return RevisitTask(requests_of(budget) if budget else 0.0, once, asked.policy, asked.discover)


def requests_of(text: str) -> float:
    """Return the requests a day that a budget such as 500, 500/day or 20/hour allows."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:/\s*(\w*))?", text.strip())
    unit = (match[2] or "").removesuffix("s") if match else ""
    if not match or unit not in UNITS or float(match[1]) <= 0:
        raise UsageError(f"{text!r} is not a budget; write it as 500/day or 20/hour.")
    return float(match[1]) * DAY / UNITS[unit]


def summary(result: RevisitResult) -> str:
    """Return what a user wants to know at the end: the changes first, then what it cost."""
    lost = f", {number(result.lost)} of them lost" if result.lost else ""
    lines = [f"{number(result.substantive)} of {many(result.revisits, 'page')} revisited had changed{lost}."]
    if result.discovered:
        new = many(result.discovered, "new page")
        lines.append(f"{new} fetched, {number(result.relevant)} of them relevant.")
    lines.append(f"Stopped: {result.finish_reason}. {counted(result.outcomes) or 'No request was made'}.")
    return "\n".join(lines)


def as_document(result: RevisitResult) -> str:
    """Return the result for a program."""
    return text_of(result)
