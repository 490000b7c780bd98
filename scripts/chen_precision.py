"""Prints eq. (10) of Chen et al. 2009: the share of pages whose R'_PC exceeds a threshold, mean over topics.

python scripts/chen_precision.py CORPUS:topic,topic ...     such as dev-webkb:webkb-courses
"""

import sys
from pathlib import Path

from thresher_lab.corpus import Corpus
from thresher_lab.replay import play
from thresher_lab.setup import PAPERS_JUDGE, ReplayPlan, stage

CRAWLERS = ("breadth_first", "best_first", "shark_simple", "fcmrps")
THRESHOLDS = (0.05, 0.1)


def shares(corpus: Corpus, topic: str, crawler: str) -> list[float]:
    """Return the share of relevant pages of one run: by people's labels, and by each threshold."""
    with stage(corpus) as place:
        plan = ReplayPlan(topic, crawler, 2 * len(corpus.relevant(topic)), judge=PAPERS_JUDGE)
        pages = [step for step in play(place, plan).steps if step.cost]
    labelled = sum(step.relevant for step in pages)
    worded = [sum(step.information > threshold for step in pages) for threshold in THRESHOLDS]
    return [count / len(pages) for count in (labelled, *worded)]


def main() -> None:
    """Print a row for each crawler: by labels, then by eq. (10) with each threshold."""
    asked = [
        (Corpus(Path(place)), topics.split(","))
        for place, _, topics in (each.partition(":") for each in sys.argv[1:])
    ]
    for crawler in CRAWLERS:
        runs = [shares(corpus, topic, crawler) for corpus, topics in asked for topic in topics]
        means = [sum(column) / len(runs) for column in zip(*runs, strict=True)]
        print(f"| {crawler} | {' | '.join(f'{mean:.3f}' for mean in means)} |", flush=True)


if __name__ == "__main__":
    main()
