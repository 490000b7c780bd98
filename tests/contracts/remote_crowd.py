"""A crawl and its workers in one loop: scripted visits, workers that die, and a record of every request."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.faulty_wire import MemoryEnd, MemoryTransport, Weather
from tests.virtual_loop import LoopClock
from thresher.cluster.leases import Lease
from thresher.cluster.remote import RemoteWorkers, WorkerConfig
from thresher.cluster.worker import Worker
from thresher.core.enums import Outcome
from thresher.core.interfaces import Judge
from thresher.core.records import Candidate, Page, Url, Visit
from thresher.engine.read import PageReader
from thresher.engine.workers import Visitor
from thresher.fetch.client import Copies, Leave

LEASE = 3.0


def passed() -> float:
    return asyncio.get_running_loop().time()


class Nothing:
    """A web, a reader and a judge that are never asked: what they would do is done by workers."""

    async def close(self) -> None:
        pass


@dataclass
class Scripted:
    """Visits of a few requests each, every one with leave and noted."""

    crowd: "Crowd"
    worker: str
    leave: Leave
    wall: Callable[[], float]

    async def visit(self, candidate: Candidate) -> Visit:
        for _ in range(self.crowd.requests):
            self.leave()
            self.crowd.begun.append((passed(), self.worker, candidate.url))
            await asyncio.sleep(self.crowd.dice.uniform(0.0, self.crowd.slowest))
        if candidate.url in self.crowd.poison:
            self.crowd.kill(self.worker)
            await asyncio.Event().wait()
        page = Page(candidate.url, text=f"of {candidate.url}")
        return Visit(candidate, Outcome.FETCHED, self.wall(), page, 0.5, 200, 10)

    async def close(self) -> None:
        pass


class Noted(RemoteWorkers):
    """Remote workers whose every order is noted."""

    orders: list[tuple[float, str, Url]]

    def _order(self, errand: Lease) -> None:
        self.orders.append((passed(), errand.worker, errand.candidate.url))
        super()._order(errand)


@dataclass
class Crowd:
    """One crawl, some workers, and the wire between them."""

    dice: random.Random
    weather: Weather
    requests: int = 2
    slowest: float = 0.5
    room: int = 4
    deadline: float = 60.0
    delay: float = 0.2
    poison: set[Url] = field(default_factory=set)
    begun: list[tuple[float, str, Url]] = field(default_factory=list)
    tasks: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)
    workers: dict[str, Worker] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)

    async def __aenter__(self) -> "Crowd":
        self.transport = MemoryTransport(self.weather)
        terms = WorkerConfig("c", b"task", LEASE, delay=self.delay, deadline=self.deadline)
        reader = PageReader(lambda fetched: Page(fetched.url), Judge())
        here = Visitor(Nothing(), reader, LoopClock())  # type: ignore[arg-type]
        self.crawl = Noted(self.transport, terms, here, LoopClock(), now=passed)
        self.crawl.orders = []
        await self.crawl.open()
        return self

    async def __aexit__(self, *error: object) -> None:
        for name in list(self.tasks):
            self.kill(name)
        await self.crawl.close()

    def join(self, name: str, rate: float = 1.0, wall: float = 0.0) -> Worker:
        """Let a worker come whose clock runs at a rate, and is off."""

        def make(task: bytes, leave: Leave, copies: Copies, secrets: Mapping[str, str]) -> Scripted:
            return Scripted(self, name, leave, own_wall)

        def own_time() -> float:
            return passed() * rate

        def own_wall() -> float:
            return 1.7e9 + passed() + wall

        worker = Worker(self.transport.end(name), make, self.room, now=own_time, wall=own_wall)  # type: ignore[arg-type]
        self.workers[name] = worker
        self.tasks[name] = asyncio.ensure_future(worker.run())
        self.tasks[name].add_done_callback(lambda task: task.cancelled() or task.exception())
        return worker

    def end(self, name: str) -> MemoryEnd:
        return self.transport.ends[name]

    def kill(self, name: str) -> None:
        """Let a worker die without a word."""
        if task := self.tasks.pop(name, None):
            self.end(name).cut()
            task.cancel()

    async def work(self, candidates: list[Candidate], at_most: float = 5_000.0) -> None:
        """Send every candidate as soon as there is room, and take in the visits."""
        left, end = list(reversed(candidates)), passed() + at_most
        while (left or self.crawl.busy) and passed() < end:
            while left and self.crawl.free:
                self.crawl.send(left.pop())
            if visit := await self.crawl.next(1.0):
                self.visits.append(visit)
        assert not left and not self.crawl.busy, f"{len(left)} left, {self.crawl.busy} open"

    def check(self, candidates: list[Candidate]) -> None:
        """See that there was one visit for each, and no request after its order had gone to another."""
        assert Counter(each.candidate.url for each in self.visits) == Counter(each.url for each in candidates)
        for moment, worker, url in self.begun:
            given = [who for when, who, what in self.crawl.orders if what == url and when <= moment]
            assert given[-1] == worker, f"{worker} asked {url} although {given[-1]} had it"


def some(count: int, hosts: int = 5) -> list[Candidate]:
    return [Candidate(Url(f"http://h{number % hosts}.test/{number}")) for number in range(count)]


def later(seconds: float, event: Callable[[], object]) -> None:
    asyncio.get_running_loop().call_later(seconds, event)
