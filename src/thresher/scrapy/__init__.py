"""Thresher inside Scrapy: set `SCHEDULER = "thresher.scrapy.FocusedScheduler"` and `THRESHER_TOPIC`."""

from thresher.scrapy.scheduler import FocusedScheduler

__all__ = ["FocusedScheduler"]
