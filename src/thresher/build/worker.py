"""What a worker is made of: what a crawl tells of itself, within what the worker's owner allows.

Nothing of a crawl's own side is brought in here: a worker starts as fast as it imports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from itertools import product

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from thresher.build.live import live_web
from thresher.build.parsing import parser_of
from thresher.build.reading import ReadingTask, limited_reader
from thresher.core.clock import RealClock
from thresher.core.errors import UsageError
from thresher.engine.read import PageReader
from thresher.engine.workers import Visitor
from thresher.fetch.client import Copies, Leave
from thresher.fetch.live import RenderingWeb
from thresher.filters.pages import page_checks
from thresher.parse.document import has_script, is_made_by_script
from thresher.settings.components import ENVIRONMENT, Secret, decoded, encoded
from thresher.settings.model import WebSettings
from thresher.text.languages import PLAIN


class WorkerTask(Struct, frozen=True):
    """What a worker must know of a crawl: the settings of the web, and how pages are read."""

    web: WebSettings
    reading: ReadingTask
    rules: bool
    proxy: str = ""  # over a private connection only
    language: str = ""  # of the pages that are kept


encode_task = msgspec.msgpack.Encoder(enc_hook=encoded).encode
_decode = msgspec.msgpack.Decoder(WorkerTask, dec_hook=decoded).decode


@dataclass(frozen=True)
class VisitorFactory:
    """Builds a worker's `VisitSource`, limited to the networks and classes its owner allows."""

    networks: Sequence[str] = ()
    classes: Sequence[str] = ()
    is_here: bool = False  # whether the crawl that started it runs on this machine

    def __call__(self, task: bytes, leave: Leave, copies: Copies, secrets: Mapping[str, str]) -> Visitor:
        """Return the visitor of a crawl, within what is allowed here."""
        try:
            told = _decode(task)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise UsageError(f"What the crawl says of itself cannot be read ({error}).") from None
        for name in told.reading.classes:
            if name not in self.classes:
                raise UsageError(
                    f"The crawl reads pages by {name}, which is not ours: a worker imports only what it was "
                    f"started with. If you trust it, start this one with --allow-class {name}."
                )
        allowed = intersect_networks(told.web.allow_networks, self.networks)
        web = replace(plain_of(told.web), allow_networks=allowed, proxy=Secret(_literal(told.proxy)))
        aside = limited_reader(told.reading.parsing, web.read_timeout)
        asked = told.reading
        language = asked.topic.language or PLAIN
        parse, judge = parser_of(asked.parsing), asked.make_judge()
        reader = PageReader(parse, judge, aside, asked.counts_words, language=language)
        checks = page_checks(told.rules, told.language)
        live = live_web(web, copies, leave, secrets, proxy_is_ours=self.is_here)
        fetch = RenderingWeb(live, is_made_by_script, has_script)
        return Visitor(fetch, reader, RealClock(), web.max_redirects, checks)


def plain_of(web: WebSettings) -> WebSettings:
    """Return what a crawl says of the web without what an honest one never sends: files and passwords.

    They would be read off this machine, which is not the crawl's.
    """
    return replace(web, credentials={}, headers={}, cookie_file="", browser="never", browser_path="")


def _literal(proxy: str) -> str:
    """Return the proxy that a crawl names; our own environment is none of its business."""
    if proxy.startswith(ENVIRONMENT):
        raise UsageError("The crawl names its proxy by a variable of this machine, which is not told to it.")
    return proxy


def intersect_networks(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    """Return the networks that both sides allow."""
    pairs = product(map(ip_network, ours), map(ip_network, theirs))
    both = [max(pair, key=lambda each: each.prefixlen) for pair in pairs if pair[0].overlaps(pair[1])]
    return tuple(dict.fromkeys(map(str, both)))
