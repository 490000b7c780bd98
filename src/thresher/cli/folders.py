"""Which crawl a command means: the folder named, or the only crawl here."""

from pathlib import Path

from thresher.core.errors import NotACrawl, UsageError
from thresher.store.folder import CrawlFolder


def the_crawl(name: str | None) -> CrawlFolder:
    """Return the crawl of that name; without one, the only crawl in this folder."""
    if name:
        return CrawlFolder(Path(name))
    here = sorted(file.parent for pattern in ("crawl.db", "*/crawl.db") for file in Path().glob(pattern))
    if not here:
        raise NotACrawl("No crawl here. Name the folder of one, or make one with 'thresher crawl'.")
    if len(here) > 1:
        names = ", ".join(str(path) for path in here)
        raise UsageError(f"{len(here)} crawls are here ({names}). Name the folder you mean.")
    return CrawlFolder(here[0])
