"""thresher export beekeeping --relevant -f export_format:MarkdownList -o pages.md"""

from typing import BinaryIO

from thresher import Pages, StreamFormat


class MarkdownList(StreamFormat):
    """Pages as a list in Markdown, a line each."""

    name = "list"
    suffixes = (".md",)

    def write(self, pages: Pages, file: BinaryIO) -> int:
        lines = [f"* [{item.title}]({item.url}) {item.relevance:.2f}\n" for item in pages.items()]
        file.write("".join(lines).encode())
        return len(lines)
