"""The DevTools protocol over two pipes: no port that others could reach, and no library.

A message is JSON with a zero byte behind it. A call has a number and gets one answer; everything else that
comes is an event, of the browser or of one of the sessions in it.
"""

import asyncio
import json
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec

LONGEST_MESSAGE = 64 << 20
END = b"\0"

Told = Callable[[str, str, dict[str, Any]], None]
"""Takes an event: its session (empty: the browser's own), its name and what it says."""


class BrowserGone(Exception):
    """The browser ended, or its pipe did."""


class CallRefused(Exception):
    """The browser answered a call with an error."""


class Devtools:
    """Both ends of a DevTools connection. When the browser ends, pending calls fail."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._number = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._writer: asyncio.WriteTransport | None = None
        self._listening: asyncio.Task[None] | None = None
        self.gone = asyncio.Event()

    async def connect(self, read: int, write: int) -> None:
        """Listen at one descriptor and speak to the other."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LONGEST_MESSAGE)
        protocol = asyncio.StreamReaderProtocol(reader)
        hearing, _ = await loop.connect_read_pipe(lambda: protocol, os.fdopen(read, "rb", 0))
        self._writer, _ = await loop.connect_write_pipe(asyncio.Protocol, os.fdopen(write, "wb", 0))
        self._listening = asyncio.create_task(self._listen(reader, hearing))

    async def call(
        self, method: str, session: str = "", seconds: float = 10.0, **parameters: Any
    ) -> dict[str, Any]:
        """Return the browser's answer; raise what became of it if there is none in time."""
        if self.gone.is_set() or self._writer is None:
            raise BrowserGone
        self._number += 1
        number, message = self._number, {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        self._writer.write(msgspec.json.encode(message) + END)
        try:
            async with asyncio.timeout(seconds):
                return await answer
        finally:
            self._waiting.pop(number, None)

    async def close(self) -> None:
        """Let go of both ends."""
        if self._writer is not None:
            self._writer.close()
        if self._listening is not None:
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening
        self._end()

    async def _listen(self, reader: asyncio.StreamReader, hearing: asyncio.BaseTransport) -> None:
        try:
            while True:
                self._hear(await reader.readuntil(END))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, ValueError, RecursionError):
            pass  # it is gone, or says what cannot be heard: the same to us
        finally:
            hearing.close()
            self._end()

    def _hear(self, message: bytes) -> None:
        heard = _decoded(message[: -len(END)])
        if "id" not in heard:
            self._told(heard.get("sessionId", ""), heard.get("method", ""), heard.get("params", {}))
        elif (answer := self._waiting.get(heard["id"])) and not answer.done():
            if "error" in heard:
                answer.set_exception(CallRefused(str(heard["error"].get("message", ""))))
            else:
                answer.set_result(heard.get("result", {}))

    def _end(self) -> None:
        """Fail all pending calls."""
        self.gone.set()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(BrowserGone())


def _decoded(message: bytes) -> dict[str, Any]:
    """Return a message; a page's title may hold half a letter, which only the library reads."""
    try:
        return msgspec.json.decode(message, type=dict[str, Any])
    except msgspec.DecodeError:
        return dict(json.loads(message))
