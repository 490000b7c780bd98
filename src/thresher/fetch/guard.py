"""The one place that decides which addresses may be connected to.

Names are resolved here, every answer is vetted, connections are opened to vetted answers, and the socket
itself is only made for an address that passes: so the address connected to is always one that was vetted,
also for IP literals, for every hop and for every new connection.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Protocol

from thresher.core.caches import LruDict
from thresher.core.errors import GuardRefused, NameUnresolved, SettingsError
from thresher.core.records import Url
from thresher.core.url import host_of, hostname_of

if TYPE_CHECKING:
    import aiodns


# Resolvers: the name servers of the system, or what stands in for them


class NameResolver(Protocol):
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


DNS_SECONDS = 60.0  # how long a vetted answer is believed
DNS_ENTRIES = 20_000


class Blocked(OSError):
    """The socket that was not made; an OSError like any other that keeps a connection from being made."""


class Guard:
    """Vets URLs, names and addresses. Only the public internet passes, and networks named."""

    def __init__(self, allow_networks: Iterable[str] = ()) -> None:
        self._allowed = tuple(_network(text) for text in allow_networks)

    def allows(self, address: str) -> bool:
        """Tell whether an IP address may be connected to."""
        try:
            parsed = ip_address(address)
        except ValueError:  # also an address with a zone: link-local, never ours to visit
            return False
        named = any(parsed in network for network in self._allowed if network.version == parsed.version)
        return named or is_public(parsed)

    def vet(self, url: Url) -> None:
        """Raise GuardRefused when the URL itself says that it must not be asked for."""
        host, port = hostname_of(url), port_of(url)
        if not url.startswith(("http://", "https://")):
            raise GuardRefused(f"Only http and https are fetched, not {url[:40]}")
        if not is_web_port(port):
            raise GuardRefused(f"Port {port} is not one that web servers use")
        if is_literal(host):
            self.vet_addresses(host, [host])

    def vet_addresses(self, host: str, addresses: Iterable[str]) -> None:
        """Raise GuardRefused when any of a host's addresses is off limits."""
        for address in addresses:
            if not self.allows(address):
                raise GuardRefused(
                    f"{host} is at {address}, which is not a public address; "
                    f"allow it with --allow-network {address} if it is yours"
                )

    def socket(self, address: str) -> socket.socket:
        """Make the socket for one address, or refuse: the last word before any connection."""
        if not self.allows(address):
            raise Blocked(f"{address} is not a public address")
        return socket_to(address)


def socket_to(address: str) -> socket.socket:
    """Make a socket for an address that is not vetted: the proxy's, which the user chose."""
    return socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)


class GuardedResolver:
    """Answers for names, from addresses that were all vetted; the same answer for everyone for a minute."""

    def __init__(
        self, guard: Guard, resolver: NameResolver | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._guard = guard
        self._resolver = resolver or SystemResolver()
        self._now = now
        self._answers: LruDict[tuple[str, int], tuple[float, list[str]]] = LruDict(DNS_ENTRIES)

    async def resolve(self, host: str, port: int = 0) -> list[str]:
        """Return the vetted addresses of a name; an address in its own words is its own."""
        if is_literal(host):
            return [host]
        kept = self._answers.get((host, port))
        if kept is not None and self._now() - kept[0] < DNS_SECONDS:
            return kept[1]
        addresses = await self._ask(host, port)
        self._guard.vet_addresses(host, addresses)
        self._answers.put((host, port), (self._now(), addresses))
        return addresses

    async def resolve_unvetted(self, host: str, port: int) -> list[str]:
        """Return the addresses of the proxy, which the user chose; of no other host."""
        return [host] if is_literal(host) else await self._ask(host, port)

    async def close(self) -> None:
        """Let go of the sockets behind it."""
        if isinstance(self._resolver, SystemResolver):
            await self._resolver.close()

    async def _ask(self, host: str, port: int) -> list[str]:
        if is_localhost(host):
            return [self._loopback()]
        try:
            addresses = await self._resolver.resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise NameUnresolved(f"No address found for {host}: {error}") from None
        if not addresses:
            raise NameUnresolved(f"No address found for {host}")
        return addresses

    def _loopback(self) -> str:
        """Answer for localhost as RFC 6761 says, without a query."""
        both = ("127.0.0.1", "::1")
        return next(filter(self._guard.allows, both), both[0])


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Tell whether an address belongs to the public internet, by a table of our own.

    The standard library's idea of it changes from version to version and lets 192.0.0.0/24 through.
    """
    return _is_public(int(address), address.version)


def is_web_port(port: int) -> bool:
    """Return whether a web server may be behind a port: 80, 443 or a high one without another known use."""
    return port in (80, 443) or (1024 <= port <= 65535 and port not in _OTHER_SERVICES)


def is_localhost(host: str) -> bool:
    """Tell whether a name means this machine whatever DNS says (RFC 6761)."""
    name = host.rstrip(".").lower()
    return name == "localhost" or name.endswith(".localhost")


def is_literal(host: str) -> bool:
    """Tell whether a host is written as an address; the last label of a name is never a number."""
    return ":" in host or host.rstrip(".").rpartition(".")[2].isdigit()


def port_of(url: Url) -> int:
    """Return the port a URL is asked at."""
    _, colon, port = host_of(url).rpartition("]" if "[" in url[:9] else "//")[2].rpartition(":")
    if colon:
        return int(port)
    return 443 if url.startswith("https:") else 80


_NOT_PUBLIC_4 = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by carriers
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, cloud metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, Oracle's metadata
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_PUBLIC_6 = ip_network("2000::/3")  # so mapped, NAT64, unique local, link-local and multicast are out
_NOT_PUBLIC_6 = tuple(
    ip_network(text)
    for text in (
        "2001::/23",  # Teredo and other protocol assignments
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address in disguise
        "3fff::/20",  # documentation
    )
)
# Those browsers refuse, and databases, caches and control planes that answer to HTTP or nearly so.
_OTHER_SERVICES = frozenset(
    int(port)
    for port in (
        "1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080 "
        "1433 1521 2181 2375 2376 2379 2380 3306 3389 5432 5672 5900 5984 6379 6443 7001 8500 9042 9092 "
        "9200 9300 10250 10255 11211 27017 27018 28017"
    ).split()
)


@lru_cache(maxsize=65_536)
def _is_public(number: int, version: int) -> bool:
    if version == 4:
        return not any(IPv4Address(number) in network for network in _NOT_PUBLIC_4)
    address = IPv6Address(number)
    return address in _PUBLIC_6 and not any(address in network for network in _NOT_PUBLIC_6)


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        raise SettingsError(
            f"{text!r} is not a network; write it as an address or as CIDR, such as 127.0.0.0/8."
        ) from None
