"""Settings become objects, objects become a crawl: the only room that knows every other."""

from thresher.build.crawl import Result, run

__all__ = ["Result", "run"]
