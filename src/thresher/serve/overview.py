"""All crawls, and one of them: state, figures, curve, and what happens now."""

import time
from math import isnan
from pathlib import Path
from stat import S_ISREG

import msgspec

from thresher import __version__
from thresher.core.files import open_in_place
from thresher.core.progress import Forecast
from thresher.core.url import host_of
from thresher.engine.observers import Flight
from thresher.export.wording import moment
from thresher.report.charts import draw, harvest_of
from thresher.report.figures import ordered
from thresher.report.shapes import LEAST, spark
from thresher.search.index import behind
from thresher.serve.answers import Count, Crawl, Crawls, Curve, InFlight, Line, Now, Outlook, Overview, State
from thresher.serve.asks import CrawlList, DrawnCrawl, NewCrawl, NewState, OfCrawl
from thresher.serve.desk import Desk, Found, state_of
from thresher.serve.ledger import Ledger, Sums, ledger
from thresher.store.folder import CrawlFolder
from thresher.store.read import Reading
from thresher.store.schema import Facts

NEXT = 8
MOST_TOLD = 1_000_000  # bytes of now.json that are read
Points = list[tuple[int, int]]
WINDOW = 30.0  # seconds over which the rate is taken


def list_crawls(desk: Desk, ask: CrawlList) -> Crawls:
    """Return every crawl that is served, those at work first, then the latest."""
    items = [crawl_of(found) for found in desk.crawls().values()]
    order = {State.RUNNING: 0, State.BEGINNING: 0}
    items.sort(key=lambda crawl: crawl.last_find, reverse=True)
    items.sort(key=lambda crawl: order.get(crawl.state, 1))
    if ask.sparks:
        items = [msgspec.structs.replace(crawl, spark=spark(crawl.sparkline)) for crawl in items]
    return Crawls(items, str(desk.home), True, __version__)


def begin_crawl(desk: Desk, ask: NewCrawl) -> Crawl:
    """Begin a crawl."""
    folder = desk.processes.begin(ask, desk.home)
    desk.forget()
    found = next((each for each in desk.crawls().values() if each.folder.path == folder.path), None)
    return crawl_of(found or Found(folder.path.name, folder))


def change_state(desk: Desk, ask: NewState) -> Crawl:
    """Pause, stop or go on with a crawl."""
    found = desk.crawl(ask.id)
    desk.processes.change(found.folder, ask)
    return crawl_of(found)


def crawl_of(found: Found) -> Crawl:
    """Return what the list of all crawls says of one."""
    state, sentence, facts, problem = state_of(found.folder)
    name = (facts.topic.name if facts else "") or found.folder.path.name
    crawl = Crawl(
        id=found.id, name=name, folder=str(found.folder.path), state=state, sentence=sentence, problem=problem
    )
    return _with_figures(crawl, found.folder, facts) if facts else crawl


def _with_figures(crawl: Crawl, folder: CrawlFolder, facts: Facts) -> Crawl:
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


def overview(desk: Desk, ask: OfCrawl) -> Overview:
    """Return one crawl and its figures."""
    found = desk.crawl(ask.id)
    crawl = crawl_of(found)
    store = found.folder.open()
    try:
        with ledger(found.folder) as book:
            return _overview(desk, crawl, store, book)
    finally:
        store.close()


def _overview(desk: Desk, crawl: Crawl, store: Reading, book: Ledger) -> Overview:
    facts, sums = store.facts, book.sums()
    hits, of = book.recent(sums.threshold)
    said = list(book.labels.values())
    return Overview(
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
        outcomes=book.tallies("outcome"),
        causes=book.tallies("cause"),
        refused=[Count(*each) for each in list(ordered(facts.refused).items())[:12]],
        said_yes=said.count(True),
        said_no=said.count(False),
        changes=store.news_count(),
        forecast=_outlook(facts.forecast),
        feed=desk.signer.feed_key(crawl.id),
    )


def curve(desk: Desk, ask: DrawnCrawl) -> Curve:
    """Return the harvest curve, the forecast, and breadth-first if one from the same seeds lies beside."""
    found = desk.crawl(ask.id)
    store = found.folder.open()
    try:
        facts = store.facts
    finally:
        store.close()
    with ledger(found.folder) as book:
        points = _ending_at(book.sums(), book)
    baseline = _baseline(desk, found, facts)
    picture = _picture(points, baseline, facts.forecast, ask.width) if ask.width and len(points) > 1 else ""
    return Curve(points, _outlook(facts.forecast), baseline, picture)


def _picture(points: Points, baseline: Line | None, forecast: Forecast | None, width: int) -> str:
    beside = [("breadth-first", baseline.points)] if baseline else []
    return draw(harvest_of([("", points), *beside], forecast, max(LEAST, width)))


def _ending_at(sums: Sums, book: Ledger) -> list[tuple[int, int]]:
    """Return the curve with its end where the labels put it."""
    points = book.curve(sums.pages)
    return [*points[:-1], (sums.pages, sums.relevant)] if len(points) > 1 else points


def _baseline(desk: Desk, found: Found, facts: Facts) -> Line | None:
    """Return the curve of a breadth-first crawl with the same seeds on the same topic, if there is one."""
    for other in desk.crawls().values():
        if other.id == found.id or facts.strategy == "breadth_first":
            continue
        _, _, theirs, _ = state_of(other.folder)
        if theirs and theirs.strategy == "breadth_first" and _task(theirs) == _task(facts):
            with ledger(other.folder) as book:
                return Line(other.id, book.curve(book.sums().pages))
    return None


def _task(facts: Facts) -> tuple[str, set[str]]:
    """Return what a crawl was begun with: its topic and its seeds."""
    return facts.topic.name, set(facts.seeds)


def now(desk: Desk, ask: OfCrawl) -> Now:
    """Return what a crawl is fetching, what is next, and how many hosts rest."""
    found = desk.crawl(ask.id)
    store = found.folder.open()
    try:
        waiting = [InFlight(each.url, host_of(each.url), each.priority, 0.0) for each in store.next_up(NEXT)]
        resting = store.resting(time.time())
    finally:
        store.close()
    flying = _in_flight(found.folder) if state_of(found.folder)[0] is State.RUNNING else None
    return Now(flying or [], waiting, len(resting), flying is not None)


def _in_flight(folder: CrawlFolder) -> list[InFlight] | None:
    """Return what the crawling process says it is fetching, or None where it says nothing."""
    try:
        with open_in_place(folder.now) as file:
            flights = msgspec.json.decode(file.read(MOST_TOLD), type=list[Flight])
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
    now = time.time()
    return [InFlight(each.url, host_of(each.url), each.price, max(0.0, now - each.since)) for each in flights]


def _rate(store: Reading, state: State) -> float:
    """Return the pages a second of the last while of a crawl that runs."""
    return store.pages_since(time.time() - WINDOW) / WINDOW if state is State.RUNNING else 0.0


def _outlook(forecast: Forecast | None) -> Outlook | None:
    if forecast is None:
        return None
    return Outlook(forecast.downloads, forecast.relevant, forecast.low, forecast.high)


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
