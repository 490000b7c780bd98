"""The strategies: each one short file."""

from thresher.core.optional import Registry
from thresher.core.strategy import Strategy

ALL_STRATEGIES: Registry[type[Strategy]] = Registry(
    {
        "breadth_first": "thresher.strategies.classic:BreadthFirst",
        "best_first": "thresher.strategies.classic:BestFirst",
        "fish_search": "thresher.strategies.classic:FishSearch",
        "shark_search": "thresher.strategies.classic:SharkSearch",
        "shark_simple": "thresher.strategies.classic:SharkSimple",
        "jamali": "thresher.strategies.jamali:Jamali",
        "ratna": "thresher.strategies.ratna:Ratna",
        "fcmrps": "thresher.strategies.fcmrps:Fcmrps",
        "mali": "thresher.strategies.mali:Mali",
        "ctfc": "thresher.strategies.ctfc:Ctfc",
        "thresher": "thresher.strategies.learned.strategy:Thresher",
    }
)
