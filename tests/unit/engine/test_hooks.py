"""The hooks end when they should, and a webhook is guarded like every other request."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from thresher.core.clock import RealClock
from thresher.engine import revisit
from thresher.engine.revisit import HookRunner
from thresher.settings.components import Secret
from thresher.settings.model import RevisitSettings

NOBODY: Any = None
SLEEP = f"sleep 25.{os.getpid()}"


def children() -> list[str]:
    """Return the commands of the processes that a test of this process has left asleep."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(line.read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return [each for each in found if each.startswith(SLEEP)]


@pytest.mark.parametrize("command", [SLEEP, f"sh -c '{SLEEP} & {SLEEP}'"], ids=["alone", "two"])
async def test_a_command_that_hangs_is_ended_with_all_it_started(command, monkeypatch, caplog):
    monkeypatch.setattr(revisit, "LONGEST_HOOK", 0.3)
    teller = HookRunner(NOBODY, RevisitSettings(command=command), 0.5, RealClock())
    assert not await teller._run(b"{}")
    await asyncio.sleep(0.1)
    assert children() == []
    assert "longer than 0.3 seconds" in caplog.text


async def test_a_command_is_ended_with_the_revisit_that_runs_it():
    teller = HookRunner(NOBODY, RevisitSettings(command=SLEEP), 0.5, RealClock())
    telling = asyncio.create_task(teller._run(b"{}"))
    await asyncio.sleep(0.3)
    telling.cancel()
    await asyncio.gather(telling, return_exceptions=True)
    assert children() == []


@asynccontextmanager
async def listening(address: str, answer: str = "204 Heard\r\n") -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that gives one answer; yields its address and what it heard."""
    heard: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(f"HTTP/1.1 {answer}Content-Length: 0\r\n\r\n".encode())
        writer.close()

    server = await asyncio.start_server(listen, address, 0)
    yield f"http://{address}:{server.sockets[0].getsockname()[1]}", heard
    server.close()


def telling(address: str, *networks: str) -> HookRunner:
    return HookRunner(NOBODY, RevisitSettings(webhook=Secret(address)), 0.5, RealClock(), networks)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_webhook_that_is_redirected_is_posted_nowhere_else(status, caplog):
    async with (
        listening("127.99.0.1") as (inside, canary),
        listening("127.77.0.1", f"{status} Elsewhere\r\nLocation: {inside}/internal\r\n") as (hook, heard),
    ):
        assert not await telling(f"{hook}/?token=hooksecret66", "127.77.0.0/16")._post(b"{}")
    assert len(heard) == 1 and canary == []
    assert f"status {status}, and it is posted nowhere else" in caplog.text
    assert "hooksecret66" not in caplog.text


@pytest.mark.parametrize("name", ["127.99.0.1", "localhost", "2130706433", "[::ffff:127.99.0.1]"])
async def test_a_webhook_in_a_private_network_is_refused_unless_it_is_allowed(name, caplog):
    async with listening("127.99.0.1") as (address, heard):
        hook = address.replace("127.99.0.1", name)
        assert not await telling(hook)._post(b"{}")
        assert heard == []
        assert "was not told of a change" in caplog.text
        assert await telling(address, "127.99.0.0/16")._post(b"{}")
    assert len(heard) == 1
