"""Settings become objects, objects become a crawl: the only package that knows every other."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.build.crawl import CrawlResult, run

__all__ = ["CrawlResult", "run"]


def __getattr__(name: str) -> Any:
    """Bring the crawl in when it is first asked for: a process that only reads pages needs none of it."""
    if name in __all__:
        return getattr(import_module("thresher.build.crawl"), name)
    raise AttributeError(f"module 'thresher.build' has no attribute {name!r}")
