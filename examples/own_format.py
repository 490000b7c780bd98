"""An export format of one's own: pages as a list in Markdown.

    thresher export beekeeping --relevant -f own_format:MarkdownList -o pages.md

Run it from this folder, so that Python finds the module.
"""

from typing import BinaryIO

from thresher import Pages, StreamFormat


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
