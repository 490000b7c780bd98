"""What a page becomes when it leaves the crawl: one item with the fields that crawlers agree on."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from msgspec import Struct

from thresher.core.errors import UsageError
from thresher.core.records import Url, Visit
from thresher.core.url import hostname_of
from thresher.export.select import EVERYTHING, Selection, chosen
from thresher.export.words import moment
from thresher.store.folder import CrawlFolder
from thresher.store.read import Reading


class Item(Struct, frozen=True):
    """One fetched page. The first fields are what an export has unless others are named."""

    url: Url
    requested_url: Url  # what was asked for before any redirect
    status: int
    fetched_at: str  # ISO 8601, UTC
    title: str
    main: str  # the text without menus and footers
    language: str
    relevance: float
    is_relevant: bool
    label: str  # what the user said: yes, no, or nothing
    parent: Url | None  # the page with the link that led here; none for a seed
    depth: int
    anchor: str
    digest: str
    text: str = ""  # everything a reader sees
    host: str = ""
    size: int = 0  # bytes of the body as received
    outlinks: int = 0  # how many
    model_label: str = ""  # what a model said of it, taught or not: yes, no, or nothing


ON_REQUEST = ("text", "host", "size", "outlinks", "model_label")
FIELDS = tuple(name for name in Item.__struct_fields__ if name not in ON_REQUEST)
"""The fields of an export unless others are named."""


def fields_of(names: str) -> tuple[str, ...]:
    """Return the fields that a user names, with commas between them."""
    fields = tuple(name.strip() for name in names.split(",") if name.strip())
    for name in fields:
        if name not in Item.__struct_fields__:
            near = get_close_matches(name, Item.__struct_fields__, n=1)
            known = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(Item.__struct_fields__)}."
            raise UsageError(f"No field {name!r}. {known}")
    return tuple(dict.fromkeys(fields)) or FIELDS


def items_of(folder: CrawlFolder, selection: Selection = EVERYTHING) -> Iterator[Item]:
    """Yield the pages of a crawl that are chosen one by one, in the order fetched."""
    store = folder.open()
    try:
        store.hold()
        yield from items_in(store, selection)
    finally:
        store.close()


def items_in(store: Reading, selection: Selection) -> Iterator[Item]:
    """Yield the chosen pages of a crawl that is open."""
    threshold, asked = store.facts.threshold, _before_redirects(store.redirects())
    models = store.model_labels()
    for visit in chosen(store, selection):
        url = visit.candidate.url
        yield _item(visit, threshold, asked, store.label(url), models.get(url))


def _before_redirects(redirects: Iterable[tuple[Url, Url]]) -> dict[Url, Url]:
    """Return for each target of a redirect what was asked for first."""
    asked: dict[Url, Url] = {}
    for url, target in redirects:
        asked.setdefault(target, asked.get(url, url))
    return asked


_SAID = {None: "", True: "yes", False: "no"}


def _item(
    visit: Visit, threshold: float, asked: Mapping[Url, Url], label: bool | None, model: bool | None
) -> Item:
    candidate, page = visit.candidate, visit.page
    if page is None:
        raise ValueError(f"{candidate.url} brought no page")
    return Item(
        url=page.url,
        requested_url=asked.get(candidate.url, candidate.url) if candidate.redirects else candidate.url,
        status=visit.status,
        fetched_at=moment(visit.at),
        title=page.title,
        main=page.main,
        language=page.language,
        relevance=visit.relevance,
        is_relevant=visit.relevance >= threshold,
        label=_SAID[label],
        parent=candidate.via.source if candidate.via else None,
        depth=candidate.depth,
        anchor=candidate.via.anchor if candidate.via else "",
        digest=page.fingerprint.digest,
        text=page.text,
        host=hostname_of(page.url),
        size=visit.size,
        outlinks=len(page.links),
        model_label=_SAID[model],
    )
