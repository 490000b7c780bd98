"""Settings become objects, objects become a crawl: the only room that knows every other."""

from thresher.assemble.running import Result, crawl, run

__all__ = ["Result", "crawl", "run"]
