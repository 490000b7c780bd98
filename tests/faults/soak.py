"""A crawl kept up for long against servers that misbehave: python -m tests.faults.soak --minutes 60.

It is killed twice and goes on. In each part its memory, once it has run for ten minutes or half of the part,
must stay within a tenth; nothing that was acknowledged is lost, and other readers find the archive clean.
"""

import argparse
import asyncio
import gzip
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.faults.killing.evidence import acknowledged, archives, is_clean, wrong_digests
from tests.faults.server import ALLOWED, FaultServer, Request, endless, page, raw, redirect, reset, silence

HOSTS = tuple(f"127.77.0.{number}" for number in range(1, 5))
PARTS = 3
GROWTH = 0.1
SETTLED = 600.0  # seconds after which memory must be flat
TEXT = "<p>The queen lays two thousand eggs a day and the bees bring honey. " * 40
OK = b"HTTP/1.1 200 OK\r\n"
FAULTS = (
    page(gzip.compress(bytes(5_000_000)), Content_Encoding="gzip"),
    page(gzip.compress(TEXT.encode())[:-30], Content_Encoding="gzip"),
    raw(OK + b"Content-Length: 500\r\n\r\nhalf"),
    raw(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n"),
    endless(OK, b"X-Flood: " + b"v" * 80 + b"\r\n"),
    endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1;" + b"e" * 6000 + b"\r\nx\r\n"),
    page(b"", "503 Busy", Retry_After="1"),
    page(b"<p>x" * 200_000, Content_Type="text/html"),
    redirect("/"),
    reset,
    silence(OK),
    raw(b"no HTTP at all"),
)


async def endless_site(request: Request, writer: asyncio.StreamWriter) -> None:
    """Page n links to the next two of every host, so that the queue does not grow; every tenth misbehaves."""
    name = request.target.strip("/")
    number = int(name) if name.isdigit() else 0
    if name == "robots.txt":
        await page(b"", "404 Gone")(request, writer)
    elif number % 10 == 9:
        await FAULTS[number // 10 % len(FAULTS)](request, writer)
    else:
        port = writer.get_extra_info("sockname")[1]
        near = [f"http://{host}:{port}/{number + step}" for host in HOSTS for step in (1, 2)]
        links = " ".join(f"<a href='{url}'>honey bees</a>" for url in near)
        body = f"<title>Bees {number}</title>{TEXT}{links}".encode()
        await page(body, Content_Type="text/html")(request, writer)


class AnySite(dict[str, object]):
    """Answers every path with the endless site."""

    def get(self, path: str, default: object = None) -> object:
        """Return the same answer for all."""
        return endless_site


def serve(ready: threading.Event, found: list[int]) -> None:
    """Run the servers in a thread of their own, until the process ends."""

    async def forever() -> None:
        server = FaultServer({}, HOSTS)
        server.answers = AnySite()  # type: ignore[assignment]
        async with server:
            found.append(server.port)
            ready.set()
            while True:
                await asyncio.sleep(60)
                server.log.clear()

    asyncio.run(forever())


def main() -> int:
    """Return 0 if all went well."""
    asked = argparse.ArgumentParser(prog="python -m tests.faults.soak", description=__doc__)
    asked.add_argument("--minutes", type=float, default=60.0)
    seconds = 60 * asked.parse_args().minutes / PARTS
    ready, port = threading.Event(), list[int]()
    threading.Thread(target=serve, args=(ready, port), daemon=True).start()
    ready.wait(10)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "crawl"
        seeds = [part for host in HOSTS for part in ("--seed", f"http://{host}:{port[0]}/")]
        crawl = ["crawl", "bees", *seeds, "-o", str(folder), "--allow-network", ALLOWED, "--pages", "0"]
        crawl += ["--delay", "1", "--set", "web.idle_timeout=3", "--set", "web.after_timeout=3"]
        crawl += ["--set", "scope.rules=false"]  # it is a trap, and meant to be one
        resume = ["resume", str(folder), "--allow-network", ALLOWED]
        commands = [crawl] + [resume] * (PARTS - 1)
        return max(part(number, command, seconds, folder) for number, command in enumerate(commands, 1))


def part(number: int, command: list[str], seconds: float, folder: Path) -> int:
    """Run one part, kill it, and tell what was found."""
    before = acknowledged(folder)
    with (folder.parent / f"log{number}.txt").open("w") as log:
        process = subprocess.Popen([sys.executable, "-m", "thresher", *command], stdout=log, stderr=log)
        sizes = measured(process, seconds)
        ended = process.poll() is not None
        process.kill()
        process.wait()
    after = acknowledged(folder)
    lost = set(before) - set(after)
    settled = [size for at, size in sizes if at >= min(SETTLED, seconds / 2)] or [0.0]
    growth = max(settled) / settled[0] - 1 if settled[0] else 1.0
    bad = [path.name for path in archives(folder)[:-1] if not is_clean(path) or wrong_digests(path)]
    print(
        f"part {number}: {len(after) - len(before):,} visits in {seconds:.0f} s, {settled[0] / 1e6:.0f} MB, "
        f"{100 * growth:+.1f} % after that, {len(lost)} lost, {len(bad)} archive files not clean"
        f"{', ended by itself' if ended else ''}",
        flush=True,
    )
    return int(bool(lost or bad or ended or growth > GROWTH))


def measured(process: subprocess.Popen[bytes], seconds: float) -> list[tuple[float, float]]:
    """Return the resident bytes of a process every few seconds."""
    begun, sizes = time.monotonic(), list[tuple[float, float]]()
    while process.poll() is None and (at := time.monotonic() - begun) < seconds:
        pages = int(Path(f"/proc/{process.pid}/statm").read_text(encoding="utf-8").split()[1])
        sizes.append((at, float(pages * os.sysconf("SC_PAGE_SIZE"))))
        time.sleep(5)
    return sizes


if __name__ == "__main__":
    raise SystemExit(main())
