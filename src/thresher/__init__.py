"""Thresher, a focused crawler: `from thresher import crawl` is the whole library in one verb."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.assemble import crawl

__version__ = "0.1.0"
__all__ = ["__version__", "crawl"]


def __getattr__(name: str) -> Any:
    """Bring `crawl` in when it is first asked for, so that `thresher.core.url` loads alone."""
    if name != "crawl":
        raise AttributeError(f"module 'thresher' has no attribute {name!r}")
    from thresher.assemble import crawl

    return crawl
