"""Ten who watch one crawl by the event stream while it is paused, resumed and killed: no gap and no leak.

python -m tests.faults.streams --minutes 10

Each client reads the stream as the screens do and comes back with the last number it saw; three of them hang
up now and then. At the end everybody must have seen every visit once and in order, the server must have as
many files open as before and little more memory, and nobody may have met a locked database.
"""

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import ClientError, ClientSession, ClientTimeout

from tests.faults.server import ALLOWED
from tests.faults.soak import HOSTS, serve

CLIENTS, RESTLESS = 10, 3
HANGS_UP = 20.0  # seconds after which the restless do
GROWTH = 24e6  # bytes that the server may have more at the end than when all watched
PYTHON = [sys.executable, "-m", "thresher"]


@dataclass
class Client:
    """One who watches: the visits it was told of, in the order in which they came."""

    session: ClientSession
    restless: bool
    seen: list[int] = field(default_factory=list)
    connections: int = 0

    async def watch(self) -> None:
        """Read the stream until cancelled, and come back whenever it ends."""
        while True:
            try:
                await asyncio.wait_for(self._read(), HANGS_UP if self.restless else None)
            except (TimeoutError, ClientError, ConnectionError):
                await asyncio.sleep(0.2)

    async def _read(self) -> None:
        self.connections += 1
        headers = {"Last-Event-ID": str(self.seen[-1] if self.seen else 0)}
        async with self.session.get("/api/v1/events?crawl=bees", headers=headers) as answer:
            answer.raise_for_status()
            number = 0
            async for line in answer.content:
                if line.startswith(b"id: "):
                    number = int(line[4:])
                elif line == b"event: visit\n":
                    self.seen.append(number)

    @property
    def gaps(self) -> int:
        """How often a visit was left out or told twice."""
        return sum(number != place for place, number in enumerate(self.seen, start=1))


@dataclass
class Server:
    """`thresher serve` and its address."""

    process: "subprocess.Popen[str]"
    address: str
    token: str

    def memory(self) -> float:
        """Return the resident bytes."""
        return float(_statm(self.process.pid))

    def files(self) -> int:
        """Return how many files it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def _statm(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf(
        "SC_PAGE_SIZE"
    )


def begin(place: Path, port: int) -> "subprocess.Popen[bytes]":
    """Begin the crawl of a web without end."""
    seeds = [part for host in HOSTS for part in ("--seed", f"http://{host}:{port}/")]
    crawl = ["crawl", "bees", *seeds, "-o", str(place / "bees"), "--allow-network", ALLOWED, "--pages", "0"]
    crawl += ["--delay", "0.5", "--set", "web.idle_timeout=3", "--set", "scope.rules=false"]
    log = (place / "crawl.txt").open("w")
    return subprocess.Popen([*PYTHON, *crawl], stdout=log, stderr=log)


def serving(place: Path) -> Server:
    """Serve the folder of the crawl."""
    log = (place / "serve.txt").open("w")
    command = [*PYTHON, "serve", str(place), "--port", "0", "--allow-network", ALLOWED]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout
    address, _, token = process.stdout.readline().rpartition(" at ")[2].strip().partition("/#token=")
    return Server(process, address, token)


async def steer(session: ClientSession, seconds: float) -> list[str]:
    """Pause, resume and kill the crawl by turns, and return what was not as it should be."""
    wrong: list[str] = []
    for turn in ("paused", "running", "killed", "running", "paused", "running"):
        await asyncio.sleep(seconds / 7)
        if turn == "killed":
            with suppress(ProcessLookupError):  # its state says then that there is none
                os.kill(await _holder(session), signal.SIGKILL)
            wanted = "cut off"
        else:
            answer = await session.post("/api/v1/crawls/bees/state", json={"to": turn})
            wanted = turn
            if answer.status != 202:
                wrong.append(f"{turn}: {answer.status} {await answer.text()}")
        if not await becomes(session, wanted):
            wrong.append(f"not {wanted} within a minute")
        print(f"{turn}: {await _state(session)}", flush=True)
    await asyncio.sleep(seconds / 7)
    await session.post("/api/v1/crawls/bees/state", json={"to": "stopped"})
    await becomes(session, "stopped")
    return wrong


async def _holder(session: ClientSession) -> int:
    folder = (await (await session.get("/api/v1/crawls/bees")).json())["crawl"]["folder"]
    return int((Path(folder) / "crawl.lock").read_text())


async def _state(session: ClientSession) -> str:
    answer = await session.get("/api/v1/crawls/bees")
    return str((await answer.json())["crawl"]["state"]) if answer.status == 200 else "not there yet"


async def becomes(session: ClientSession, state: str) -> bool:
    """Wait for a state; return whether it came within a minute."""
    for _ in range(120):
        if await _state(session) == state:
            return True
        await asyncio.sleep(0.5)
    return False


async def watched(server: Server, seconds: float) -> int:
    """Watch the crawl with all clients while it is steered; return 0 if all went well."""
    headers = {"Authorization": f"Bearer {server.token}"}
    async with ClientSession(server.address, headers=headers, timeout=ClientTimeout(total=None)) as session:
        await becomes(session, "running")
        before = server.files()
        clients = [Client(session, number < RESTLESS) for number in range(CLIENTS)]
        tasks = [asyncio.create_task(client.watch()) for client in clients]
        await asyncio.sleep(min(20.0, seconds / 10))
        memory = server.memory()
        wrong = await steer(session, seconds)
        await asyncio.sleep(20)  # the last visits are told
        grown = server.memory() - memory
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(2)
        open_now = server.files()
    last = max(client.seen[-1] for client in clients)
    short = sum(client.seen[-1] != last for client in clients)
    gaps, connections = sum(client.gaps for client in clients), sum(c.connections for c in clients)
    print(
        f"{last:,} visits to {CLIENTS} clients over {connections} connections: {gaps} gaps, {short} behind; "
        f"memory {memory / 1e6:.0f} MB {grown / 1e6:+.1f} MB; files {before}, then {open_now}; "
        f"{wrong or 'all steered'}"
    )
    return int(bool(gaps or short or wrong) or grown > GROWTH or open_now > before + 4)


def run(name: str, about: str, watched: Callable[[Server, float], Coroutine[None, None, int]]) -> int:
    """Let some watch a crawl of a web without end; return 0 if all went well."""
    asked = argparse.ArgumentParser(prog=f"python -m {name}", description=about)
    asked.add_argument("--minutes", type=float, default=10.0)
    seconds = 60 * asked.parse_args().minutes
    ready, port = threading.Event(), list[int]()
    threading.Thread(target=serve, args=(ready, port), daemon=True).start()
    ready.wait(10)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        crawl, server = begin(place, port[0]), serving(place)
        try:
            result = asyncio.run(watched(server, seconds))
        finally:
            server.process.terminate()
            server.process.wait(20)
            crawl.kill()
            crawl.wait()
        said = "".join(file.read_text() for file in (*place.glob("*.txt"), *place.glob("bees/crawl.log")))
        locked = [line for line in said.splitlines() if "locked" in line or "Traceback" in line]
        print(f"{len(locked)} lines of lock errors or tracebacks")
        if locked:
            print(said[said.index(locked[0]) :][:3000])
        return result or int(bool(locked))


if __name__ == "__main__":
    raise SystemExit(run("tests.faults.streams", __doc__, watched))
