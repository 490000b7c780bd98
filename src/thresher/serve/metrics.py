"""Counts for Prometheus, in its text format."""

from collections.abc import Iterator

from thresher.core.platform import peak_memory
from thresher.serve.answers import State
from thresher.serve.desk import Desk
from thresher.serve.overview import crawl_of

NAMES = {
    "thresher_pages": "Pages fetched.",
    "thresher_relevant_pages": "Relevant pages found.",
    "thresher_hosts": "Hosts asked.",
    "thresher_disk_bytes": "Bytes of the crawl's folder.",
    "thresher_index_behind_visits": "Visits that the search index does not know yet.",
    "thresher_running": "Whether the crawl is running.",
}


def text(desk: Desk, streams: int) -> str:
    """Return the counts of every crawl, and of the server itself."""
    return "\n".join([*_crawls(desk), *_server(streams), ""])


def _crawls(desk: Desk) -> Iterator[str]:
    crawls = [crawl_of(found) for found in desk.crawls().values()]
    for name, sentence in NAMES.items():
        yield f"# HELP {name} {sentence}"
        yield f"# TYPE {name} gauge"
        for crawl in crawls:
            counts = (crawl.pages, crawl.relevant, crawl.hosts, crawl.disk, crawl.behind)
            values = (*counts, crawl.state is State.RUNNING)
            value = int(dict(zip(NAMES, values, strict=True))[name])
            yield f'{name}{{crawl="{crawl.id}"}} {value}'


def _server(streams: int) -> Iterator[str]:
    yield "# HELP thresher_streams Event streams that are open."
    yield "# TYPE thresher_streams gauge"
    yield f"thresher_streams {streams}"
    yield "# HELP thresher_memory_bytes Most memory the server ever used."
    yield "# TYPE thresher_memory_bytes gauge"
    yield f"thresher_memory_bytes {peak_memory()}"
