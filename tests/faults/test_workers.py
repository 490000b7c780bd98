"""A crawl made with one worker or four is the crawl made without; where none can be, there is a sentence."""

import asyncio
import json
import re
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from msgspec.structs import replace

from tests.command_line import Ran, thresher
from tests.contracts.test_wires import engine, free_port
from tests.faults.killing.evidence import acknowledged, check_clean
from tests.faults.killing.site import NETWORK, Sites
from tests.nightly import cases
from thresher.build.crawl import make_plan
from thresher.build.remote_workers import RemoteWorkerFactory
from thresher.cluster import nats_server
from thresher.cluster.messages import Heartbeat, WorkerRefusal, from_crawl
from thresher.cluster.nats import address_of, check, connect
from thresher.cluster.nats_server import EmbeddedNats
from thresher.cluster.remote import RemoteWorkers, WorkerConfig
from thresher.core.clock import RealClock
from thresher.core.errors import UsageError
from thresher.fetch.client import NO_COPIES
from thresher.settings.load import read
from thresher.store.database import Database
from thresher.store.folder import CrawlFolder

pytestmark = [pytest.mark.timeout(120), pytest.mark.posix]
resource = pytest.importorskip("resource")


@pytest.fixture(scope="module")
def sites():
    with Sites(12, tuple(f"127.77.1.{number}" for number in range(1, 7))) as made:
        yield made


def crawl(sites: Sites, folder: Path, workers: str, *more: str) -> Ran:
    seeds = [f"--seed={seed}" for seed in sites.seeds]
    limits = ["--delay=0", "--concurrency=1", f"--allow-network={NETWORK}", f"--workers={workers}"]
    limits += ["--set=web.throttle=false"]  # how slow a host was would be another order
    return thresher("crawl", "honey", "-o", str(folder), *seeds, *limits, *more)


@pytest.fixture(scope="module")
def single(sites, tmp_path_factory):
    """Return the crawl as one process makes it: half of it, and then the rest."""
    return in_two_parts(sites, tmp_path_factory.mktemp("single") / "crawl", "0")


@pytest.fixture(scope="module", params=cases(["1", "2", "4"], here=["2"]), ids="workers {}".format)
def folders(request, sites, single, tmp_path_factory):
    """Return the same crawl made by one process, and by workers in others."""
    return single, in_two_parts(sites, tmp_path_factory.mktemp("worked") / "crawl", request.param)


def in_two_parts(sites: Sites, folder: Path, workers: str) -> Path:
    ran = crawl(sites, folder, workers, "--pages=20")
    assert ran.code == 0, ran.err
    ran = thresher("resume", str(folder), "--pages=0", f"--workers={workers}")
    assert ran.code == 0, ran.err
    return folder


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    database = sqlite3.connect(folder / "crawl.db")
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT number, url, request, outcome, status, size, reason, detail, moved_to, candidate FROM visit",
        "SELECT number, round(relevance, 9) FROM visit ORDER BY number",
        "SELECT visit, mime, digest FROM capture ORDER BY visit",
        "SELECT key, title, language, relevance, page FROM page ORDER BY key",
    ],
    ids=["visits", "relevance", "captures", "pages"],
)
def test_workers_make_the_same_crawl_in_the_same_order_and_resume_it_so(folders, query):
    single, worked = (rows(folder, query) for folder in folders)
    assert single and worked == single


def test_why_says_the_same_of_every_page(folders, sites):
    for url in list(sites.expected())[::7]:
        single, worked = (thresher("why", str(folder), url) for folder in folders)
        assert single.code == worked.code == 0
        assert _without_times(worked.out) == _without_times(single.out)


def test_an_export_of_it_is_the_same(folders, tmp_path):
    told: list[list[dict[str, object]]] = []
    for folder in folders:
        ran = thresher("export", str(folder), "--format=jsonl", "-o", str(tmp_path / f"{len(told)}"))
        assert ran.code == 0, ran.err
        text = (tmp_path / f"{len(told)}").read_text()
        told.append([_without(json.loads(line)) for line in text.splitlines()])
    assert told[0] and told[1] == told[0]


def test_its_report_counts_the_same(folders):
    figures = []
    for folder in folders:
        assert thresher("report", str(folder)).code == 0
        text = (folder / "report.html").read_text()
        figures.append(re.findall(r"<td[^>]*>(\d[\d,]*)</td>", text))
    assert figures[0] == figures[1]


def test_its_archive_is_clean_and_every_page_has_its_one_visit(folders, sites):
    visits = acknowledged(folders[1])
    assert sorted(visit.url for visit in visits) == sorted(sites.expected())
    check_clean(folders[1], visits)


