"""Contenders in one table: how much each found, how sure that is, how it behaved, and what it cost."""

from collections.abc import Callable, Iterable, Sequence
from math import fsum

from msgspec import Struct
from msgspec.structs import replace

from thresher_lab.judge_measures import CountMeasures
from thresher_lab.results import RunResult
from thresher_lab.score import Scored
from thresher_lab.statistics import Interval
from thresher_lab.summary import Comparison, Summary, summarise
from thresher_lab.tables import Grid


class ContenderStanding(Struct, frozen=True):
    """One contender over everything that all of them ran."""

    contender: str
    area: Interval
    by_effort: dict[str, float]
    by_corpus: dict[str, float]
    against: Comparison | None  # of the one the table is about with this one
    recall: float
    precision: float
    requests_a_page: float
    forbidden: int
    hasty: int
    again: int
    pages: float  # of a run: fewer than the budget where it ended early
    pages_a_second: float
    megabytes: float
    seconds: float  # of processor time a run
    versions: tuple[str, ...] = ()
    counts: CountMeasures | None = None  # over all runs, if each tells which pages it calls relevant


class Standings(Struct, frozen=True):
    """All contenders, and what the table rests on."""

    rows: tuple[ContenderStanding, ...]
    topics: int
    runs: int
    left_out: tuple[str, ...] = ()  # runs that not all contenders played


def complete(scored: Sequence[Scored]) -> tuple[list[Scored], list[str]]:
    """Return the scores of the places where every contender ran, and what was left out for that."""
    contenders = {each.run.contender for each in scored}
    been: dict[tuple[str, ...], set[str]] = {}
    for each in scored:
        for result in each.results:
            been.setdefault(result.place, set()).add(result.strategy)
    whole = {place for place, there in been.items() if there == contenders}
    kept, out = [], []
    for each in scored:
        results = tuple(result for result in each.results if result.place in whole)
        if results:
            kept.append(replace(each, results=results))
        if len(results) < len(each.results):
            out.append(f"{each.run.contender} on {each.run.corpus} {each.run.topic}")
    return kept, out


def results_of(scored: Iterable[Scored]) -> list[RunResult]:
    """Return every result, an effort each."""
    return [result for each in scored for result in each.results]


def stand(scored: Sequence[Scored], against: str, left_out: Sequence[str] = ()) -> tuple[Standings, Summary]:
    """Return the standings, the best first, and the summary of all runs that they are part of."""
    results = results_of(scored)
    summary = summarise(results, keep_all=True)
    paired = {each.strategy: each for each in summary.comparisons if each.against == against}
    rows = [
        _standing(row.strategy, row.area, paired.get(row.strategy), _runs_of(scored, row.strategy))
        for row in summary.blocks[-1].rows
    ]
    best = tuple(sorted(rows, key=lambda row: -row.area.mean))
    topics = len({(each.corpus, each.topic) for each in results})
    return Standings(best, topics, len(scored), tuple(left_out)), summary


def grid_of(standings: Standings, against: str) -> Grid:
    """Return the standings as a table to read."""
    efforts, corpora = (
        list(dict.fromkeys(key for row in standings.rows for key in getattr(row, name)))
        for name in ("by_effort", "by_corpus")
    )
    heads = ["contender", *corpora, *efforts, "all", "95 % interval", f"to {against}", "recall", "precision"]
    heads += ["requests a page", "forbidden", "hasty", "again", "pages", "pages a second", "MB", "s of work"]
    heads += ["said", "true", "right of said", "said of true"] if _tells(standings) else []
    caption = f"Mean area under the recall curve over {standings.topics} topics; {standings.runs} runs"
    return Grid(
        caption,
        tuple(heads),
        tuple(
            _cells(row, efforts, corpora) + (_list_cells(row.counts) if _tells(standings) else ())
            for row in standings.rows
        ),
    )


def _tells(standings: Standings) -> bool:
    return any(row.counts for row in standings.rows)


def _list_cells(counts: CountMeasures | None) -> tuple[str, ...]:
    if counts is None:
        return ("",) * 4
    return str(counts.said), str(counts.true), f"{counts.precision:.3f}", f"{counts.recall:.3f}"


def _runs_of(scored: Iterable[Scored], contender: str) -> list[Scored]:
    return [each for each in scored if each.run.contender == contender]


def _standing(
    name: str, area: Interval, against: Comparison | None, runs: Sequence[Scored]
) -> ContenderStanding:
    results, conduct = results_of(runs), [each.conduct for each in runs]
    pages = [each.results[0].measures.pages for each in runs]
    return ContenderStanding(
        contender=name,
        area=area,
        by_effort=_means(results, lambda result: result.mode),
        by_corpus=_means(results, lambda result: result.corpus),
        against=against,
        recall=_mean(each.measures.recall for each in results),
        precision=_mean(each.measures.harvest.rate for each in results),
        requests_a_page=sum(each.requests for each in conduct) / max(1, sum(pages)),
        forbidden=sum(each.forbidden for each in conduct),
        hasty=sum(each.hasty for each in conduct),
        again=sum(each.again for each in conduct),
        pages=_mean(pages),
        pages_a_second=_mean(each.pages_a_second for each in conduct),
        megabytes=_mean(each.bytes / 1e6 for each in conduct),
        seconds=_mean(each.run.seconds for each in runs),
        versions=tuple(dict.fromkeys(version for each in runs for version in each.run.versions)),
        counts=_sum([each.counts for each in runs]),
    )


def _sum(counts: Sequence[CountMeasures | None]) -> CountMeasures | None:
    known = [each for each in counts if each is not None]
    return sum(known, CountMeasures(0, 0, 0)) if len(known) == len(counts) else None


def _cells(row: ContenderStanding, efforts: Sequence[str], corpora: Sequence[str]) -> tuple[str, ...]:
    area, paired = row.area, row.against
    difference = (
        f"{paired.difference.mean:+.3f}, {paired.difference.low:+.3f} to {paired.difference.high:+.3f}"
        if paired
        else ""
    )
    return (
        row.contender,
        *(f"{row.by_corpus.get(name, 0.0):.3f}" for name in corpora),
        *(f"{row.by_effort.get(name, 0.0):.3f}" for name in efforts),
        f"{area.mean:.3f}",
        f"{area.low:.3f} to {area.high:.3f}",
        difference,
        f"{row.recall:.3f}",
        f"{row.precision:.3f}",
        f"{row.requests_a_page:.1f}",
        str(row.forbidden),
        str(row.hasty),
        str(row.again),
        f"{row.pages:.0f}",
        f"{row.pages_a_second:.1f}",
        f"{row.megabytes:.1f}",
        f"{row.seconds:.1f}",
    )


def _means(results: Iterable[RunResult], key: Callable[[RunResult], str]) -> dict[str, float]:
    areas: dict[str, list[float]] = {}
    for each in results:
        areas.setdefault(key(each), []).append(each.measures.by_pages.area)
    return {name: _mean(values) for name, values in areas.items()}


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return fsum(listed) / len(listed) if listed else 0.0
