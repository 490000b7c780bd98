"""Workers in other processes or on other machines, made of the settings: both ends of them."""

import dataclasses
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from thresher.build.pipeline import CrawlPlan, WorkerFactory
from thresher.build.reading import ReadingTask, reading_task
from thresher.core.errors import SettingsError
from thresher.core.interfaces import Clock
from thresher.core.platform import POSIX, cores_here
from thresher.core.records import Url
from thresher.core.url import host_of
from thresher.engine.workers import Check, Visitor
from thresher.fetch.client import NO_COPIES, Copies
from thresher.settings.components import Secret
from thresher.settings.model import Settings
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder

if TYPE_CHECKING:  # 14 ms that a crawl without other processes need not wait for
    from thresher.cluster.messages import CrawlTransport
    from thresher.cluster.nats_server import Bus, EmbeddedNats
    from thresher.cluster.remote import RemoteWorkers, WorkerConfig
    from thresher.cluster.sockets import SocketTransport

log = logging.getLogger(__name__)

FAST, BUSY = 64, 8  # requests in flight with and without rests: one process keeps up with fewer
LONG = 2_000  # pages: fewer are there before workers have paid for their start
MOST_CORES = 4  # that one fold can keep busy
MORE_REST = 3600.0  # seconds that a slow host may rest beyond what it asked for


def make_workers(
    plan: CrawlPlan,
    store: Database,
    folder: CrawlFolder,
    here: int,
    compare: tuple[Check, ...] = (),
    copies: Copies = NO_COPIES,
) -> WorkerFactory | None:
    """Return the factory of worker processes, here or over NATS; None if none are asked for."""
    settings = plan.settings
    if not here and not settings.cluster.bus:
        return None
    if not plan.world.remote_workers:
        log.warning("Workers are for the live web: this one is crawled in this process.")
        return None
    return RemoteWorkerFactory(plan, store, folder, here, compare, copies).of


def workers_here(plan: CrawlPlan) -> int:
    """Return how many processes here work for a crawl: as its user says, or one a core where that pays."""
    if (said := plan.settings.web.workers) is not None:
        return said
    cores = min(cores_here(), MOST_CORES)
    return cores if cores > 1 and _is_fast(plan.settings) and _can_be_shared(plan) else 0


def _is_fast(settings: Settings) -> bool:
    """Tell whether a crawl would keep one process busy, and lasts longer than others take to start."""
    web, pages = settings.web, settings.stop.pages
    return web.concurrency >= (FAST if web.delay else BUSY) and (not pages or pages >= LONG)


def _can_be_shared(plan: CrawlPlan) -> bool:
    """Tell whether workers can do all that a crawl wants; what its user wrote stays where it was tried."""
    settings, web = plan.settings, plan.settings.web
    alone = settings.cluster.bus or web.browser != "never" or web.cookie_file
    if not plan.world.remote_workers or not POSIX or alone:
        return False
    return not reading_task(settings, plan.world.topic).classes


async def check_bus(plan: CrawlPlan) -> None:
    """See before anything is written that the engine can be reached, or say why not."""
    if plan.world.remote_workers and plan.settings.cluster.bus:
        from thresher.cluster.nats_server import bus_of

        await bus_of(plan.settings.cluster).check()


@dataclass(frozen=True)
class RemoteWorkerFactory:
    """Makes the workers of one crawl."""

    plan: CrawlPlan
    store: Database
    folder: CrawlFolder
    here: int
    compare: tuple[Check, ...]
    copies: Copies

    def of(self, visitor: Visitor, clock: Clock) -> "RemoteWorkers":
        """Return workers elsewhere; what needs the store is done by the visitor here."""
        from thresher.build.live import secret_lines_of
        from thresher.cluster.nats_server import bus_of
        from thresher.cluster.remote import RemoteWorkers

        settings = self.plan.settings
        bus = bus_of(settings.cluster, self.folder.bus) if settings.cluster.bus else None
        transport: CrawlTransport = bus.crawl_transport(self._name()) if bus else self._local()
        return RemoteWorkers(
            transport,
            self._terms(bus),
            without_checks(visitor, self.compare),
            clock,
            self.compare,
            self.copies,
            partial(secret_of, secret_lines_of(settings.web)),
            self.folder.workers,
        )

    def _local(self) -> "SocketTransport":
        """Return processes of our own; what they may do is what this crawl may."""
        from thresher.cluster.sockets import SocketTransport, start_worker

        web = self.plan.settings.web
        capacity = -(-web.concurrency // self.here)
        flags = ["--concurrency", str(capacity), *(f"--allow-network={each}" for each in web.allow_networks)]
        classes = reading_task(self.plan.settings, self.plan.world.topic).classes
        flags += [f"--allow-class={each}" for each in classes]
        return SocketTransport(self.here, partial(start_worker, flags=flags))

    def _terms(self, bus: "Bus | EmbeddedNats | None") -> "WorkerConfig":
        from thresher.cluster.nats_server import is_private
        from thresher.cluster.payload import Bounds
        from thresher.cluster.remote import UNBOUNDED, WorkerConfig

        settings, web = self.plan.settings, self.plan.settings.web
        private = bus is None or is_private(bus)
        return WorkerConfig(
            crawl=self._name() if bus else "here",
            task=task_of(settings, reading_task(settings, self.plan.world.topic), private),
            lease=settings.cluster.lease,
            delay=web.delay,
            deadline=web.timeout + web.read_timeout + web.patience + settings.cluster.lease,
            bounds=Bounds(web.max_bytes, max(web.longest_rest, web.crawl_delay_cap) + MORE_REST),
            most=UNBOUNDED if bus else web.concurrency,  # elsewhere every worker has its own --concurrency
            quiet=bus is not None and self.store.tally(0.0).outcomes.total() > 0,
            join=bus.join_sentence() if bus else "",
        )

    def _name(self) -> str:
        """Return by what name workers know this crawl, for as long as its folder lasts."""
        self.store.facts.cluster = self.store.facts.cluster or os.urandom(6).hex()
        return self.store.facts.cluster


def without_checks(visitor: Visitor, compare: tuple[Check, ...]) -> Visitor:
    """Return the visitor that stays here, without the checks that are made of what workers bring."""
    return dataclasses.replace(visitor, checks=tuple(each for each in visitor.checks if each not in compare))


def secret_of(lines: Mapping[str, str], url: Url) -> str:
    """Return the secret headers of a request, which its origin alone may receive."""
    return lines.get(host_of(url), "")


def task_of(settings: Settings, reading: ReadingTask, private: bool) -> bytes:
    """Return what workers are told of a crawl; passwords only over a private connection."""
    from thresher.build.worker import WorkerTask, encode_task

    web = settings.web
    if web.cookie_file:
        raise SettingsError("The cookies of a file are not given to workers: crawl without --workers.")
    if web.browser != "never":
        raise SettingsError(
            "Pages are rendered where the crawl runs, not by workers: crawl without --workers, or with --set "
            "web.browser=never."
        )
    if not private and (web.proxy or web.credentials or web.headers):
        raise SettingsError(
            "Passwords are not sent in plain text: give the engine TLS, or crawl without them."
        )
    proxy = web.proxy.reveal()
    slim = replace(web, proxy=Secret(), credentials={}, headers={})
    return encode_task(WorkerTask(slim, reading, settings.scope.rules, proxy, settings.scope.language))
