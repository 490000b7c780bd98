"""The real command line against the fault server: what the server saw is the judge.

It takes up to ten minutes for each of its two crawls, one without cookies and one with.
"""

import hashlib
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from checks.watched import at_percentile
from tests.faults.killing.evidence import archives, is_clean, wrong_digests

MINUTES = 10
NEVER = (
    "robots_violations page_before_robots gap_violations retry_after_violations canary_hits "
    "sensitive_header_leaks"
).split()
SETTINGS = {
    "web.kind": "live",
    "web.timeout": 8.5,
    "web.idle_timeout": 8,
    "web.connect_timeout": 5,
    "web.backoff": 0.3,
    "web.after_timeout": 60.5,  # the server holds a hanging request for a minute, and so must we
    "web.longest_rest": 1,
    "web.concurrency": 48,
    "web.throttle": "false",  # the host of faults is slow on purpose
}
PARKED = "rb-crawl-delay-absurd"  # asks for a day between requests: parked by design, and shown


class Server:
    """The fault server, as far as it can be asked."""

    def __init__(self, control: str) -> None:
        self.control = control

    def ask(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.control}{path}", timeout=60) as answer:
            return json.load(answer)


@pytest.fixture(scope="module")
def shared() -> Path:
    found = Path(os.environ.get("THRESHER_SHARED", ""))
    script = found / "faults/faultserver.py"
    assert script.is_file(), f"No file {script}: set THRESHER_SHARED to the folder that holds faults."
    return found


