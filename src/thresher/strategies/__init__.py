"""The strategies: each one short file, the mind of a crawl."""

from thresher.strategies.base import BaseStrategy
from thresher.strategies.best_first import BestFirst
from thresher.strategies.breadth_first import BreadthFirst
from thresher.strategies.ctfc.strategy import Ctfc
from thresher.strategies.fcmrps import Fcmrps
from thresher.strategies.fish_search import FishSearch
from thresher.strategies.jamali.strategy import Jamali
from thresher.strategies.learned.strategy import Thresher
from thresher.strategies.mali.strategy import Mali
from thresher.strategies.ratna.strategy import Ratna
from thresher.strategies.shark_search import SharkSearch
from thresher.strategies.shark_simple import SharkSimple

ALL_STRATEGIES: dict[str, type[BaseStrategy]] = {
    "breadth_first": BreadthFirst,
    "best_first": BestFirst,
    "fish_search": FishSearch,
    "shark_search": SharkSearch,
    "shark_simple": SharkSimple,
    "jamali": Jamali,
    "ratna": Ratna,
    "fcmrps": Fcmrps,
    "mali": Mali,
    "ctfc": Ctfc,
    "thresher": Thresher,
}

__all__ = ["ALL_STRATEGIES", "BaseStrategy"]
