"""What a crawl is worth, read off its visits by a referee that no strategy can ask.

A curve says after how many pages, requests or seconds each relevant page was found; everything else follows:

recall(n)          relevant pages among the first n, of all that are relevant (and not hidden)
area               mean of recall(n) over n = 1..N; the last value is held when a crawl ends early
harvest            relevant pages / pages
mean cumulative    mean over segments of 500 pages of the harvest so far: what Jamali's AHR must be
R-precision        harvest of the first R pages, R = how many are relevant
by time            recall after n seconds of a polite replay; each page of the budget is given two seconds
"""

from collections.abc import Iterable, Sequence
from math import fsum

from msgspec import Struct

from thresher.core.enums import Outcome
from thresher.core.records import Url
from thresher.core.url import blocks, hostname_of, parse
from thresher.text.chinese import pinyin
from thresher_lab.corpus import CorpusTopic
from thresher_lab.replay import ReplayStep

SEGMENT = 500
PORTIONS = 20
SECONDS_A_PAGE = 2


class Curve(Struct, frozen=True):
    """When each relevant page was found, in pages, requests or seconds, and how early that was."""

    hits: tuple[int, ...]
    area: float
    recall_at: tuple[float, float, float]  # after a tenth, half and all of the budget


class Harvest(Struct, frozen=True):
    """How many of the pages fetched were relevant."""

    rate: float
    by_segment: tuple[float, ...]
    mean_cumulative: float
    r_precision: float


class Measures(Struct, frozen=True):
    """Every measure of one run."""

    pages: int
    questions: int  # back-link questions, which cost as much as a page
    requests: int
    relevant: int
    wanted: int
    reachable: int
    by_pages: Curve
    by_requests: Curve
    recall: float
    recall_of_reachable: float
    harvest: Harvest
    sum_of_information: float
    urls_with_topic: float
    urls_with_context: float
    per_request: float
    per_megabyte: float
    hosts: int
    relevant_hosts: int
    outcomes: dict[str, int]
    by_time: Curve | None = None  # of a polite replay
    seconds: float = 0.0  # virtual ones that a polite replay took
    information_so_far: tuple[float, ...] = ()  # at the ends of twenty equal portions of the budget


def measure(
    steps: Sequence[ReplayStep], topic: CorpusTopic, wanted: frozenset[Url], reachable: set[Url], budget: int
) -> Measures:
    """Return every measure of a replay that had this budget of pages."""
    spent, found = [step for step in steps if step.cost], [step for step in steps if step.relevant]
    fetched = [step for step in steps if step.outcome == Outcome.FETCHED.value]
    hits, within = positions(spent), len(wanted & reachable)
    seconds = steps[-1].at if steps else 0.0
    with_topic, with_context = token_ratios([step.url for step in found], topic)
    return Measures(
        pages=len(fetched),
        questions=len(spent) - len(fetched),
        requests=len(steps),
        relevant=len(found),
        wanted=len(wanted),
        reachable=within,
        by_pages=curve(hits, len(wanted), budget),
        by_requests=curve(positions(steps), len(wanted), budget),
        recall=len(found) / len(wanted),
        recall_of_reachable=_ratio(len(found), within),
        harvest=harvest(positions(fetched), len(fetched), len(wanted)),
        sum_of_information=fsum(step.information for step in steps),
        by_time=curve(moments(steps), len(wanted), SECONDS_A_PAGE * budget) if seconds else None,
        seconds=seconds,
        information_so_far=information_so_far(spent, budget),
        urls_with_topic=with_topic,
        urls_with_context=with_context,
        per_request=_ratio(len(found), len(steps)),
        per_megabyte=_ratio(len(found), sum(step.size for step in steps) / 1e6),
        hosts=_hosts(fetched),
        relevant_hosts=_hosts(found),
        outcomes=_outcomes(steps),
    )