def test_a_crawl_goes_from_workers_to_none_and_back(sites, tmp_path):
    folder = tmp_path / "crawl"
    assert crawl(sites, folder, "2", "--pages=16").code == 0
    assert thresher("resume", str(folder), "--pages=34", "--workers=0").code == 0
    ran = thresher("resume", str(folder), "--pages=0", "--workers=2")
    assert ran.code == 0, ran.err
    visits = acknowledged(folder)
    assert {visit.url: visit.outcome for visit in visits} == sites.expected()
    assert len(visits) == len(sites.expected())
    check_clean(folder, visits)


def _without_times(text: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?|\S+\.warc\.gz\S*", "", text)


def _without(document: dict[str, object]) -> dict[str, object]:
    """Leave out when it was and where it lies: that differs between any two crawls."""
    return {
        name: value for name, value in document.items() if name not in ("at", "record", "fetched_at", "date")
    }


def test_without_an_engine_there_is_one_sentence_and_no_folder(sites, tmp_path):
    ran = crawl(sites, tmp_path / "crawl", f"nats://127.0.0.1:{free_port()}")
    assert ran.code == 2
    assert "No engine answers at nats://127.0.0.1" in ran.err and len(ran.err.strip().splitlines()) <= 2
    assert not (tmp_path / "crawl").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--connect", "nats://127.0.0.1:9"), "No engine answers at nats://127.0.0.1:9"),
        (("--connect", "nats://bus.example.org"), "anybody on the way could read along"),
        (("--connect", "http://127.0.0.1"), "An engine is named as"),
        (("--connect", "fd:999"), "fd:999 is no socket of a crawl"),
        (("--connect", "env:NO_SUCH_NAME"), "no environment variable NO_SUCH_NAME"),
    ],
)
def test_a_worker_that_cannot_work_says_why(arguments, sentence):
    ran = thresher("worker", *arguments)
    assert ran.code in (2, 4)
    assert sentence in ran.err


@pytest.mark.parametrize("said", ["-1", "many", "redis://bus"])
def test_workers_that_are_none_are_refused(said, sites, tmp_path):
    ran = crawl(sites, tmp_path / "crawl", said)
    assert (ran.code, "--workers takes a number, bus, or an engine" in ran.err) == (2, True)


def test_who_asks_for_workers_of_a_crawl_that_has_none_is_told(folders):
    ran = thresher("worker", "--list", str(folders[0]))
    assert (ran.code, "No crawl with workers runs in" in ran.err) == (2, True)


class Ears:
    """A wire that only listens to what the crawl says."""

    failure = None

    def __init__(self) -> None:
        self.said: list[object] = []

    async def open(self, hear, gone) -> None:
        self.hear = hear

    def say(self, worker: str, message: bytes) -> None:
        self.said.append(from_crawl(message))

    def call(self, message: bytes) -> None:
        pass

    def lost(self, worker: str) -> None:
        pass

    async def close(self) -> None:
        pass


async def test_a_worker_of_another_version_is_told_which_one_is_wanted():
    from tests.contracts.test_workers import visitor

    ears = Ears()
    workers = RemoteWorkers(ears, WorkerConfig("c", b""), visitor(), RealClock())
    await workers.open()
    ears.hear("w", msgspec.msgpack.encode(Heartbeat("0.0.1/1", "", 0.0, 8, [])))
    ears.hear("w", b"no message at all")
    assert [type(each) for each in ears.said] == [WorkerRefusal]
    assert "this worker 0.0.1/1: install the same Thresher" in str(ears.said[0])
    assert workers.free == 0
    await workers.close()


@pytest.mark.parametrize("listen", ["", "127.0.0.3"], ids=["here", "for others"])
async def test_an_engine_of_our_own_lets_in_who_has_a_line_and_nobody_else(listen, tmp_path, caplog):
    engine()
    bus = EmbeddedNats(tmp_path / "bus", f"{listen}:{free_port()}" if listen else "")
    server, _ = await bus.start()
    try:
        bus.invite("worker-1.process")
        bus.invite("worker-1.process")
        bus.invite("worker-7.process")
        one, two = (address_of(line) for line in join_lines(caplog.text))
        assert (one.user, two.user, one.tls, len(one.fingerprint)) == ("worker-1", "worker-2", True, 64)
        assert one.password != two.password
        await check(one)
        with pytest.raises(UsageError, match="does not know this user and password"):
            await check(replace(one, password=two.password))
        with pytest.raises(UsageError, match="shows another certificate"):
            await check(replace(one, fingerprint="0" * 64))
        assert oct((tmp_path / "bus" / "secret").stat().st_mode)[-3:] == "600"
    finally:
        server.kill()
        await server.wait()


def join_lines(text: str) -> list[str]:
    return re.findall(r"--connect '([^']+)'", text)


