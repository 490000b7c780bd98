"""Ratna as it fits the independent implementation: the cosine as score, 50 characters round a link."""

from dataclasses import dataclass

from thresher.core.records import Page
from thresher.strategies.ratna.strategy import Ratna


@dataclass
class AsTheReference(Ratna):
    """The link score of Ratna et al. from other ingredients."""

    def score(self, page: Page) -> float:
        """Return the cosine of the page with the topic instead of eq. (4)."""
        return self.judge.score(page)

    def _said(self, page: Page) -> list[float]:
        return [self.relevancy(link.anchor) + self.relevancy(link.context) for link in page.links]
