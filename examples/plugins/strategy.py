"""thresher crawl beekeeping --strategy strategy:WordsFirst --set words_count=0.7 --pages 200"""

from collections.abc import Iterable
from dataclasses import dataclass

from thresher import Candidate, CrawlView, Strategy, Visit, follow, links_of


@dataclass
class WordsFirst(Strategy):
    """Follows the links first whose own words fit the topic."""

    words_count: float = 0.5  # against the relevance of the page

    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        for link in links_of(visit):
            words = self.judge.similarity(f"{link.anchor} {link.context}")
            priority = self.words_count * words + (1 - self.words_count) * visit.relevance
            yield follow(visit, link, priority)
