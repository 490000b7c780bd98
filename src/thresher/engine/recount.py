"""Counts that follow what the user says of pages while the crawl goes on."""

from dataclasses import dataclass

from thresher.core.progress import Progress
from thresher.core.records import Visit
from thresher.core.strategy import LabelFeed
from thresher.store.database import Database


@dataclass
class Recount:
    """Counts the relevant pages anew when the user has said something of one."""

    store: Database
    labels: LabelFeed

    def __call__(self, visit: Visit, progress: Progress) -> None:
        """Look for labels after a visit."""
        if self.labels.news():
            progress.relevant = self.store.tally(progress.threshold).relevant

    def __str__(self) -> str:
        return "recount by labels"
