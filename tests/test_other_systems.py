"""What holds where there is no Unix: every module can be imported, and a crawl runs, goes on and is exported.

It is tried on Linux without what Windows lacks (other_system.py), which is no Windows: docs/use/install.md.
"""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from thresher.cluster import sockets
from thresher.core import platform
from thresher.core.errors import UsageError
from thresher.fetch.guard import SystemResolver
from thresher.store.folder import folder_name

ROOT = Path(__file__).resolve().parents[1]
PRETEND = str(ROOT / "tests" / "other_system.py")
RUN = "from thresher.cli.main import main; main()"
EVERY_MODULE = """
import importlib, pkgutil, thresher
for module in pkgutil.walk_packages(thresher.__path__, 'thresher.'):
    if not module.name.endswith('__main__'):
        importlib.import_module(module.name)
from thresher.core.platform import POSIX
print(POSIX)
"""
ONLY_UNIX = re.compile(
    r"\bos\.(fork|getuid|geteuid|killpg|setsid|pwrite|pread|mkfifo|O_NOFOLLOW|O_CLOEXEC)\b"
    r"|^\s*(import|from) (fcntl|resource|pwd|grp|termios|pty|uvloop)\b|pthread_sigmask|add_signal_handler",
    re.MULTILINE,
)
AT_HOME = {"core/platform.py", "fetch/browser/launch.py"}  # the second is a program for Linux and macOS alone
UNIX_TESTS = re.compile(
    r"os\.(fork|getuid|geteuid|killpg|mkfifo|symlink)|symlink_to|import(orskip\(\")? ?(fcntl|resource|pty)"
    r"|SIGKILL|SIGSTOP|\.chmod\(|/proc/|/bin/sh"
)

pytestmark = pytest.mark.posix  # which has to be there to be taken away


def elsewhere(code: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, PRETEND, code, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60
    )


def wait_for_visits(folder: Path) -> None:
    """Return when a crawl has visited something, however slow the machine is today."""
    until = time.monotonic() + 40
    while time.monotonic() < until:
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(f"file:{folder / 'crawl.db'}?mode=ro", uri=True)) as db,
        ):
            if db.execute("SELECT count(*) FROM visit").fetchone()[0]:
                return
        time.sleep(0.05)


def test_every_module_can_be_imported_without_unix(tmp_path):
    ran = elsewhere(EVERY_MODULE, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "False\n"), ran.stderr


def test_a_crawl_runs_goes_on_and_is_exported_without_unix(tmp_path):
    for arguments in (
        ("crawl", "beekeeping", "--pages", "40"),
        ("resume", "beekeeping", "--pages", "60"),
        ("why", "http://kingston-almanac.localhost/beekeeping/how-to-smoke-the-hive-113.html"),
        ("export", "beekeeping", "-o", "bees.jsonl"),
        ("export", "beekeeping", "-f", "warc", "-o", "bees.warc.gz"),
    ):
        ran = elsewhere(RUN, *arguments, cwd=tmp_path)
        assert ran.returncode == 0, (arguments, ran.stderr)
    lines = (tmp_path / "bees.jsonl").read_bytes().splitlines()
    assert len(lines) == 60
    assert all(json.loads(line)["url"] for line in lines)


def test_two_crawls_in_one_folder_are_refused_without_unix(tmp_path):
    """Windows locks bytes: the number of the process stands beside them and can be read."""
    first = subprocess.Popen(
        [sys.executable, PRETEND, RUN, "crawl", "beekeeping", "--pages", "0", "--set", "web.kind=practice"],
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        wait_for_visits(tmp_path / "beekeeping")
        second = elsewhere(RUN, "resume", "beekeeping", cwd=tmp_path)
        assert f"Process {first.pid} is crawling in beekeeping." in second.stderr
    finally:
        first.kill()
        first.wait()


def test_ctrl_c_ends_a_crawl_in_order_where_a_loop_hears_no_signals(tmp_path):
    crawl = subprocess.Popen(
        [sys.executable, PRETEND, RUN, "crawl", "beekeeping", "--pages", "0"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_for_visits(tmp_path / "beekeeping")
    crawl.send_signal(signal.SIGINT)
    out, err = crawl.communicate(timeout=30)
    assert crawl.returncode == 11, err
    assert "Go on: thresher resume beekeeping" in out + err


async def test_workers_of_this_machine_are_refused_in_a_sentence_without_unix(monkeypatch):
    monkeypatch.setattr(sockets, "POSIX", False)
    ours, theirs = socket.socketpair()
    with closing(ours), pytest.raises(UsageError, match="--workers N needs Linux or macOS"):
        await sockets.start_worker(theirs, [])


def test_what_only_unix_has_is_asked_for_in_one_place():
    source = ROOT / "src" / "thresher"
    texts = {
        path.relative_to(source).as_posix(): path.read_text(encoding="utf-8") for path in source.rglob("*.py")
    }
    assert {name for name, text in texts.items() if ONLY_UNIX.search(text)} == AT_HOME


def test_every_test_that_needs_unix_says_so():
    tests = [path for path in (ROOT / "tests").rglob("test_*.py") if "browser" not in path.parts]
    texts = {path.name: path.read_text(encoding="utf-8") for path in tests}
    assert [
        n for n, text in texts.items() if UNIX_TESTS.search(text) and "pytest.mark.posix" not in text
    ] == []


def test_a_folder_has_a_name_that_every_system_takes():
    assert folder_name("CON") == "con-crawl"
    assert folder_name('C++: "templates" / <why>?') == "c-templates-why"
    assert folder_name("...") == "crawl"
    assert len(folder_name("a very long topic " * 40)) <= 80


def test_a_link_is_not_followed_where_a_system_cannot_be_asked_for_that(tmp_path, monkeypatch):
    monkeypatch.setattr(platform, "_NO_FOLLOW", 0)
    (tmp_path / "kept").write_text("kept", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    with pytest.raises(OSError, match="symbolic links"):
        platform.open_file(tmp_path / "link", os.O_WRONLY | os.O_APPEND)


def test_what_is_printed_is_utf8_in_a_file_whatever_the_system_calls_usual(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-c", RUN, "topic", "show", "篮球"],
        cwd=tmp_path,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode("utf-8").startswith("篮球\n")


async def test_names_are_found_by_threads_where_a_loop_cannot_watch_the_sockets_of_aiodns(monkeypatch):
    def refuse() -> None:
        raise RuntimeError("aiodns needs a SelectorEventLoop on Windows")

    monkeypatch.setattr("aiodns.DNSResolver", refuse)
    assert set(await SystemResolver().resolve("localhost", 80)) <= {"127.0.0.1", "::1"}
