"""All crawls, one of them, and its hosts: state, figures, curve, and what happens now."""

import sys
import time
from collections.abc import Iterator
from math import isnan
from pathlib import Path
from stat import S_ISREG

import msgspec
from msgspec import Struct

from thresher import __version__
from thresher.core.enums import ERRORS, Outcome
from thresher.core.files import open_in_place
from thresher.core.platform import peak_memory
from thresher.core.progress import Forecast
from thresher.core.url import host_of, key_of
from thresher.engine.observers import InFlightRequest
from thresher.export.wording import moment
from thresher.report.charts import draw, harvest_of
from thresher.report.figures import ordered
from thresher.report.shapes import LEAST, spark
from thresher.search.figures import CrawlTotals, HostRow, IndexedFigures
from thresher.search.index import behind
from thresher.search.reader import spelt
from thresher.serve import requests, responses
from thresher.serve.pages import Before
from thresher.serve.state import CrawlRegistry, RegisteredCrawl, ledger, state_of
from thresher.store.folder import CrawlFolder
from thresher.store.read import CrawlReader
from thresher.store.schema import CrawlMetadata

# Crawls


NEXT = 8
MOST_TOLD = 1_000_000  # bytes of now.json that are read
Points = list[tuple[int, int]]
WINDOW = 30.0  # seconds over which the rate is taken


def list_crawls(desk: CrawlRegistry, ask: requests.CrawlList) -> responses.CrawlSummaries:
    """Return every crawl that is served, those at work first, then the latest."""
    items = [crawl_of(found) for found in desk.crawls().values()]
    order = {responses.CrawlState.RUNNING: 0, responses.CrawlState.BEGINNING: 0}
    items.sort(key=lambda crawl: crawl.last_find, reverse=True)
    items.sort(key=lambda crawl: order.get(crawl.state, 1))
    if ask.sparks:
        items = [msgspec.structs.replace(crawl, spark=spark(crawl.sparkline)) for crawl in items]
    return responses.CrawlSummaries(items, str(desk.home), True, __version__)


def begin_crawl(desk: CrawlRegistry, ask: requests.NewCrawl) -> responses.CrawlSummary:
    """Start a crawl."""
    folder = desk.processes.begin(ask, desk.home)
    desk.forget()
    found = next((each for each in desk.crawls().values() if each.folder.path == folder.path), None)
    return crawl_of(found or RegisteredCrawl(folder.path.name, folder))


def change_state(desk: CrawlRegistry, ask: requests.NewState) -> responses.CrawlSummary:
    """Pause, stop or go on with a crawl."""
    found = desk.crawl(ask.id)
    desk.processes.change(found.folder, ask)
    return crawl_of(found)


def crawl_of(found: RegisteredCrawl) -> responses.CrawlSummary:
    """Return what the list of all crawls says of one."""
    state, sentence, facts, problem = state_of(found.folder)
    name = (facts.topic.name if facts else "") or found.folder.path.name
    crawl = responses.CrawlSummary(
        id=found.id, name=name, folder=str(found.folder.path), state=state, sentence=sentence, problem=problem
    )
    return _with_figures(crawl, found.folder, facts) if facts else crawl


def _with_figures(
    crawl: responses.CrawlSummary, folder: CrawlFolder, facts: CrawlMetadata
) -> responses.CrawlSummary:
    with ledger(folder) as book:
        sums = book.sums()
        hosts, paid = book.hosts()
        sparkline = book.sparkline(sums.pages)
    return msgspec.structs.replace(
        crawl,
        strategy=facts.strategy,
        pages=sums.pages,
        relevant=sums.relevant,
        harvest=sums.relevant / sums.pages if sums.pages else 0.0,
        hosts=hosts,
        hosts_paid=paid,
        disk=disk_of(folder.path),
        last_find=moment(sums.last_find) if sums.last_find else "",
        sparkline=sparkline,
        behind=behind(folder).visits,
    )


def overview(desk: CrawlRegistry, ask: requests.OfCrawl) -> responses.Overview:
    """Return one crawl and its figures."""
    found = desk.crawl(ask.id)
    crawl = crawl_of(found)
    with found.folder.open() as store, ledger(found.folder) as book:
        return _overview(desk, crawl, store, book)


