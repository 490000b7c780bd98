"""A proxy that reads the first request of a connection and relays everything after it, as tinyproxy does."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType


class Relay:
    """Ties each connection to the origin its first request names; `heads` holds those, `sent` what followed.

    It resolves names by a table of its own and answers CONNECT with the bytes it is told.
    """

    def __init__(
        self,
        names: Mapping[str, str] | None = None,
        tunnel: bytes = b"HTTP/1.1 200 OK\r\n\r\n",
        address: str = "127.99.0.2",
    ) -> None:
        self.names, self.tunnel, self.address = dict(names or {}), tunnel, address
        self.heads: list[str] = []
        self.sent: list[bytes] = []  # the first bytes behind a CONNECT that was answered
        self.port = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Relay":
        self._server = await asyncio.start_server(self._serve, self.address, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(asyncio.IncompleteReadError, OSError, asyncio.CancelledError):
                await self._converse(reader, writer)
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.heads.append(head)
        method, target, _ = head.partition("\r\n")[0].split(" ")
        if method == "CONNECT":
            writer.write(self.tunnel)
            self.sent.append(await reader.read(5))
            return
        authority, _, path = target.removeprefix("http://").partition("/")
        host, _, port = authority.rpartition(":")
        there, out = await asyncio.open_connection(self.names.get(host, host), int(port))
        out.write(head.replace(target, f"/{path}", 1).encode("latin-1"))
        try:
            await asyncio.gather(_pipe(reader, out), _pipe(there, writer))
        finally:
            out.close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
    writer.close()
