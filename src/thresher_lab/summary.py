"""What the runs of an experiment say together: means, paired differences, what was left out and why."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import fsum

from msgspec import Struct

from thresher_lab.replay import ORACLES
from thresher_lab.results import RunResult
from thresher_lab.statistics import Interval, cluster_bootstrap, holm, wilcoxon

FEWEST_RELEVANT = 30
SATURATED = 0.9  # of the label oracle's area, reached by breadth-first: such a topic tells nothing apart


class Dropped(Struct, frozen=True):
    """A topic that cannot tell strategies apart, in one mode and with one seed set."""

    corpus: str
    mode: str
    topic: str
    seeds: str
    reason: str


class Row(Struct, frozen=True):
    """The means of one strategy over the topics of a block; `worst` is that of the worst seed sets."""

    strategy: str
    area: Interval
    area_by_requests: float
    area_by_time: float  # 0 where nothing was played politely
    seconds_a_page: float
    recall: float
    recall_of_reachable: float
    harvest: float
    mean_cumulative_harvest: float
    r_precision: float
    sum_of_information: float
    urls_with_topic: float
    urls_with_context: float
    per_request: float
    per_megabyte: float
    relevant_hosts: float
    worst: float
    asks: bool  # for back-links: compare it by requests


class CorpusBlock(Struct, frozen=True):
    """One corpus in one mode, or all of them together."""

    name: str
    topics: int
    rows: tuple[Row, ...]


class Comparison(Struct, frozen=True):
    """One strategy against another, topic by topic."""

    strategy: str
    against: str
    difference: Interval
    wins: int
    losses: int
    topics: int
    p: float
    p_holm: float  # in the family of all that are compared with `against`


class PolitenessCost(Struct, frozen=True):
    """What politeness costs one strategy in one block: its areas without and with it, by pages."""

    strategy: str
    block: str
    impolite: float
    polite: float
    lowest: float  # share that is kept on the worst topic
    seconds_a_page: float

    @property
    def share(self) -> float:
        """What is kept of the area."""
        return self.polite / self.impolite if self.impolite else 0.0


class Summary(Struct, frozen=True):
    """Everything a paper would print."""

    blocks: tuple[CorpusBlock, ...]
    comparisons: tuple[Comparison, ...]
    dropped: tuple[Dropped, ...]
    kept: tuple[PolitenessCost, ...] = ()  # where everything was played politely as well


def summarise(results: Sequence[RunResult], keep_all: bool = False) -> Summary:
    """Return what the results say together, without the topics that cannot tell strategies apart.

    Where runs were played politely as well, the figures are those of the polite ones.
    """
    dropped = () if keep_all else tuple(unfit(results))
    out = {(each.corpus, each.mode, each.topic, each.seeds) for each in dropped}
    fit = [each for each in results if each.task not in out]
    kept = [each for each in fit if each.luck] or fit
    names = {(each.corpus, each.mode): f"{each.corpus} {each.mode}" for each in kept}
    blocks = [
        _block(name, [each for each in kept if (each.corpus, each.mode) == place])
        for place, name in names.items()
    ]
    if len(blocks) > 1:
        blocks.append(_block("all", kept))
    return Summary(tuple(blocks), tuple(_compare_all(kept)), dropped, tuple(_kept_by(fit)))


def unfit(results: Sequence[RunResult]) -> list[Dropped]:
    """Return the topics with few relevant pages, and those that breadth-first solves as well as an oracle."""
    areas = {each.run: each.measures.by_pages.area for each in results}
    found = []
    for each in results:
        place = each.place
        if each.strategy != "breadth_first" or each.luck:
            continue
        share = areas[each.run] / (areas[*place, "label_oracle"] or 1.0)
        if each.measures.wanted < FEWEST_RELEVANT:
            found.append(Dropped(*place, f"{each.measures.wanted} relevant pages"))
        elif share > SATURATED:
            found.append(Dropped(*place, f"breadth-first has {share:.2f} of the label oracle's area"))
    return found


def _kept_by(results: Sequence[RunResult]) -> Iterable[PolitenessCost]:
    """Yield what politeness costs each strategy on each corpus, and on all of them together."""
    polite, impolite = ([each for each in results if bool(each.luck) is asked] for asked in (True, False))
    places = [*dict.fromkeys((each.corpus, each.mode) for each in polite), None]
    for strategy in dict.fromkeys(each.strategy for each in polite):
        for place in places:
            here, there = (
                [each for each in some if each.strategy == strategy and place in (None, each.task[:2])]
                for some in (polite, impolite)
            )
            yield _kept(strategy, " ".join(place) if place else "all", here, there)


def _kept(
    strategy: str, block: str, polite: Sequence[RunResult], impolite: Sequence[RunResult]
) -> PolitenessCost:
    after, before = (
        {topic: _mean(_averaged(cluster)) for topic, cluster in _by_topic(some).items()}
        for some in (polite, impolite)
    )
    shares = [after[topic] / area for topic, area in before.items() if area and topic in after]
    pace = _mean(each.measures.seconds / max(1, each.measures.pages) for each in polite)
    return PolitenessCost(
        strategy, block, _mean(before.values()), _mean(after.values()), min(shares, default=0.0), pace
    )


def _block(name: str, results: Sequence[RunResult]) -> CorpusBlock:
    strategies = dict.fromkeys(each.strategy for each in results)
    rows = [
        _row(strategy, [each for each in results if each.strategy == strategy]) for strategy in strategies
    ]
    return CorpusBlock(name, len({(each.corpus, each.topic) for each in results}), tuple(rows))


def _row(strategy: str, results: Sequence[RunResult]) -> Row:
    measures = [each.measures for each in results]
    clusters = list(_by_topic(results).values())
    return Row(
        strategy=strategy,
        area=cluster_bootstrap([_averaged(cluster) for cluster in clusters]),
        area_by_requests=_mean(each.by_requests.area for each in measures),
        area_by_time=_mean(each.by_time.area if each.by_time else 0.0 for each in measures),
        seconds_a_page=_mean(each.seconds / max(1, each.pages) for each in measures),
        recall=_mean(each.recall for each in measures),
        recall_of_reachable=_mean(each.recall_of_reachable for each in measures),
        harvest=_mean(each.harvest.rate for each in measures),
        mean_cumulative_harvest=_mean(each.harvest.mean_cumulative for each in measures),
        r_precision=_mean(each.harvest.r_precision for each in measures),
        sum_of_information=_mean(each.sum_of_information for each in measures),
        urls_with_topic=_mean(each.urls_with_topic for each in measures),
        urls_with_context=_mean(each.urls_with_context for each in measures),
        per_request=_mean(each.per_request for each in measures),
        per_megabyte=_mean(each.per_megabyte for each in measures),
        relevant_hosts=_mean(each.relevant_hosts for each in measures),
        worst=_mean(area for cluster in clusters for area in _worst(cluster)),
        asks=any(each.questions for each in measures),
    )


def _compare_all(results: Sequence[RunResult]) -> list[Comparison]:
    """Compare every strategy with every other; the oracles are bounds and not in the race."""
    strategies = [
        name for name in dict.fromkeys(each.strategy for each in results) if name.split("+")[0] not in ORACLES
    ]
    clusters = {name: _by_topic(each for each in results if each.strategy == name) for name in strategies}
    found = []
    for against in strategies:
        rivals = [name for name in strategies if name != against]
        pairs = [_paired(clusters[name], clusters[against]) for name in rivals]
        means = [[_mean(pair) for pair in pairs_of_topic] for pairs_of_topic in pairs]
        values = [wilcoxon(each) for each in means]
        for name, pair, mean, p, p_holm in zip(rivals, pairs, means, values, holm(values), strict=True):
            wins, losses = sum(each > 0 for each in mean), sum(each < 0 for each in mean)
            interval = cluster_bootstrap(pair)
            found.append(Comparison(name, against, interval, wins, losses, len(mean), p, p_holm))
    return found


Cluster = dict[tuple[str, str], float]  # the area of a topic by mode and seeds


def _by_topic(results: Iterable[RunResult]) -> dict[tuple[str, str], Cluster]:
    clusters: dict[tuple[str, str], Cluster] = {}
    for each in results:
        cluster = clusters.setdefault((each.corpus, each.topic), {})
        cluster[each.mode, each.place[-1]] = each.measures.by_pages.area
    return clusters


def _paired(
    first: dict[tuple[str, str], Cluster], second: dict[tuple[str, str], Cluster]
) -> list[list[float]]:
    """Return the differences of each topic, one for each mode: its seed sets are averaged first."""
    return [
        _averaged({place: area - second[topic][place] for place, area in cluster.items()})
        for topic, cluster in first.items()
    ]


def _averaged(cluster: Cluster) -> list[float]:
    return [_mean(areas) for areas in _modes(cluster)]


def _worst(cluster: Cluster) -> list[float]:
    return [min(areas) for areas in _modes(cluster)]


def _modes(cluster: Cluster) -> list[list[float]]:
    """Return the areas of each mode, one for each seed set."""
    ordered = sorted(cluster.items())
    return [[area for _, area in group] for _, group in groupby(ordered, key=lambda item: item[0][0])]


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fsum(listed) / len(listed) if listed else 0.0  # exact in every Python
