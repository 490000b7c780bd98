"""Ctrl-C once or twice, and SIGTERM: each ends a crawl in ten seconds, even if a host hangs."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.killing.evidence import acknowledged
from tests.faults.killing.site import NETWORK, Sites

pytestmark = pytest.mark.posix

SILENT = "127.77.1.9"
ROOT = Path(__file__).resolve().parents[2]
HASTY = ["web.timeout=1", "web.connect_timeout=1", "web.backoff=0", "web.after_timeout=0"]


@pytest.fixture
def sites() -> Iterator[Sites]:
    with Sites(120) as sites:
        yield sites


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a host that takes every connection and never says a word."""
    with socket.create_server((SILENT, 0)) as listening:
        yield f"http://{SILENT}:{listening.getsockname()[1]}/"


def start(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "thresher", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(sites: Sites, requests: int, process: "subprocess.Popen[str]") -> None:
    while sites.hits.total() < requests:
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("signals", "workers"),
    [
        pytest.param((signal.SIGINT,), 0, id="Ctrl-C"),
        pytest.param((signal.SIGINT,), 2, id="Ctrl-C, workers", marks=pytest.mark.slow),
        pytest.param((signal.SIGINT, signal.SIGINT), 0, id="Ctrl-C twice", marks=pytest.mark.slow),
        pytest.param((signal.SIGINT, signal.SIGINT), 2, id="Ctrl-C twice, workers"),
        pytest.param((signal.SIGTERM,), 0, id="SIGTERM", marks=pytest.mark.slow),
        pytest.param((signal.SIGTERM,), 2, id="SIGTERM, workers", marks=pytest.mark.slow),
    ],
)
def test_a_crawl_stops_in_time_while_a_host_hangs_and_resume_finishes_it(
    signals, workers, sites, silent, tmp_path
):
    folder = tmp_path / "crawl"
    seeds = [f"--seed={seed}" for seed in (*sites.seeds, silent)]
    limits = ["--pages=0", "--delay=0", "--concurrency=4", "--per-host=2", f"--allow-network={NETWORK}"]
    crawl = start("crawl", "honey", "-o", str(folder), *seeds, *limits, f"--workers={workers}")
    wait_for(sites, 20, crawl)
    for each in signals:
        os.killpg(crawl.pid, each)  # as a terminal does: the workers hear it, too
        time.sleep(0.3)
    out, err = crawl.communicate(timeout=10)
    assert crawl.returncode == 11, err
    assert "Stopped: interrupted." in out
    assert f"Go on: thresher resume {folder}" in out
    assert "Traceback" not in err
    before = acknowledged(folder)
    assert 0 < len(before) < len(sites.expected())
    resumed = start("resume", str(folder), *(f"--set={each}" for each in HASTY))
    out, err = resumed.communicate(timeout=50)
    assert resumed.returncode == 0, err
    after = acknowledged(folder)
    assert after[: len(before)] == before
    ends = {visit.url: visit.outcome for visit in after}
    assert ends == {**sites.expected(), silent: "failed" if ends[silent] == "failed" else "forbidden"}
    assert max(Counter(visit.url for visit in after).values()) == 1
