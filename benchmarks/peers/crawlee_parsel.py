"""Crawlee: its Parsel crawler, which follows every link in the order of its queue."""

import asyncio

from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.http_clients import ImpitHttpClient
from task import Task, read_task


async def main(task: Task) -> None:
    """Crawl from all seeds, to any host."""
    crawler = ParselCrawler(
        http_client=ImpitHttpClient(proxy=task.proxy),  # for robots.txt too
        respect_robots_txt_file=True,
        max_requests_per_crawl=20 * task.pages,  # it counts what is not there as well
        max_request_retries=1,
    )

    @crawler.router.default_handler
    async def handle(context: ParselCrawlingContext) -> None:
        await context.enqueue_links(strategy="all")

    await crawler.run(task.seeds)


asyncio.run(main(read_task()))
