"""The best pages of a crawl: by its strategy's own score where it has one, else by the judge's."""

from heapq import nlargest

from msgspec import Struct

from thresher.assemble.mind import mind_of
from thresher.core.doors import Ranking
from thresher.core.records import Url
from thresher.settings.reading import read
from thresher.store.folder import CrawlFolder


class Best(Struct, frozen=True):
    """A page with its score, and whose score it is."""

    url: Url
    title: str
    score: float
    scored_by: str
    relevance: float


def best_of(folder: CrawlFolder, most: int) -> list[Best]:
    """Return the best pages of a crawl, the best first; equal ones by their relevance."""
    store, settings = folder.open(), read(folder.settings)
    try:
        mind = mind_of(settings, store)
        ranking = mind if isinstance(mind, Ranking) else None
        scored_by = settings.strategy.name if ranking else settings.judge.name
        scored = (
            Best(url, title, score, scored_by, relevance)
            for url, title, relevance in store.best_pages(-1)
            if (score := ranking.worth(url) if ranking else relevance) is not None
        )
        return nlargest(most, scored, key=lambda page: page.score)
    finally:
        store.close()
