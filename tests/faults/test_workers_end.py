"""Sixteen workers on one machine end by themselves, whatever ends: they, the crawl, or the engine."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest

from tests.contracts.test_wires import engine, free_port
from tests.faults.killing.site import NETWORK, Sites
from tests.nightly import cases

pytestmark = [pytest.mark.timeout(180), pytest.mark.posix]

MANY = 16
ROOT = Path(__file__).resolve().parents[2]


def start(*arguments: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "thresher", *arguments]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def workers_of(crawl: "subprocess.Popen[str]") -> set[int]:
    """Return the processes that a crawl has started to work for it, joined or not, once there are all."""
    while crawl.poll() is None:
        with suppress(OSError):
            children = Path(f"/proc/{crawl.pid}/task/{crawl.pid}/children").read_text("ascii").split()
            found = {int(each) for each in children if b"\0--connect\0fd:" in command_of(each)}
            if len(found) == MANY:
                return found
        time.sleep(0.05)
    raise AssertionError(f"The crawl ended before it had {MANY} workers.")


def command_of(process: str) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def is_alive(process: int) -> bool:
    try:
        return (
            f"{process} (" in (stat := Path(f"/proc/{process}/stat").read_text(encoding="utf-8"))
            and ") Z " not in stat
        )
    except OSError:
        return False


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc who is alive")
@pytest.mark.parametrize(
    "ending",
    cases([signal.SIGTERM, signal.SIGKILL, None], here=[signal.SIGKILL]),
    ids=["stopped", "killed", "ended"],
)
def test_workers_over_sockets_end_with_their_crawl(ending, tmp_path):
    with Sites(4000) as sites:
        seeds = [f"--seed={seed}" for seed in sites.seeds]
        limits = ["--pages=0", "--delay=0.1", f"--allow-network={NETWORK}", f"--workers={MANY}"]
        limits += [] if ending else ["--time=12s"]
        crawl = start("crawl", "honey", "-o", str(tmp_path / "crawl"), *seeds, *limits)
        try:
            workers = workers_of(crawl)
            assert all(is_alive(each) for each in workers)
            if ending:
                crawl.send_signal(ending)
            crawl.communicate(timeout=60)
            end = time.monotonic() + 10.0
            while any(is_alive(each) for each in workers) and time.monotonic() < end:
                time.sleep(0.05)
            assert not [each for each in workers if is_alive(each)]
        finally:
            crawl.kill()


@contextmanager
def plain_engine(port: int, asked: int) -> Iterator["subprocess.Popen[bytes]"]:
    """Start an engine that tells at a second port who is connected."""
    quiet, command = subprocess.DEVNULL, [engine(), "-a", "127.0.0.1", "-p", str(port), "-m", str(asked)]
    server = subprocess.Popen(command, stdout=quiet, stderr=quiet)
    try:
        while not connections(asked):
            time.sleep(0.05)
        yield server
    finally:
        server.kill()
        server.wait()


def connections(port: int) -> list[str]:
    """Return who is connected, by name, with the engine itself if it answers; who only tries has none."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/connz") as answer:
            told = msgspec.json.decode(answer.read())["connections"]
    except OSError:
        return []
    return ["engine", *(each["name"] for each in told if "name" in each)]


@pytest.mark.slow
def test_workers_over_an_engine_leave_when_told_and_end_when_it_is_gone_for_good():
    port, asked = free_port(), free_port()
    with plain_engine(port, asked) as server:
        arguments = ["worker", "--connect", f"nats://127.0.0.1:{port}", "--patience=2", "-v"]
        workers = [start(*arguments) for _ in range(MANY)]
        try:
            while len(connections(asked)) <= MANY:
                time.sleep(0.1)
            for each in workers[: MANY // 2]:
                each.terminate()
            left = [each.communicate(timeout=60)[1] for each in workers[: MANY // 2]]
            assert [each.returncode for each in workers[: MANY // 2]] == [0] * (MANY // 2), left
            server.kill()
            said = [each.communicate(timeout=60)[1] for each in workers[MANY // 2 :]]
            assert all(
                "The engine has not answered for 2 s. Start it, then this worker again." in each
                for each in said
            )
            assert {each.returncode for each in workers[MANY // 2 :]} == {2}
        finally:
            for each in workers:
                each.kill()