async def test_a_rogue_worker_neither_hears_nor_answers_for_another(tmp_path, caplog):
    """With one user for all it heard the orders of others, and had them sent away by three forged answers."""
    engine()
    bus = EmbeddedNats(tmp_path / "bus")
    transport = bus.crawl_transport("c")
    heard: list[tuple[str, bytes]] = []
    await transport.open(lambda worker, message: heard.append((worker, message)), lambda worker: None)
    try:
        bus.invite("worker-1.x")
        honest, rogue = [await connect(address_of(line), "w") for line in join_lines(caplog.text)]
        overheard: list[str] = []

        async def overhear(message) -> None:
            overheard.append(message.subject)

        for subject in (
            "thresher.>",
            "thresher.*.worker.*.*",
            "thresher.*.worker.worker-1.*",
            "thresher.*.from.*.*",
        ):
            await rogue.subscribe(subject, cb=overhear)
        for subject in ("thresher.c.from.worker-1.x", "thresher.c.worker.worker-1.x", "thresher.c.workers"):
            await rogue.publish(subject, b"forged")
        await rogue.publish("thresher.c.from.worker-2.y", b"its own")
        await honest.publish("thresher.c.from.worker-1.x", b"honest")
        transport.say("worker-1.x", b"an order with a password")
        for client in (rogue, honest):
            await client.flush()
        await asyncio.sleep(0.5)
        assert sorted(heard) == [("worker-1.x", b"honest"), ("worker-2.y", b"its own")]
        assert overheard == []
        await honest.close()
        await rogue.close()
    finally:
        await transport.close()


async def test_an_engine_that_stands_at_our_port_is_told_nothing(tmp_path):
    """Another user's engine without passwords: it was given orders with a password in them."""
    said = bytearray()

    async def foreign(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'INFO {"server_id":"X","version":"2.15.1","max_payload":1048576,"headers":true}\r\n')
        said.extend(await reader.read(1 << 16))
        writer.close()

    listening = await asyncio.start_server(foreign, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    bus = EmbeddedNats(tmp_path / "bus", f"127.0.0.1:{port}")
    with pytest.raises(UsageError, match=r"does not begin at tls:.*is the port taken"):
        await bus.start()
    assert said and b"CONNECT" not in said
    assert bus._password("crawl").encode() not in said
    listening.close()


def test_a_crawl_whose_port_is_taken_ends_in_one_sentence(sites, tmp_path):
    engine()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = crawl(sites, tmp_path / "crawl", f"bus://127.0.0.1:{port}")
    assert ran.code == 2
    assert f"does not begin at tls://127.0.0.1:{port}: is the port taken?" in ran.err


def test_an_engine_that_was_changed_is_not_started(tmp_path, monkeypatch):
    program = tmp_path / "nats-server"
    program.write_bytes(Path(engine()).read_bytes() + b"one byte more")
    program.chmod(0o755)
    monkeypatch.setattr(nats_server, "sys", SimpleNamespace(executable=str(tmp_path / "python")))
    with pytest.raises(UsageError, match=r"no engine that Thresher knows \(SHA-256 [0-9a-f]{16}\)"):
        asyncio.run(EmbeddedNats(tmp_path / "bus").check())
    asyncio.run(EmbeddedNats(tmp_path / "bus", program=str(program)).check())


def test_a_full_disk_at_the_crawl_ends_it_in_a_sentence_and_resume_loses_nothing(sites, tmp_path):
    """The folder may hold so many bytes and no more; its workers write nothing."""
    folder, seeds = tmp_path / "crawl", [f"--seed={seed}" for seed in sites.seeds]
    limits = ["--pages=0", "--delay=0", f"--allow-network={NETWORK}", "--workers=2"]
    command = [sys.executable, "-m", "thresher", "crawl", "honey", "-o", str(folder), *seeds, *limits]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, preexec_fn=little_room)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "cannot be written" in done.stderr and "Everything saved so far is safe" in done.stderr
    ran = thresher("resume", str(folder), "--workers=2")
    assert ran.code == 0, ran.err
    visits = acknowledged(folder)
    assert sorted(visit.url for visit in visits) == sorted(sites.expected())
    check_clean(folder, visits)


def little_room() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))


def test_workers_of_this_machine_never_have_more_under_way_than_the_crawl_may(sites, tmp_path):
    """--concurrency is for all of them together."""
    ran = crawl(sites, tmp_path / "crawl", "4", "--plan")
    assert ran.code == 0 and "4 workers on this machine" in ran.out
    settings = read(None, [("topic", "honey"), ("seeds", tuple(sites.seeds)), ("web.concurrency", 6)])
    plan = make_plan(replace(settings, web=replace(settings.web, workers=4)))
    far = RemoteWorkerFactory(plan, Database(), CrawlFolder(tmp_path / "none"), 4, (), NO_COPIES)
    assert far._terms(None).most == 6
