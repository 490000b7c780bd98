"""An export format of one's own: the relevant pages of a crawl as a list in Markdown.

python own_format.py FOLDER > pages.md
"""

import sys
from pathlib import Path
from typing import BinaryIO

from thresher.export.format import Pages, StreamFormat, pages_of
from thresher.export.select import Selection
from thresher.store.folder import CrawlFolder


class MarkdownList(StreamFormat):
    """One line a page."""

    name = "list"
    suffixes = (".md",)

    def write(self, pages: Pages, file: BinaryIO) -> int:
        """Write one line for each page, and return how many there were."""
        count = 0
        for item in pages.items():
            file.write(f"* [{item.title or item.url}]({item.url}) {item.relevance:.2f}\n".encode())
            count += 1
        return count


if __name__ == "__main__":
    with pages_of(CrawlFolder(Path(sys.argv[1])), Selection(relevant=True)) as pages:
        MarkdownList().write(pages, sys.stdout.buffer)
