"""A strategy of one's own: a link is worth what its words promise, and a little of what its page is.

    thresher crawl beekeeping --strategy own_strategy:WordsFirst --set words_count=0.7 --pages 200

Run it from this folder, so that Python finds the module.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from thresher import Candidate, Memory, Strategy, Visit, follow, links_of


@dataclass
class WordsFirst(Strategy):
    """Follow the links whose own words fit the topic first."""

    words_count: float = 0.5  # how much the words of a link count against the relevance of its page

    def on_visit(self, visit: Visit, memory: Memory) -> Iterable[Candidate]:
        """Price every link by its words and its page."""
        for link in links_of(visit):
            words = self.judge.similarity(f"{link.anchor} {link.context}")
            yield follow(
                visit, link, priority=self.words_count * words + (1 - self.words_count) * visit.guidance
            )
