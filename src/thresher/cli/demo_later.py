"""The last act of the demo: a day has passed on the practice web, and the best pages are looked at again."""

from collections.abc import Iterator

from msgspec import Struct

from thresher.assemble.planning import Errand
from thresher.assemble.revisiting import Freshened
from thresher.cli.revisit import look
from thresher.crawling.clock import VirtualClock
from thresher.export.changes import ChangeItem, changes_of, told
from thresher.export.wording import many, number
from thresher.revisit.watched import DAY
from thresher.settings.reading import read
from thresher.store.folder import CrawlFolder

LOOKS = 150
LINES = 6  # of the diff


class Later(Struct, frozen=True):
    """What a day has changed."""

    result: Freshened
    example: ChangeItem | None  # the most relevant news


async def a_day_later(clock: VirtualClock, crawl: CrawlFolder) -> Later:
    """Let a day pass on the practice web, and look at the pages that are worth it."""
    await clock.sleep(DAY)
    settings = read(crawl.settings, [("stop", {"pages": 0})])
    result = await look(crawl, Errand(LOOKS, once=True, discover=0.0), settings)
    news = [item for item in changes_of(crawl) if item.news and item.kind == "text" and item.diff]
    return Later(result, max(news, key=lambda item: item.relevance, default=None))


def lines_of(later: Later) -> Iterator[str]:
    """Yield what the demo says of it: the figure, and one diff as an example."""
    result = later.result
    end = ":" if later.example else "."
    yield f"A day later {number(result.news)} of {many(result.looks, 'page')} looked at again had news{end}"
    if later.example:
        yield from (f"  {line}" if line else line for line in told([later.example], LINES))
