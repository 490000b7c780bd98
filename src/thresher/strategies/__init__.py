"""The strategies: each one short file, the mind of a crawl."""

from thresher.core.optional import Registry
from thresher.strategies.base import BaseStrategy

ALL_STRATEGIES: Registry[type[BaseStrategy]] = Registry(
    {
        "breadth_first": "thresher.strategies.breadth_first:BreadthFirst",
        "best_first": "thresher.strategies.best_first:BestFirst",
        "fish_search": "thresher.strategies.fish_search:FishSearch",
        "shark_search": "thresher.strategies.shark_search:SharkSearch",
        "shark_simple": "thresher.strategies.shark_simple:SharkSimple",
        "jamali": "thresher.strategies.jamali.strategy:Jamali",
        "ratna": "thresher.strategies.ratna.strategy:Ratna",
        "fcmrps": "thresher.strategies.fcmrps:Fcmrps",
        "mali": "thresher.strategies.mali.strategy:Mali",
        "ctfc": "thresher.strategies.ctfc.strategy:Ctfc",
        "thresher": "thresher.strategies.learned.strategy:Thresher",
    }
)

__all__ = ["ALL_STRATEGIES", "BaseStrategy"]
