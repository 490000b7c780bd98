"""Scrapy: every link in breadth-first order, as its FAQ has it, or those whose words promise more first.

scrapy_spider.py TASK...             DEPTH_PRIORITY and FIFO queues
SPIDER=keywords scrapy_spider.py     a priority for each keyword in anchor text and URL, as tutorials do
SPIDER=focused scrapy_spider.py      the scheduler of Thresher, which must be installed beside Scrapy
"""

import os

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from task import read_task

TASK = read_task()
os.environ["http_proxy"] = TASK.proxy  # as Scrapy's HttpProxyMiddleware takes it, for robots.txt too
SPIDER = os.environ.get("SPIDER", "")
BREADTH_FIRST = {
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}
FOCUSED = {
    "SCHEDULER": "thresher.scrapy.FocusedScheduler",
    "THRESHER_TOPIC": TASK.name,
    "THRESHER_KEYWORDS": TASK.words,
}
SETTINGS = {"": BREADTH_FIRST, "keywords": {}, "focused": FOCUSED}


class Spider(scrapy.Spider):
    """Follows every link of every page."""

    name = "peer"
    start_urls = TASK.seeds

    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        for link in LinkExtractor().extract_links(response):
            said = f"{link.text} {link.url}".lower()
            promise = sum(word in said for word in TASK.keywords) if SPIDER == "keywords" else 0
            yield response.follow(link, self.parse, priority=10 * promise)

    async def start(self):
        for url in self.start_urls:
            yield scrapy.Request(url, self.parse, dont_filter=True)


process = CrawlerProcess(
    {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": TASK.delay,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        **SETTINGS[SPIDER],
    }
)
process.crawl(Spider)
process.start()
