"""What a page becomes when it leaves the crawl: one item with the fields that crawlers agree on."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from thresher.core.records import Url, Visit
from thresher.export.words import moment
from thresher.store.folder import CrawlFolder


class Item(Struct, frozen=True):
    """One fetched page. The fields are always all there, in this order."""

    url: Url
    requested_url: Url  # what was asked for before any redirect
    status: int
    fetched_at: str  # ISO 8601, UTC
    title: str
    text: str
    language: str
    relevance: float
    is_relevant: bool
    parent: Url | None  # the page with the link that led here; none for a seed
    depth: int
    anchor: str
    digest: str


def items_of(folder: CrawlFolder, only_relevant: bool = False) -> Iterator[Item]:
    """Yield the pages of a crawl one by one, in the order fetched."""
    store = folder.open()
    try:
        threshold = store.facts.threshold
        asked = _before_redirects(store.visits())
        for visit in store.pages():
            item = _item(visit, threshold, asked)
            if item.is_relevant or not only_relevant:
                yield item
    finally:
        store.close()


def _before_redirects(visits: Iterable[Visit]) -> dict[Url, Url]:
    """Return for each target of a redirect what was asked for first."""
    asked: dict[Url, Url] = {}
    for visit in visits:
        if visit.moved_to:
            url = visit.candidate.url
            asked.setdefault(visit.moved_to, asked.get(url, url))
    return asked


def _item(visit: Visit, threshold: float, asked: dict[Url, Url]) -> Item:
    candidate, page = visit.candidate, visit.page
    if page is None:
        raise ValueError(f"{candidate.url} brought no page")
    return Item(
        url=page.url,
        requested_url=asked.get(candidate.url, candidate.url) if candidate.redirects else candidate.url,
        status=visit.status,
        fetched_at=moment(visit.at),
        title=page.title,
        text=page.text,
        language=page.language,
        relevance=visit.relevance,
        is_relevant=visit.relevance >= threshold,
        parent=candidate.via.source if candidate.via else None,
        depth=candidate.depth,
        anchor=candidate.via.anchor if candidate.via else "",
        digest=page.fingerprint.digest,
    )
