"""From the bytes of a response to a page."""

from thresher.parse.document import parse

__all__ = ["parse"]
