"""What a crawl is asked when it goes on: what it was asked before, with what is said now over it."""

from collections.abc import Sequence
from operator import attrgetter

from msgspec.structs import replace

from thresher.core.errors import UsageError
from thresher.settings.load import Override, read
from thresher.settings.model import Settings
from thresher.store.folder import CrawlFolder

FIXED = ("strategy.learn_from", "web.kind", "web.seed")
"""What a crawl keeps for life."""

NO_LIMITS: Override = ("stop", {"pages": 0, "relevant": 0, "seconds": 0.0})
"""For a revisit: the limits of the crawl were those of the crawl."""


def asked_again(crawl: CrawlFolder, overrides: Sequence[Override], trusting: bool = False) -> Settings:
    """Return the settings of a crawl as run, with what is said now over them.

    New seeds come on top of the old ones, and another judge brings the threshold of its own.
    """
    crawl.must_exist()
    before, new = read(crawl.settings), dict(overrides)
    if "seeds" in new:
        new["seeds"] = (*before.seeds, *new["seeds"])
    after = crawl.asked_again(list(new.items()), trusting)
    if after.judge.name != before.judge.name and after.judge.threshold == before.judge.threshold:
        after = replace(after, judge=replace(after.judge, threshold=None))
    return after


def to_go_on(crawl: CrawlFolder, after: Settings) -> Settings:
    """Return the settings if the crawl can go on by them."""
    before = read(crawl.settings)
    for name in FIXED:
        if attrgetter(name)(before) != attrgetter(name)(after):
            raise UsageError(
                f"{name} is what {crawl.path} was begun with, and what it has found came of it. "
                "Begin another crawl with 'thresher crawl'."
            )
    return after
