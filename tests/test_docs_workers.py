"""The commands of docs/use/workers.md do what the page says, on loopback in the place of the web."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.test_wires import engine, free_port
from tests.faults.killing.evidence import acknowledged
from tests.faults.killing.site import NETWORK, Sites

pytestmark = pytest.mark.timeout(120)

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "use" / "workers.md").read_text()
HERE = [f"--allow-network={NETWORK}"]


def commands(heading: str) -> list[list[str]]:
    """Return the commands of a section, as words."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```\n(.*?)```", section, re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def start(words: list[str], place: Path) -> "subprocess.Popen[str]":
    assert words[0] == "thresher"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "thresher", *words[1:]]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=place, env=environment, stdout=pipe, stderr=pipe, text=True)


def ended(program: "subprocess.Popen[str]") -> tuple[int, str, str]:
    out, err = program.communicate(timeout=60)
    return program.returncode, out, err


def from_loopback(words: list[str], sites: Sites) -> list[str]:
    """Return a command with our own sites in the place of the example's."""
    return [word.replace("https://example.org/tea", sites.seeds[0]) for word in words] + HERE


def test_one_machine_takes_three_lines(tmp_path):
    crawl, workers, resume = commands("One machine")
    with Sites(30) as sites:
        working = start([*from_loopback(crawl, sites), "--delay=0.1"], tmp_path)
        while "2 workers" not in (told := ended(start(workers, tmp_path)))[1]:
            assert working.poll() is None, (told, working.communicate())
        code, _, err = ended(working)
        assert code == 0, err
        code, _, err = ended(start([*resume, *HERE], tmp_path))
        assert code == 0, err
        assert {visit.url: visit.outcome for visit in acknowledged(tmp_path / "tea")} == sites.expected()


def test_ten_machines_join_by_the_line_that_the_crawl_prints(tmp_path):
    engine()
    crawl, join = commands("Ten machines")
    with Sites(12) as sites:
        place = f"127.0.0.3:{free_port()}"  # not 127.0.0.1: so it is another machine, with TLS
        crawl = [word.replace("0.0.0.0:4222", place) for word in from_loopback(crawl, sites)]
        working = start([*crawl, "--delay=0"], tmp_path)
        assert working.stderr
        line = next(found for each in working.stderr if (found := re.search(r"--connect '([^']+)'", each)))
        assert (
            re.sub(
                r":[0-9a-f]{32}@\S+:\d+#sha256=[0-9a-f]+", ":PASSWORD@HOST:4222#sha256=FINGERPRINT", line[1]
            )
            == join[3]
        )
        worker = start([*join[:3], line[1], *join[4:], *HERE], tmp_path)
        code, _, err = ended(working)
        worker.terminate()
        assert (code, ended(worker)[0]) == (0, 0), err
        assert {visit.url: visit.outcome for visit in acknowledged(tmp_path / "tea")} == sites.expected()
