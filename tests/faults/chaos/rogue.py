"""A worker that joined like any other, and tries to hear and to forge what is not its own."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from typing import Any

from thresher.cluster.messages import SPEAKS, Heartbeat, VisitResult, VisitResults, encode
from thresher.cluster.nats import Address, connect

EAVESDROPPED = ("thresher.>", "thresher.*.worker.*.*", "thresher.*.from.*.*", "_INBOX.>")
OTHERS = 40  # users that it speaks for


class Rogue:
    """A thread of its own; what it heard that was for others, and how often it was refused."""

    def __init__(self, address: Address) -> None:
        self.heard: list[str] = []
        self.refused = 0
        self._address, self._over = address, False
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over = True
        self._thread.join(20)

    async def _run(self) -> None:
        while not self._over:
            with suppress(Exception):  # the engine is away
                await self._attack()
            await asyncio.sleep(0.2)

    async def _attack(self) -> None:
        client = await connect(self._address, "rogue")
        client._error_cb = self._note_refusal
        for subject in EAVESDROPPED:
            await client.subscribe(subject, cb=self._overhear)
        crawls: set[str] = set()

        async def call(message: Any) -> None:
            crawls.add(message.subject.split(".")[1])

        await client.subscribe("thresher.*.workers", cb=call)
        for number in count():
            if self._over or not client.is_connected:
                break
            for crawl in crawls:
                for subject, forged in self._forgeries(crawl, number):
                    await client.publish(subject, forged)
            await client.flush(2)
            await asyncio.sleep(0.1)
        await client.close()

    def _forgeries(self, crawl: str, number: int) -> Iterator[tuple[str, bytes]]:
        other = f"worker-{1 + number % OTHERS}"
        lies = encode(VisitResults("", [VisitResult(each, b"no") for each in range(number, number + 50)]))
        for said in (lies, encode(Heartbeat(SPEAKS, "", 0.0, 1000, []))):
            yield f"thresher.{crawl}.from.{other}.process", said
        yield f"thresher.{crawl}.worker.{other}.process", b"an order of its own"
        yield f"thresher.{crawl}.workers", b"a call of its own"

    async def _overhear(self, message: Any) -> None:
        if not message.subject.endswith(".workers"):
            self.heard.append(message.subject)

    async def _note_refusal(self, error: Exception) -> None:
        self.refused += "permissions violation" in str(error).lower()
