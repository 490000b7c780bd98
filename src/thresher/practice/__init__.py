"""The practice web: thousands of pages on forty hosts, made from a seed, with known labels."""

from thresher.practice.server import PracticeServer, serve
from thresher.practice.web import PracticeWeb

__all__ = ["PracticeServer", "PracticeWeb", "serve"]
