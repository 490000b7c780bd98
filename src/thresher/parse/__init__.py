"""From the bytes of a response to a page."""

from thresher.parse.page import parse

__all__ = ["parse"]
