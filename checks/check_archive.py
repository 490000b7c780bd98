"""The command line against a server with chunked, coded and damaged pages: both readers find all clean."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

from tests.faults.killing.evidence import (
    archives,
    captured_by_fastwarc,
    captured_by_warcio,
    is_clean,
    wrong_digests,
)
from tests.faults.server import ALLOWED, FaultServer
from tests.faults.test_archive import ANSWERS


def served(ready: threading.Event, port: list[int], end: threading.Event) -> None:
    async def serve() -> None:
        async with FaultServer(ANSWERS) as server:
            port.append(server.port)
            ready.set()
            await asyncio.to_thread(end.wait)

    asyncio.run(serve())


def test_a_crawl_of_chunked_coded_and_damaged_pages_is_clean_in_both_readers(tmp_path: Path) -> None:
    ready, end, port = threading.Event(), threading.Event(), list[int]()
    thread = threading.Thread(target=served, args=(ready, port, end))
    thread.start()
    try:
        assert ready.wait(10)
        urls = [f"http://127.77.0.1:{port[0]}{path}" for path in ANSWERS]
        (tmp_path / "seeds.txt").write_text("\n".join(urls))
        command = [sys.executable, "-m", "thresher", "crawl", "bees", "--seeds", "seeds.txt", "-o", "crawl"]
        command += ["--delay", "0", "--allow-network", ALLOWED, "--pages", "50"]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    finally:
        end.set()
        thread.join(10)
    assert ran.returncode == 0, ran.stderr
    (archive,) = archives(tmp_path / "crawl")
    assert is_clean(archive) and wrong_digests(archive) == []
    found = captured_by_warcio(archive)
    print(f"{len(found)} responses, all clean in warcio and FastWARC")
    assert sorted(found) == sorted(captured_by_fastwarc(archive)) == sorted(urls)
