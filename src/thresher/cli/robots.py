"""The verb `why` with --robots: what a host's robots.txt says about a URL, and so what we would do."""

import asyncio
from typing import Any

import click
from msgspec import Struct

from thresher.build.live import live_web
from thresher.cli.options import flag_options, overrides_of
from thresher.cli.output import print_json
from thresher.core.errors import FetchError
from thresher.core.records import Url
from thresher.core.url import parse
from thresher.export.wording import plain
from thresher.fetch.request_headers import agent_of
from thresher.fetch.robots import RobotsGate
from thresher.settings.load import read
from thresher.settings.model import Settings

EXAMPLES = """\b
Examples:
  thresher why --robots https://example.org/private/page.html
  thresher why --robots http://127.0.0.1:8000/ --allow-network 127.0.0.0/8
"""


class Opinion(Struct, frozen=True):
    """What we would do with a URL, and why."""

    url: str
    agent: str
    allowed: bool
    why: str
    robots: str  # what came of asking for the file
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()


@click.command(epilog=EXAMPLES)
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@flag_options("allow_network", "pairs")
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
def command(urls: tuple[str, ...], as_json: bool, **flags: Any) -> int:
    """Say whether we would fetch a URL, and which rule says so.

    Only robots.txt is asked for, as a crawl would ask.

    Exit codes: 0 every URL may be fetched, 1 some may not.
    """
    opinions = asyncio.run(opinions_on(urls, read(None, list(overrides_of(flags)))))
    if as_json:
        print_json(opinions)
    else:
        click.echo("\n".join(wording(opinion) for opinion in opinions))
    return 0 if all(opinion.allowed for opinion in opinions) else 1


async def opinions_on(urls: tuple[str, ...], settings: Settings) -> list[Opinion]:
    """Return what we would do with each URL."""
    web, agent = live_web(settings.web), agent_of(settings.web)
    try:
        return [await opinion_on(url, web.robots, agent) for url in map(parse, urls)]
    finally:
        await web.close()


async def opinion_on(url: Url, robots: RobotsGate, agent: str) -> Opinion:
    """Return what we would do with a URL once we know its host's robots.txt."""
    answer = await robots.answer(url)
    about: dict[str, Any] = {
        "robots": answer.source,
        "crawl_delay": answer.rules.crawl_delay,
        "sitemaps": answer.rules.sitemaps,
    }
    try:
        await robots.admit(url)
    except FetchError as error:
        return Opinion(url, agent, False, str(error), **about)
    rule = answer.rules.verdict(url).rule
    return Opinion(url, agent, True, f"robots.txt says {rule}" if rule else "no rule forbids it", **about)


def wording(opinion: Opinion) -> str:
    """Return an opinion for a person: the verdict first, then why."""
    lines = [f"{'Fetch' if opinion.allowed else 'Leave'} {opinion.url}: {plain(opinion.why)}."]
    lines.append(f"  robots.txt: {plain(opinion.robots)}; asked as {opinion.agent}")
    if opinion.crawl_delay:
        lines.append(f"  Crawl-delay: {opinion.crawl_delay:g} seconds")
    lines += [f"  Sitemap: {plain(sitemap)}" for sitemap in opinion.sitemaps]
    return "\n".join(lines)
