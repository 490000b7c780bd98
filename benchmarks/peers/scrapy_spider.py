"""Scrapy: every link in breadth-first order, as its FAQ has it, or those whose words promise more first.

scrapy_spider.py TASK...             DEPTH_PRIORITY and FIFO queues
SPIDER=keywords scrapy_spider.py     a priority for each keyword in anchor text and URL, as tutorials do
"""

import os

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from task import read_task

TASK = read_task()
os.environ["http_proxy"] = TASK.proxy  # as Scrapy's HttpProxyMiddleware takes it, for robots.txt too
BY_KEYWORDS = os.environ.get("SPIDER") == "keywords"
BREADTH_FIRST = {
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


class Spider(scrapy.Spider):
    """Follows every link of every page."""

    name = "peer"
    start_urls = TASK.seeds

    def parse(self, response):
        if not isinstance(response, scrapy.http.HtmlResponse):
            return
        for link in LinkExtractor().extract_links(response):
            said = f"{link.text} {link.url}".lower()
            promise = sum(word in said for word in TASK.keywords) if BY_KEYWORDS else 0
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
        **({} if BY_KEYWORDS else BREADTH_FIRST),
    }
)
process.crawl(Spider)
process.start()
