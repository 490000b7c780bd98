"""Crawl4AI: its best-first deep crawl with its keyword scorer, over HTTP or (FETCH=browser) in Chromium."""

import asyncio
import os
import subprocess
import time
from pathlib import Path

from crawl4ai import AsyncWebCrawler, BrowserConfig, CrawlerRunConfig, HTTPCrawlerConfig, ProxyConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.content_scraping_strategy import LXMLWebScrapingStrategy
from crawl4ai.deep_crawling import BestFirstCrawlingStrategy
from crawl4ai.deep_crawling.filters import FilterChain, URLFilter
from crawl4ai.deep_crawling.scorers import KeywordRelevanceScorer
from task import Task, everything_to, read_task

DEEP = 20  # links from the seed at most: no limit that would end a run
QUIET = ("--disable-background-networking", "--disable-component-update", "--no-first-run")


class NotYet(URLFilter):
    """Leaves out what the crawls from the seeds before have fetched."""

    __slots__ = ("seen",)

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def apply(self, url: str) -> bool:
        """Tell whether a URL is new."""
        return url not in self.seen


def crawler_of(task: Task) -> AsyncWebCrawler:
    """Return the crawler that fetches over HTTP, or in the Chromium of this machine."""
    if os.environ.get("FETCH") != "browser":
        return AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy(HTTPCrawlerConfig()))
    return AsyncWebCrawler(
        config=BrowserConfig(browser_mode="custom", cdp_url=browser_of(task), verbose=False)
    )


def browser_of(task: Task) -> str:
    """Start Debian's Chromium, which Playwright does not bring along, and return where it listens."""
    folder = Path(task.folder) / "chromium"
    command = ["chromium", "--headless=new", "--no-sandbox", "--remote-debugging-port=0", *QUIET]
    subprocess.Popen([*command, f"--user-data-dir={folder}", f"--proxy-server={task.proxy}", "about:blank"])
    port = folder / "DevToolsActivePort"
    while not port.exists() or not port.read_text():
        time.sleep(0.1)
    return f"http://127.0.0.1:{port.read_text().splitlines()[0]}"


async def main(task: Task) -> None:
    """Crawl from one seed after the other: a deep crawl has one start."""
    fresh = NotYet()
    async with crawler_of(task) as crawler:
        for seed in task.seeds:
            strategy = BestFirstCrawlingStrategy(
                max_depth=DEEP,
                include_external=True,
                filter_chain=FilterChain([fresh]),
                url_scorer=KeywordRelevanceScorer(keywords=task.keywords, weight=0.7),
                max_pages=task.share,
            )
            config = CrawlerRunConfig(
                deep_crawl_strategy=strategy,
                scraping_strategy=LXMLWebScrapingStrategy(),
                check_robots_txt=True,
                proxy_config=None if os.environ.get("FETCH") == "browser" else ProxyConfig(server=task.proxy),
                stream=True,
                verbose=False,
            )
            async for result in await crawler.arun(seed, config=config):
                fresh.seen.add(result.url)


if __name__ == "__main__":
    told = read_task()
    everything_to(told.proxy)  # it asks for robots.txt without its proxy
    asyncio.run(main(told))
