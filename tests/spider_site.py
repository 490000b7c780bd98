"""A made site on loopback about bees and trains, and a spider that walks it; run as a program."""

import json
import random
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

PAGES, EVERY = 300, 6  # of the pages every sixth is about bees
BEES = (
    "beekeeping hive honey bees colony queen nectar beeswax apiary swarm smoker frames brood pollen".split()
)
TRAINS = (
    "railway platform timetable ticket station carriage signal freight tunnel express depot track".split()
)


def page(number: int) -> str:
    """Return a page: bees link to bees half of the time, and say so."""
    chance, words = random.Random(number), BEES if number % EVERY == 0 else TRAINS
    text = " ".join(
        chance.choice([*words, chance.choice(TRAINS), f"word{chance.randrange(5000)}"]) for _ in range(250)
    )
    targets = [
        EVERY * chance.randrange(PAGES // EVERY)
        if number % EVERY == 0 and chance.random() < 0.5
        else chance.randrange(PAGES)
        for _ in range(8)
    ]
    links = "".join(f'<li><a href="/p{to}">{_anchor(to)}</a></li>' for to in targets)
    return f"<html><title>{words[0]} {number}</title><h1>{words[0]}</h1><p>{text}</p><ul>{links}</ul></html>"


def _anchor(number: int) -> str:
    words = BEES if number % EVERY == 0 else TRAINS
    return f"{words[number % 7]} and {words[number % 5 + 7]} {number}"


class Site(BaseHTTPRequestHandler):
    """Answers for the pages; /moved leads to a page about bees, /form takes a POST."""

    protocol_version = "HTTP/1.1"
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Answer a question for a page."""
        self.asked.append(self.path)
        number = self.path.removeprefix("/p")
        if self.path == "/moved":
            self._answer(302, "", Location="/p6")
        elif number.isdigit() and int(number) < PAGES:
            self._answer(200, page(int(number)))
        else:
            self._answer(404, "nothing")

    def do_POST(self) -> None:
        """Answer a form."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append(f"POST {self.path}")
        self._answer(200, "<html>thanks</html>")

    def log_message(self, *told: object) -> None:
        """Say nothing."""

    def _answer(self, status: int, text: str, **headers: str) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class _Server(ThreadingHTTPServer):
    def handle_error(self, *told: object) -> None:
        """Say nothing of spiders that were killed."""


class Walker(scrapy.Spider):
    """Follows every link; sends one form."""

    name = "walker"
    base = ""

    async def start(self) -> Any:
        """Start from a page about trains, one that has moved, and a form."""
        yield scrapy.Request(f"{self.base}/p1", self.parse)
        yield scrapy.Request(f"{self.base}/moved", self.parse)
        yield scrapy.FormRequest(f"{self.base}/form", formdata={"a": "b"}, callback=self.thanked)

    def parse(self, response: Any) -> Iterator[Any]:
        """Yield what was said of the page, and its links."""
        yield {"url": response.url, "thresher": response.meta.get("thresher")}
        for link in LinkExtractor().extract_links(response):
            yield response.follow(link, self.parse)

    def thanked(self, response: Any) -> Iterator[Any]:
        """Yield that the form was answered."""
        yield {"url": response.url, "form": True}


def serve() -> str:
    """Serve the site until the process ends, and return where."""
    server = _Server(("127.0.0.1", 0), Site)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def main(settings: dict[str, Any]) -> None:
    """Crawl the site by the settings given, and print what was asked and scraped."""
    Walker.base = settings.pop("BASE", "") or serve()
    items: list[Any] = []
    process = CrawlerProcess({"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, **settings})
    crawler = process.create_crawler(Walker)
    crawler.signals.connect(lambda item: items.append(dict(item)), scrapy.signals.item_scraped, weak=False)
    process.crawl(crawler)
    process.start()
    stats = {
        name: value
        for name, value in crawler.stats.get_stats().items()
        if isinstance(value, int | float | str)
    }
    print(json.dumps({"asked": Site.asked, "items": items, "stats": stats}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
