"""The practice web: thousands of pages on forty hosts, made from a seed, with known labels."""

from thresher_practice.server import PracticeServer, serve
from thresher_practice.web import PracticeWeb

__all__ = ["PracticeServer", "PracticeWeb", "serve"]