@pytest.fixture(scope="module", params=[False, True], ids=["without cookies", "with cookies"])
def crawled(request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Crawl the whole fault server once, and keep what both sides say about it."""
    folder = tmp_path_factory.mktemp("faults") / "crawl"
    with serving(shared, seed=3 + request.param) as server:
        hosts = server.ask("/__hosts")
        run = crawl(folder, seeds_of(hosts), cookies=request.param)
        yield {
            "folder": folder,
            "hosts": hosts,
            "faults": server.ask("/__faults"),
            "truth": server.ask("/__truth"),
            "report": server.ask("/__report"),
            **run,
        }


@contextmanager
def serving(shared: Path, seed: int) -> Iterator[Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = [sys.executable, str(shared / "faults/faultserver.py"), "--port", str(port), "--sites", "4"]
    script += ["--pages", "150", "--min-gap", "0.2", "--utm", "--data", str(shared / "faults/data")]
    script += ["--seed", str(seed), "--max-seconds", "900"]
    process = subprocess.Popen(script, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield Server(json.loads(process.stdout.readline())["control"])
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def seeds_of(hosts: dict[str, Any]) -> list[str]:
    return [
        f"{host['base']}/"
        for name, host in hosts.items()
        if name not in ("canary", "control") and not name.startswith("_")
    ]


def crawl(folder: Path, seeds: list[str], *, cookies: bool) -> dict[str, Any]:
    """Run the command line to its end and watch its memory."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    file, steps = folder.parent / "seeds.txt", folder.parent / "steps.json"
    file.write_text("\n".join(seeds))
    command = [sys.executable, str(Path(__file__).with_name("watched.py")), str(steps), "crawl", "telescope"]
    command += ["--seeds", str(file), "-o", str(folder), "--strategy", "breadth_first", "--pages", "0"]
    command += ["--delay", "0.25", "--allow-network", "127.77.0.0/16", "--time", f"{MINUTES}m", "--json"]
    for name, value in {**SETTINGS, "web.cookies": str(cookies).lower()}.items():
        command += ["--set", f"{name}={value}"]
    begun, peak = time.monotonic(), 0
    with (folder.parent / "out.json").open("w") as out, (folder.parent / "log.txt").open("w") as log:
        process = subprocess.Popen(command, stdout=out, stderr=log, cwd=folder.parent)
        while process.poll() is None:
            peak = max(peak, memory_of_tree(process.pid))
            time.sleep(0.2)
    log_text = (folder.parent / "log.txt").read_text()
    assert process.returncode in (0, 15), log_text[-2000:]
    result = json.loads((folder.parent / "out.json").read_text())
    return {
        "seconds": time.monotonic() - begun,
        "peak": peak,
        "result": result,
        "steps": json.loads(steps.read_text()),
    }


def memory_of_tree(root: int) -> int:
    """Return the resident bytes of a process and all its descendants."""
    parents: dict[int, list[int]] = {}
    resident: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
            resident[int(entry.name)] = int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    family, total = [root], 0
    while family:
        process = family.pop()
        total += resident.get(process, 0)
        family += parents.get(process, [])
    return total


def visits(crawled: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return URL, outcome and reason of every visit."""
    with sqlite3.connect(f"file:{crawled['folder'] / 'crawl.db'}?mode=ro", uri=True) as database:
        return list(database.execute("SELECT url, outcome, reason FROM visit ORDER BY number"))


def stored(crawled: dict[str, Any]) -> dict[str, set[str]]:
    """Return the SHA-1 of every archived body, by URL, as a foreign reader finds it."""
    bodies: dict[str, set[str]] = {}
    for file in sorted((crawled["folder"] / "warc").glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "response":
                    url = record.rec_headers.get_header("WARC-Target-URI").partition("?utm_")[0]
                    digest = hashlib.sha1(record.content_stream().read()).hexdigest()
                    bodies.setdefault(url, set()).add(digest)
    return bodies


@pytest.mark.timeout(0)
def test_the_server_saw_nothing_impolite(crawled: dict[str, Any]) -> None:
    summary = crawled["report"]["summary"]
    print(json.dumps({**summary, "seconds": crawled["seconds"], "peak_mb": crawled["peak"] / 1e6}, indent=1))
    guilty = {
        name: {key: host[key] for key in ("gap_violations", "max_concurrency", "disallowed_samples")}
        for name, host in crawled["report"]["hosts"].items()
        if host["gap_violations"] or host["max_concurrency"] > 1 or host["disallowed"]
    }
    assert {name: summary[name] for name in NEVER} == dict.fromkeys(NEVER, 0), guilty
    assert summary["max_concurrency"] == 1, guilty


@pytest.mark.timeout(0)
def test_every_page_of_every_site_is_stored_byte_for_byte(crawled: dict[str, Any]) -> None:
    bodies = stored(crawled)
    assert len(crawled["truth"]) == 600
    missing = [page["url"] for page in crawled["truth"] if page["sha1"] not in bodies.get(page["url"], ())]
    assert missing == []


@pytest.mark.timeout(0)
def test_the_archive_is_clean_in_both_readers(crawled: dict[str, Any]) -> None:
    files = archives(crawled["folder"])
    assert [path.name for path in files if not is_clean(path) or wrong_digests(path)] == []


@pytest.mark.timeout(0)
def test_hosts_that_allow_it_have_their_pages(crawled: dict[str, Any]) -> None:
    fetched = {url for url, outcome, _ in visits(crawled) if outcome == "fetched"}
    open_hosts = [
        host["base"]
        for name, host in crawled["hosts"].items()
        if name.startswith("rb-") and host["expect_pages"] in ("all", "rules") and name != PARKED
    ]
    missing = [f"{base}/a/{page}" for base in open_hosts for page in range(5)]
    assert [url for url in missing if url not in fetched] == []
    parked = crawled["hosts"][PARKED]["base"]
    assert any("86400 seconds" in reason for url, _, reason in visits(crawled) if url.startswith(parked))


@pytest.mark.timeout(0)
def test_every_fault_has_exactly_one_final_outcome(crawled: dict[str, Any]) -> None:
    base, faults = crawled["hosts"]["fault"]["base"], crawled["faults"]
    raw = [f"{base}/raw/{kind}/{number}" for kind, count in faults["raw"].items() for number in range(count)]
    recipes = [f"{base}/n/{name}" for name in faults["recipes"]]
    assert (len(faults["faults"]), len(raw), len(recipes)) == (229, 196, 44)
    endings: dict[str, list[str]] = {}
    for url, outcome, reason in visits(crawled):
        endings.setdefault(url, []).append(f"{outcome}: {reason}")
    listed = [fault["url"] for fault in faults["faults"]] + raw + recipes
    print(Counter(ending.partition(":")[0] for url in listed for ending in endings.get(url, ["none"])))
    assert {url: endings.get(url, []) for url in listed if len(endings.get(url, [])) != 1} == {}


@pytest.mark.timeout(0)
def test_the_traps_are_not_worth_their_while(crawled: dict[str, Any]) -> None:
    assert crawled["report"]["summary"]["useful_pages"] == 50
    assert crawled["report"]["hosts"]["trap"]["requests"] <= 500


@pytest.mark.timeout(0)
def test_it_stays_small_and_ends_by_itself(crawled: dict[str, Any]) -> None:
    assert crawled["peak"] <= 300e6
    assert crawled["seconds"] < 60 * MINUTES
    assert crawled["result"]["finish_reason"] == "nothing left to visit"


@pytest.mark.timeout(0)
def test_no_step_of_the_event_loop_keeps_the_others_waiting(crawled: dict[str, Any]) -> None:
    steps = crawled["steps"]
    slow = {name: count for name, count in steps.items() if int(name) >= 50}
    print(f"{sum(steps.values()):,} steps, 99.9 % within {at_percentile(steps, 0.999)} ms, slow: {slow}")
    assert at_percentile(steps, 0.999) <= 100
