"""Thresher, a focused crawler: `from thresher import crawl` is the beginning of it.

What `__all__` names is the library: typed, documented in docs/reference/python.md, and kept as it is.
Everything else may change with any version.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.api.handle import CrawlHandle, PageFilters, Report, open_crawl
    from thresher.api.labels import LabelResult
    from thresher.api.list_sample import ListSample
    from thresher.api.verbs import acrawl, aresume, arevisit, crawl, resume, revisit
    from thresher.build.crawl import CrawlResult
    from thresher.build.rejudge import Rejudged
    from thresher.build.revisit import RevisitResult
    from thresher.core.errors import ThresherError
    from thresher.core.interfaces import CrawlView, Judge, LabelSource, Web
    from thresher.core.progress import FinishKind, Progress
    from thresher.core.records import Candidate, Fetched, Link, Page, Reason, Topic, Url, Visit
    from thresher.core.strategy import Defaults, Insights, Needs, Strategy, StrategyState
    from thresher.export.items import ExportFormat, FileFormat, FolderFormat, Item, Pages, StreamFormat
    from thresher.parse.document import Document, DocumentReader
    from thresher.report.changes import ChangeItem
    from thresher.report.why import Explanation
    from thresher.search.find import SearchResult
    from thresher.search.reader import Hit
    from thresher.strategies.base import follow, links_of

__version__ = "0.1.0"

_PLACES = {
    "api.handle": ("CrawlHandle", "PageFilters", "open_crawl", "Report"),
    "api.labels": ("LabelResult",),
    "api.list_sample": ("ListSample",),
    "api.verbs": ("acrawl", "aresume", "arevisit", "crawl", "resume", "revisit"),
    "build.crawl": ("CrawlResult",),
    "build.rejudge": ("Rejudged",),
    "build.revisit": ("RevisitResult",),
    "core.errors": ("ThresherError",),
    "core.interfaces": ("Judge", "LabelSource", "CrawlView", "Web"),
    "core.progress": ("FinishKind", "Progress"),
    "core.records": ("Candidate", "Fetched", "Link", "Page", "Reason", "Topic", "Url", "Visit"),
    "core.strategy": ("Defaults", "Insights", "Needs", "Strategy", "StrategyState"),
    "export.items": ("ExportFormat", "FileFormat", "FolderFormat", "Item", "Pages", "StreamFormat"),
    "parse.document": ("Document", "DocumentReader"),
    "report.changes": ("ChangeItem",),
    "report.why": ("Explanation",),
    "search.find": ("SearchResult",),
    "search.reader": ("Hit",),
    "strategies.base": ("follow", "links_of"),
}
_HOMES = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Candidate",
    "ChangeItem",
    "CrawlHandle",
    "CrawlResult",
    "CrawlView",
    "Defaults",
    "Document",
    "DocumentReader",
    "Explanation",
    "ExportFormat",
    "Fetched",
    "FileFormat",
    "FinishKind",
    "FolderFormat",
    "Hit",
    "Insights",
    "Item",
    "Judge",
    "LabelResult",
    "LabelSource",
    "Link",
    "ListSample",
    "Needs",
    "Page",
    "PageFilters",
    "Pages",
    "Progress",
    "Reason",
    "Rejudged",
    "Report",
    "RevisitResult",
    "SearchResult",
    "Strategy",
    "StrategyState",
    "StreamFormat",
    "ThresherError",
    "Topic",
    "Url",
    "Visit",
    "Web",
    "__version__",
    "acrawl",
    "aresume",
    "arevisit",
    "crawl",
    "follow",
    "links_of",
    "open_crawl",
    "resume",
    "revisit",
]


def __getattr__(name: str) -> Any:
    """Bring a name in when it is first asked for, so that `thresher.core.url` loads alone."""
    if name not in _HOMES:
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")
    return getattr(import_module(f"thresher.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
