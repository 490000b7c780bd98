"""The pages whose label would help a crawl most, asked about at the terminal while it goes on: --ask."""

import sys
from collections.abc import Callable, Iterator
from itertools import islice

from thresher.build.plugins import strategy_has_own
from thresher.core.errors import UsageError
from thresher.core.records import Page
from thresher.core.strategy import Strategy
from thresher.engine.crawl import Crawl
from thresher.export.wording import plain
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder
from thresher.store.labels import Labels, label_of

AFTER = 30  # pages: earlier a crawl hardly knows what it is unsure of
SEVERAL = 2  # pages to ask about
KEYS = ("y", "n", "s")
BEGINNING = 200  # characters of a page that are shown


def refuse_to_ask(settings: Settings) -> None:
    """Raise an error where no answer could come, or nothing would learn from it."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("--ask needs a terminal; 'thresher label' and 'thresher serve' take labels, too.")
    if not strategy_has_own(settings.strategy.name, Strategy.on_labels):
        raise UsageError(f"{settings.strategy.name} learns nothing from labels; --strategy thresher would.")


class LabelPrompt:
    """Asks about pages, one key each. An answer goes to labels.csv, where the crawl finds it."""

    def __init__(self, crawl: Crawl, folder: CrawlFolder, key: Callable[[], str]) -> None:
        self._crawl, self._folder, self._key = crawl, folder, key
        self._pages: list[Page] | None = None  # that are left; None: it is too early to tell

    def question(self) -> str:
        """Take the key that was pressed, and return the question that is open, or nothing."""
        if self._pages is None and self._crawl.progress.pages >= AFTER:
            self._pages = [*islice(_unsure(self._crawl), SEVERAL)]
        if self._pages and (key := self._key()) in KEYS:
            page = self._pages.pop(0)
            if (wanted := label_of(key)) is not None:
                Labels(self._folder.labels).add({page.url: wanted})
        if not self._pages:
            return ""
        page = self._pages[0]
        shown = plain(page.main or page.text, BEGINNING)
        return f"{plain(page.title, 100)}\n{page.url}\n{shown}\nIs this what you want? [y]es, [n]o, [s]kip"


def _unsure(crawl: Crawl) -> Iterator[Page]:
    """Yield the pages whose label would help most, as far as their words are kept."""
    insights = crawl.strategy.insights()
    for suggestion in insights.label_suggestions if insights else ():
        page = crawl.store.page(suggestion.url)
        if page and (page.main or page.text):
            yield page
