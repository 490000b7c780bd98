"""Who knows the addresses of names: the system, or whoever stands in for it."""

import asyncio
import socket
from typing import Protocol


class Resolver(Protocol):
    """Answers for names."""

    async def resolve(self, host: str, port: int) -> list[str]:
        """Return the addresses of a name, the best first; raise OSError when there are none."""


class SystemResolver:
    """Asks the system, aside, as the answer may take its time."""

    async def resolve(self, host: str, port: int) -> list[str]:
        """Return the addresses of a name in the order of the system."""
        found = await asyncio.get_running_loop().getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
        )
        return list(dict.fromkeys(str(peer[0]) for *_, peer in found))
