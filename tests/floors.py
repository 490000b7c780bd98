"""The quality floor: how well every strategy does on a recorded practice web, and how to pin it anew.

python -m tests.floors                  write floors for strategies that have none, raise the others
python -m tests.floors --allow-lower    lower them too; say in docs/adr/README.md why that is right
"""

import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from unittest.mock import patch

from msgspec.structs import replace

from tests.contracts.forms import FORMS
from thresher.build.plugins import make_strategy
from thresher.core.interfaces import CrawlView, Judge
from thresher.core.records import Candidate, Topic, Url, Visit
from thresher.core.strategy import Strategy
from thresher.settings.components import StrategySettings
from thresher_lab import replay
from thresher_lab.contenders.named import contender_of
from thresher_lab.corpus import Corpus
from thresher_lab.measures import area, positions
from thresher_lab.record import record_practice
from thresher_lab.setup import ReplayPlan, ReplayStage, stage

FLOORS = Path(__file__).with_name("floors.json")
TOPICS = ("beekeeping", "sailing")
PAGES = 300
SHARE = 0.93  # of what was measured: a change of less is no ruin
MISLED = frozenset({"jamali", "mali"})  # ruined by another topic: what it lets in decides, not the order


def recorded(folder: Path) -> Corpus:
    """Record the practice web that the floors are measured on."""
    return record_practice(folder / "practice", seed=1, topics=TOPICS)


def mean_area(corpus: Corpus, cache: Path, strategy: str, *, ruined: bool = False) -> float:
    """Return the mean area of a strategy over the topics, as it is or with its priorities turned round."""
    with stage(corpus, cache=cache) as place:
        named = contender_of(strategy)
        plan = ReplayPlan("", named.strategy, PAGES, model="rich", parameters=named.parameters)
        areas = [_area(place, replace(plan, topic=topic), ruined) for topic in TOPICS]
    return sum(areas) / len(areas)


def floors() -> dict[str, float]:
    """Return the floor of each strategy."""
    pinned: dict[str, float] = json.loads(FLOORS.read_text())
    return pinned


@dataclass
class Ruined(Strategy):
    """The strategy behind it with every priority negated; among equals the last comes first.

    Where a rank decides whose links are fetched at all, as in Jamali's, that is negated.
    """

    inner: Strategy
    arrivals: "count[int]"

    def __post_init__(self) -> None:
        if rank := getattr(self.inner, "rank", None):
            setattr(self.inner, "rank", lambda page: -rank(page))  # noqa: B010

    def start(self, seeds: Sequence[Url]) -> Iterable[Candidate]:
        return self.inner.start(seeds)

    def on_visit(self, visit: Visit, memory: CrawlView) -> Iterable[Candidate]:
        return [self._turned(offer) for offer in self.inner.on_visit(visit, memory)]

    def on_empty(self, memory: CrawlView) -> Iterable[Candidate]:
        return [self._turned(offer) for offer in self.inner.on_empty(memory)]

    def _turned(self, offer: Candidate) -> Candidate:
        return replace(offer, priority=-offer.priority + 1e-9 * next(self.arrivals))


def _area(place: ReplayStage, plan: ReplayPlan, ruined: bool) -> float:
    def ruin(settings: StrategySettings, judge: Judge, topic: Topic) -> Ruined:
        if plan.strategy in MISLED:
            other = replace(plan, topic=next(name for name in TOPICS if name != plan.topic))
            judge, topic = place.judge(other), place.topic(other)
        return Ruined(make_strategy(settings, judge, topic), count(), judge=judge, topic=topic)

    with patch.object(replay, "make_strategy", ruin if ruined else make_strategy):
        played = replay.play(place, plan)
    hits = positions(step for step in played.steps if step.cost)
    return area(hits, len(place.relevant(plan.topic)), PAGES)


def main() -> None:
    pinned = floors() if FLOORS.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        corpus, cache = recorded(Path(folder)), Path(folder) / "cache"
        for name in FORMS:
            found = round(SHARE * mean_area(corpus, cache, name), 4)
            if "--allow-lower" in sys.argv or found > pinned.get(name, 0.0):
                pinned[name] = found
            print(f"{name}: floor {pinned[name]}, now {found / SHARE:.4f}, "
                  f"ruined {mean_area(corpus, cache, name, ruined=True):.4f}")  # fmt: skip
    FLOORS.write_text(json.dumps(dict(sorted(pinned.items())), indent=2) + "\n")


if __name__ == "__main__":
    main()
