"""How pages are parsed, as one record that a process can be told; such a process needs nothing else."""

from collections.abc import Callable

from msgspec import Struct

from thresher.core.records import Fetched, Page
from thresher.parse import parse
from thresher.parse.document import DocumentReader
from thresher.parse.sitemap import with_sitemaps


class Parsing(Struct, frozen=True):
    """What is taken from a page: no more than the strategy looks at."""

    agent: str = ""  # for whom robots meta tags are read
    context: bool = True
    context_of_seeds: bool = False
    place: bool = True
    codes: bool = True
    offsets: bool = True
    sitemaps: bool = False  # whether those that robots.txt names are links
    readers: tuple[str, ...] = ()  # of documents, besides ours


def parser_of(asked: Parsing) -> Callable[[Fetched], Page]:
    """Return what turns a response into a page, as is asked for."""
    readers = tuple(_reader_named(name) for name in asked.readers)

    def fitting(fetched: Fetched) -> Page:
        """Read what the strategy looks at, and nothing else."""
        wanted = asked.context or (asked.context_of_seeds and fetched.candidate.depth == 0)
        return parse(
            fetched,
            agent=asked.agent,
            context=wanted,
            place=asked.place,
            codes=asked.codes,
            offsets=asked.offsets,
            readers=readers,
        )

    return with_sitemaps(fitting, asked_for=not asked.sitemaps)


def _reader_named(name: str) -> DocumentReader:
    from thresher.build.plugins import reader_class  # judges and strategies: few have readers of their own

    reader: DocumentReader = reader_class(name)()
    return reader