def curve(hits: tuple[int, ...], wanted: int, budget: int) -> Curve:
    """Return the recall curve of these hits."""
    return Curve(hits, area(hits, wanted, budget), _budget_points(hits, wanted, budget))


def harvest(hits: Sequence[int], pages: int, wanted: int) -> Harvest:
    """Return the harvest of a crawl of so many pages."""
    precision = sum(hit <= wanted for hit in hits) / wanted
    return Harvest(
        _ratio(len(hits), pages), segments(hits, pages), mean_cumulative_harvest(hits, pages), precision
    )


def positions(steps: Iterable[ReplayStep]) -> tuple[int, ...]:
    """Return how many steps were made when each relevant page was found."""
    return tuple(n for n, step in enumerate(steps, start=1) if step.relevant)


def moments(steps: Iterable[ReplayStep]) -> tuple[int, ...]:
    """Return in which second each relevant page was found."""
    return tuple(1 + int(step.at) for step in steps if step.relevant)


def area(hits: Sequence[int], wanted: int, budget: int) -> float:
    """Return the mean over n = 1..budget of the recall after n; a hit counts from its place to the end."""
    return sum(budget - hit + 1 for hit in hits if hit <= budget) / (wanted * budget)


def information_so_far(spent: Sequence[ReplayStep], budget: int) -> tuple[float, ...]:
    """Return the sum of information at the ends of equal portions of the budget (Chen et al., 5.3.1)."""
    ends = [budget * portion // PORTIONS for portion in range(1, PORTIONS + 1)]
    return tuple(round(fsum(step.information for step in spent[:end]), 4) for end in ends)


def segments(hits: Sequence[int], pages: int, length: int = SEGMENT) -> tuple[float, ...]:
    """Return the harvest rate of each segment of so many pages; the last may be shorter."""
    starts = range(0, pages, length)
    return tuple(
        sum(start < hit <= start + length for hit in hits) / (min(start + length, pages) - start)
        for start in starts
    )


def mean_cumulative_harvest(hits: Sequence[int], pages: int, length: int = SEGMENT) -> float:
    """Return the mean, over the ends of the segments, of the harvest rate so far."""
    ends = [min(start + length, pages) for start in range(0, pages, length)]
    return _ratio(fsum(sum(hit <= end for hit in hits) / end for end in ends), len(ends))


def token_ratios(urls: Sequence[str], topic: CorpusTopic) -> tuple[float, float]:
    """Return the shares of URLs that say the topic, and that say only what stands above it (Table 4)."""
    paths = [*topic.labels().values()]
    own = {spelling for path in paths for spelling in spellings(path[-1])}
    above = {spelling for path in paths for label in path[:-1] for spelling in spellings(label)}
    said = [blocks(parse(url)) for url in urls]
    topical = [_says(tokens, own) for tokens in said]
    contextual = [_says(tokens, above) and not mine for tokens, mine in zip(said, topical, strict=True)]
    return _ratio(sum(topical), len(urls)), _ratio(sum(contextual), len(urls))


def spellings(label: str) -> set[str]:
    """Return how a label is written in URLs: joined up in lower case, or in pinyin."""
    joined = "".join(label.lower().split())
    return {joined if joined.isascii() else pinyin(label)} - {""}


def _says(tokens: Iterable[str], wanted: set[str]) -> bool:
    return any(spelling in token for token in tokens for spelling in wanted)


def _budget_points(hits: Sequence[int], wanted: int, budget: int) -> tuple[float, float, float]:
    tenth, half, whole = (sum(hit <= budget * share for hit in hits) / wanted for share in (0.1, 0.5, 1.0))
    return tenth, half, whole


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _hosts(steps: Iterable[ReplayStep]) -> int:
    return len({hostname_of(parse(step.url)) for step in steps})


def _outcomes(steps: Sequence[ReplayStep]) -> dict[str, int]:
    names = sorted({step.outcome for step in steps})
    return {name: sum(step.outcome == name for step in steps) for name in names}
