"""The report of a crawl as an object: figures for a program, curves and a page for a person."""

from dataclasses import dataclass
from pathlib import Path

from thresher.core.files import whole_file
from thresher.report.crawl_report import lede_of, page_of, picture_of
from thresher.report.figures import Figures, figures_of
from thresher.store.folder import CrawlFolder


@dataclass(frozen=True)
class Report:
    """What a crawl found; a notebook shows its curves."""

    figures: Figures

    @classmethod
    def of(cls, folder: CrawlFolder) -> "Report":
        """Return the report of the crawl in a folder."""
        return cls(figures_of(folder))

    @property
    def html(self) -> str:
        """The whole report, a page that needs nothing else."""
        return page_of([self.figures])

    @property
    def svg(self) -> str:
        """The curves: relevant pages and harvest rate against pages fetched."""
        return picture_of([self.figures])

    def save(self, file: str | Path) -> Path:
        """Write the page to a file, which appears only when it is complete."""
        with whole_file(Path(file)) as page:
            page.write(self.html.encode())
        return Path(file)

    def __str__(self) -> str:
        return lede_of([self.figures])

    def _repr_svg_(self) -> str:
        return self.svg
