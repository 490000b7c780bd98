"""An export format of one's own: the relevant pages of a crawl as a list in Markdown.

python own_format.py FOLDER > pages.md
"""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from thresher.export.items import Item, items_of
from thresher.store.folder import CrawlFolder


def write(items: Iterable[Item], file: BinaryIO) -> int:
    """Write one line for each item, and return how many there were."""
    count = 0
    for item in items:
        file.write(f"* [{item.title or item.url}]({item.url}) {item.relevance:.2f}\n".encode())
        count += 1
    return count


if __name__ == "__main__":
    write(items_of(CrawlFolder(Path(sys.argv[1])), only_relevant=True), sys.stdout.buffer)
