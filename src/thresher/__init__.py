"""Thresher, a focused crawler: `from thresher import crawl, freshen` is the whole library in two verbs."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.build import crawl
    from thresher.build.revisit import freshen

__version__ = "0.1.0"
__all__ = ["__version__", "crawl", "freshen"]


def __getattr__(name: str) -> Any:
    """Bring a verb in when it is first asked for, so that `thresher.core.url` loads alone."""
    if name == "crawl":
        from thresher.build import crawl

        return crawl
    if name == "freshen":
        from thresher.build.revisit import freshen

        return freshen
    raise AttributeError(f"module 'thresher' has no attribute {name!r}")
