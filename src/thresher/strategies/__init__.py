"""The strategies: each one short file, the mind of a crawl."""

from thresher.strategies.base import BaseStrategy
from thresher.strategies.best_first import BestFirst
from thresher.strategies.breadth_first import BreadthFirst

ALL_STRATEGIES: dict[str, type[BaseStrategy]] = {
    "breadth_first": BreadthFirst,
    "best_first": BestFirst,
}

__all__ = ["ALL_STRATEGIES", "BaseStrategy"]