def _overview(
    desk: CrawlRegistry, crawl: responses.CrawlSummary, store: CrawlReader, book: IndexedFigures
) -> responses.Overview:
    facts, sums = store.facts, book.sums()
    hits, of = book.recent(sums.threshold)
    said = list(book.labels.values())
    return responses.Overview(
        crawl=crawl,
        judge=facts.judge,
        threshold=0.0 if isnan(facts.threshold) else facts.threshold,
        recent=hits / of if of else 0.0,
        recent_of=of,
        waiting=store.waiting_count(),
        requests=sums.requests,
        bytes=sums.bytes,
        seconds=facts.seconds or sums.ended - sums.began,
        rate=_rate(store, crawl.state),
        outcomes=[responses.Count(*each) for each in book.tallies("outcome")],
        causes=[responses.Count(*each) for each in book.tallies("cause")],
        refused=[responses.Count(*each) for each in list(ordered(facts.refused).items())[:12]],
        said_yes=said.count(True),
        said_no=said.count(False),
        changes=store.substantive_count(),
        forecast=_outlook(facts.forecast),
        keyword_offer=facts.keyword_offer,
        feed=desk.signer.feed_key(crawl.id),
    )


def curve(desk: CrawlRegistry, ask: requests.DrawnCrawl) -> responses.HarvestCurve:
    """Return the harvest curve, the forecast, and breadth-first if one from the same seeds lies beside."""
    found = desk.crawl(ask.id)
    with found.folder.open() as store:
        facts = store.facts
    with ledger(found.folder) as book:
        points = _ending_at(book.sums(), book)
    baseline = _baseline(desk, found, facts)
    picture = _picture(points, baseline, facts.forecast, ask.width) if ask.width and len(points) > 1 else ""
    return responses.HarvestCurve(points, _outlook(facts.forecast), baseline, picture)


def _picture(
    points: Points, baseline: responses.CurveLine | None, forecast: Forecast | None, width: int
) -> str:
    beside = [("breadth-first", baseline.points)] if baseline else []
    return draw(harvest_of([("", points), *beside], forecast, max(LEAST, width)))


def _ending_at(sums: CrawlTotals, book: IndexedFigures) -> list[tuple[int, int]]:
    """Return the curve with its end where the labels put it."""
    points = book.curve(sums.pages)
    return [*points[:-1], (sums.pages, sums.relevant)] if len(points) > 1 else points


def _baseline(
    desk: CrawlRegistry, found: RegisteredCrawl, facts: CrawlMetadata
) -> responses.CurveLine | None:
    """Return the curve of a breadth-first crawl with the same seeds on the same topic, if there is one."""
    for other in desk.crawls().values():
        if other.id == found.id or facts.strategy == "breadth_first":
            continue
        _, _, theirs, _ = state_of(other.folder)
        if theirs and theirs.strategy == "breadth_first" and _task(theirs) == _task(facts):
            with ledger(other.folder) as book:
                return responses.CurveLine(other.id, _ending_at(book.sums(), book))
    return None


def _task(facts: CrawlMetadata) -> tuple[str, set[str]]:
    """Return what a crawl was begun with: its topic and its seeds."""
    return facts.topic.name, set(facts.seeds)


def now(desk: CrawlRegistry, ask: requests.OfCrawl) -> responses.Now:
    """Return what a crawl is fetching, what is next, and how many hosts rest."""
    found = desk.crawl(ask.id)
    with found.folder.open() as store:
        waiting = [
            responses.InFlight(each.url, host_of(each.url), each.priority, 0.0)
            for each in store.next_up(NEXT)
        ]
        resting = store.resting(time.time())
    flying = _in_flight(found.folder) if state_of(found.folder)[0] is responses.CrawlState.RUNNING else None
    return responses.Now(flying or [], waiting, len(resting), flying is not None)


def _in_flight(folder: CrawlFolder) -> list[responses.InFlight] | None:
    """Return what the crawling process says it is fetching, or None where it says nothing."""
    try:
        with open_in_place(folder.now) as file:
            flights = msgspec.json.decode(file.read(MOST_TOLD), type=list[InFlightRequest])
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
    now = time.time()
    return [
        responses.InFlight(each.url, host_of(each.url), each.priority, max(0.0, now - each.since))
        for each in flights
    ]


def _rate(store: CrawlReader, state: responses.CrawlState) -> float:
    """Return the pages a second of the last while of a crawl that runs."""
    return store.pages_since(time.time() - WINDOW) / WINDOW if state is responses.CrawlState.RUNNING else 0.0


def _outlook(forecast: Forecast | None) -> responses.ForecastView | None:
    if forecast is None:
        return None
    return responses.ForecastView(
        forecast.downloads, forecast.relevant, forecast.low, forecast.high, forecast.found
    )


