"""Who knows the addresses of names: the name servers of the system, or whoever stands in for them."""

import asyncio
import socket
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import aiodns


class Resolver(Protocol):
    """Answers for names."""

    async def resolve(self, host: str, port: int) -> list[str]:
        """Return the addresses of a name, the best first; raise OSError when there are none."""


class SystemResolver:
    """Asks the name servers the system names, any number of questions at once."""

    def __init__(self) -> None:
        self._asking: aiodns.DNSResolver | None = None

    async def resolve(self, host: str, port: int) -> list[str]:
        """Return the addresses of a name, in the order in which they are best tried."""
        import aiodns  # measured: 20 ms, and a crawl of addresses or behind a proxy needs no names

        if self._asking is None:  # needs a running loop
            try:
                self._asking = aiodns.DNSResolver()
            except RuntimeError:  # on a loop of Windows that cannot watch its sockets
                return await _by_threads(host, port)
        try:
            found = await self._asking.getaddrinfo(
                host, socket.AF_UNSPEC, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
            )
        except aiodns.error.DNSError as error:
            raise OSError(str(error.args[-1])) from None
        return list(dict.fromkeys(_text(node.addr[0]) for node in found.nodes))

    async def close(self) -> None:
        """Let go of the sockets to the name servers."""
        if self._asking is not None:
            await self._asking.close()


async def _by_threads(host: str, port: int) -> list[str]:
    """Return the same from the system's own function, for which a thread has to wait."""
    found = await asyncio.get_running_loop().getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
    )
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _text(address: str | bytes) -> str:
    return address.decode("ascii") if isinstance(address, bytes) else address
