"""How many requests may be under way at once to one host, and to one address."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Slots:
    """At most `limit` holders per name at any moment; names nobody holds are forgotten."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting: dict[str, tuple[asyncio.Semaphore, int]] = {}

    @asynccontextmanager
    async def held(self, name: str) -> AsyncIterator[None]:
        """Wait for a slot of this name, and hold it."""
        semaphore, users = self._waiting.get(name) or (asyncio.Semaphore(self._limit), 0)
        self._waiting[name] = semaphore, users + 1
        try:
            async with semaphore:
                yield
        finally:
            semaphore, users = self._waiting[name]
            if users == 1:
                del self._waiting[name]
            else:
                self._waiting[name] = semaphore, users - 1
