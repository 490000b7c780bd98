"""The crawl itself: the loop, the visit, the workers and the clocks."""