def disk_of(place: Path) -> int:
    """Return the bytes of a folder's files, two levels deep."""
    return sum(_size(file) for pattern in ("*", "*/*") for file in place.glob(pattern))


def _size(file: Path) -> int:
    """Return the bytes of a file; one that went while we looked has none, nor has what a link leads to."""
    try:
        state = file.lstat()
    except OSError:
        return 0
    return state.st_size if S_ISREG(state.st_mode) else 0


# Hosts: what each was asked, what it gave, and whether it rests


class HostCursor(Struct, frozen=True):
    """Where a list of hosts goes on."""

    first: int
    second: int
    id: int


def list_hosts(desk: CrawlRegistry, ask: requests.HostList) -> responses.HostItems:
    """Return hosts, those that gave most first."""
    folder = desk.crawl(ask.id).folder
    with folder.open() as store:
        resting = store.resting(time.time())
    place = desk.signer.place(ask.after, HostCursor)
    after = (place.first, place.second, place.id) if place else None
    with ledger(folder) as book:
        rows = book.host_list(ask.sort, ask.limit, after)
        total, _ = book.hosts()
        sums = book.sums()
    next = desk.signer.cursor(HostCursor(*rows[-1][0])) if len(rows) == ask.limit else ""
    items = [_item(row, resting.get(row.name, 0.0)) for _, row in rows]
    return responses.HostItems(items, next, total, sums.relevant / sums.pages if sums.pages else 0.0)


def _item(row: HostRow, seconds: float) -> responses.HostItem:
    closed = row.forbidden and not row.pages
    state = "closed by robots.txt" if closed else "resting" if seconds > 0 else ""
    return responses.HostItem(*row, state, round(seconds, 1))


def list_requests(desk: CrawlRegistry, ask: requests.RequestList) -> responses.RequestItems:
    """Return requests and how they ended, the latest first."""
    every = {outcome.value: {outcome} for outcome in Outcome}
    wanted = {"": set(Outcome), "errors": set(ERRORS), **every}.get(ask.outcome)
    if wanted is None:
        raise requests.bad_request(
            f"No outcome {ask.outcome!r} is known.", f"Choose one of {', '.join(every)}, errors."
        )
    place = desk.signer.place(ask.after, Before)
    with desk.crawl(ask.id).folder.open() as store:
        names = [outcome.value for outcome in wanted]
        rows = store.requests(names, ask.host, place.visit if place else sys.maxsize, ask.limit)
    items = [
        responses.RequestItem(row.number, spelt(key_of(row.url)), *row[1:5], moment(row.at), row.relevance)
        for row in rows
    ]
    next = desk.signer.cursor(Before(rows[-1].number)) if len(rows) == ask.limit else ""
    return responses.RequestItems(items, next)


# The same as counts for Prometheus


NAMES = {
    "thresher_pages": "Pages fetched.",
    "thresher_relevant_pages": "Relevant pages found.",
    "thresher_hosts": "Hosts asked.",
    "thresher_disk_bytes": "Bytes of the crawl's folder.",
    "thresher_index_behind_visits": "Visits that the search index does not know yet.",
    "thresher_running": "Whether the crawl is running.",
}


def metrics_text(desk: CrawlRegistry, streams: int) -> str:
    """Return the counts of every crawl, and of the server itself."""
    return "\n".join([*_crawls(desk), *_server(streams), ""])


def _crawls(desk: CrawlRegistry) -> Iterator[str]:
    crawls = [crawl_of(found) for found in desk.crawls().values()]
    for name, sentence in NAMES.items():
        yield f"# HELP {name} {sentence}"
        yield f"# TYPE {name} gauge"
        for crawl in crawls:
            counts = (crawl.pages, crawl.relevant, crawl.hosts, crawl.disk, crawl.behind)
            values = (*counts, crawl.state is responses.CrawlState.RUNNING)
            value = int(dict(zip(NAMES, values, strict=True))[name])
            yield f'{name}{{crawl="{crawl.id}"}} {value}'


def _server(streams: int) -> Iterator[str]:
    yield "# HELP thresher_streams Event streams that are open."
    yield "# TYPE thresher_streams gauge"
    yield f"thresher_streams {streams}"
    yield "# HELP thresher_memory_bytes Most memory the server ever used."
    yield "# TYPE thresher_memory_bytes gauge"
    yield f"thresher_memory_bytes {peak_memory()}"
