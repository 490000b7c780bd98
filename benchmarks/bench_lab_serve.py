"""How many requests a second `thresher lab serve` answers on one core, and what memory it needs for many.

    python benchmarks/bench_lab_serve.py [CORPUS] [REQUESTS]

Without a corpus the practice web is recorded. The server is a process of its own; its processor time, user
and system, is what counts, so that neither the client beside it nor other work on the machine does.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from thresher_lab.corpus import Corpus
from thresher_lab.served_web import served

AT_ONCE = 32
THRESHER = Path(sys.executable).with_name("thresher")


async def ask(port: int, requests: list[bytes], pid: int) -> list[tuple[int, float, float]]:
    """Ask for everything over a few connections; return requests, seconds and megabytes at ten moments."""
    done, marks, every = 0, [(0, *spent(pid))], max(1, len(requests) // 10)
    waiting = iter(requests)

    async def client() -> None:
        nonlocal done
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for request in waiting:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().rpartition(b"content-length: ")[2]))
            done += 1
            if done % every == 0:
                marks.append((done, *spent(pid)))
        writer.close()

    await asyncio.gather(*(client() for _ in range(AT_ONCE)))
    return marks


def spent(pid: int) -> tuple[float, float]:
    """Return the processor seconds and the megabytes in memory of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds, int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def requests_of(corpus: Path, count: int) -> list[bytes]:
    """Return requests for every recorded URL in turn, so often that there are as many as asked for."""
    with served([Corpus(corpus)]) as web:
        names = sorted(web.spelling(name) for name in web._places)
    line = "GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: bench/1\r\nAccept: */*\r\n\r\n"
    once = [line.format(url.replace("https:", "http:", 1), url.split("/")[2]).encode() for url in names]
    return [once[n % len(once)] for n in range(count)]


def main() -> None:
    """Measure, and print."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "practice"
        count = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
        if len(sys.argv) == 1:
            subprocess.run([THRESHER, "lab", "record", "--practice", "1", "-o", corpus], check=True)
        requests = requests_of(corpus, count)
        log = Path(folder) / "access.jsonl"
        command = [THRESHER, "lab", "serve", corpus, "--idle", "20", "--log", log]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            port = int(server.stdout.readline().rpartition(":")[2])
            marks = asyncio.run(ask(port, requests, server.pid))
            server.terminate()
            print(server.stdout.read().strip())
    for (before, began, _), (done, ended, size) in pairwise(marks):
        pace = (done - before) / max(0.01, ended - began)
        print(f"{done:7} requests: {pace:7.0f} a second of processor, {size:5.0f} MB")
    whole = marks[-1][0] / (marks[-1][1] - marks[0][1])
    print(f"{whole:.0f} requests a second on one core; from {marks[1][2]:.0f} to {marks[-1][2]:.0f} MB.")


if __name__ == "__main__":
    main()
