"""What one exchange may cost us."""

import ssl
from asyncio import Semaphore

from msgspec import Struct

from thresher.core.errors import CertificateRefused, FetchError, GuardRefused, HostUnreachable
from thresher.fetch.guard import Blocked


class Limits(Struct, frozen=True):
    """What one response may cost us."""

    total: float = 60.0  # seconds from the request to the last byte
    connect: float = 10.0  # seconds until a connection stands
    idle: float = 20.0  # seconds of silence
    max_bytes: int = 8 << 20  # of the body, received as well as decoded
    max_ratio: float = 100.0  # decoded to received, beyond the first mebibyte
    max_headers: int = 256
    max_header_bytes: int = 64 << 10  # of one header
    min_rate: float = 50.0  # bytes a second of a body that takes longer than `idle`


def named(error: OSError) -> FetchError:
    """Return our error for one of the system's that kept a connection from being made."""
    if isinstance(error, Blocked):
        return GuardRefused(str(error))
    if isinstance(error, ssl.SSLError):
        return _without_tls(error) or CertificateRefused(
            f"https cannot be trusted: {getattr(error, 'verify_message', '') or error.reason or error}"
        )
    if isinstance(error, TimeoutError):
        return HostUnreachable("No connection in time")
    return HostUnreachable(f"The connection broke: {error.strerror or str(error) or type(error).__name__}")


def _without_tls(error: ssl.SSLError) -> FetchError | None:
    """Return our error for a server with which no TLS of our time can be spoken, whatever its certificate."""
    reason = error.reason or ""
    if any(old in reason for old in _OLD_TLS):
        return CertificateRefused("It speaks only TLS 1.0 or 1.1, which are no longer safe")
    if any(no in reason for no in _NO_TLS):
        return CertificateRefused("It does not speak TLS, though its address says https")
    return None


_OLD_TLS = ("PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL")  # what OpenSSL calls them
_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG")


class Slots:
    """At most `limit` holders per name at any moment; names nobody holds are forgotten."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._semaphores: dict[str, Semaphore] = {}
        self._users: dict[str, int] = {}  # who hold a slot or wait for one

    def held(self, name: str) -> "Hold":
        """Return what waits for a slot of this name, and holds it, in an `async with`."""
        return Hold(self, name)

    async def take(self, name: str) -> None:
        """Wait for a slot of this name."""
        semaphore = self._semaphores.get(name) or self._semaphores.setdefault(name, Semaphore(self._limit))
        self._users[name] = self._users.get(name, 0) + 1
        try:
            await semaphore.acquire()
        except BaseException:  # whoever gives up waiting holds nothing
            self._leave(name)
            raise

    def give_back(self, name: str) -> None:
        """Let go of a slot of this name."""
        self._semaphores[name].release()
        self._leave(name)

    def _leave(self, name: str) -> None:
        self._users[name] -= 1
        if not self._users[name]:
            del self._users[name], self._semaphores[name]


class Hold:
    """One slot, held for as long as its `async with` lasts."""

    __slots__ = ("_name", "_slots")

    def __init__(self, slots: Slots, name: str) -> None:
        self._slots, self._name = slots, name

    async def __aenter__(self) -> None:
        await self._slots.take(self._name)

    async def __aexit__(self, *error: object) -> None:
        self._slots.give_back(self._name)
