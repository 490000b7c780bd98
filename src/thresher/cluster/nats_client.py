"""The client of the engine: connected again for as long as it takes, over TLS with a pinned certificate."""

import asyncio
import logging
import ssl
from contextlib import suppress
from hashlib import sha256
from hmac import compare_digest
from typing import Any

from thresher.cluster.address import Address
from thresher.core.errors import UsageError
from thresher.core.optional import library

log = logging.getLogger(__name__)

FIRST = 5.0  # seconds until the first connection stands
AGAIN = 0.25  # seconds between two attempts to come back
WAITING = 64 << 20  # bytes that may wait for an engine that is away
HELD = 512 << 20  # bytes that may wait for us
INSTALL = "Workers on other machines need pip install 'thresher[cluster]'."


async def check(address: Address, trust: ssl.SSLContext | None = None) -> None:
    """Connect once and hang up, or say in a sentence why that cannot be done."""
    once = {"allow_reconnect": False, "max_reconnect_attempts": 1}
    trust = trust or await _trust(address)
    client = await _connected(
        address, trust, verbose=True, **once
    )  # it says OK, or why not, before anything else
    await client.close()


async def connect(address: Address, name: str) -> Any:
    """Return a client that comes back whenever the engine does; what is lost meanwhile is asked for again."""
    trust = await _trust(address)
    await check(address, trust)
    made: list[Any] = []

    async def away() -> None:
        if made and not (made[0].is_closed or made[0].is_draining):
            log.warning("The engine at %s is away; the crawl goes on when it is back.", address.url)

    async def back() -> None:
        log.warning("The engine at %s is back.", address.url)

    client = await _connected(
        address,
        trust,
        name=name,
        max_reconnect_attempts=-1,
        reconnect_time_wait=AGAIN,
        ping_interval=5,
        max_outstanding_pings=2,
        pending_size=WAITING,
        disconnected_cb=away,
        reconnected_cb=back,
    )
    made.append(client)
    return client


async def _connected(address: Address, trust: ssl.SSLContext | None, **options: Any) -> Any:
    nats, errors = (
        library(name, "cluster", "A worker on another machine") for name in ("nats", "nats.errors")
    )

    said: set[str] = set()

    async def quiet(error: Exception) -> None:
        """Say each trouble once: it comes again four times a second while an engine is away."""
        what = str(error) or type(error).__name__
        log.log(logging.DEBUG if what in said else logging.INFO, "%s: %s", address.url, what)
        said.add(what)

    given: dict[str, Any] = {"user": address.user, "password": address.password} if address.user else {}
    if trust:
        given |= {"tls": trust, "tls_handshake_first": True, "tls_hostname": address.host}
    try:
        return await _stands(nats.NATS(), address.url, error_cb=quiet, connect_timeout=2, **given, **options)
    except errors.AuthorizationError:
        raise UsageError(f"{address.url} does not know this user and password: see the join line.") from None
    except (OSError, errors.Error, TimeoutError) as error:
        if "authorization" in str(error).lower():
            raise UsageError(f"{address.url} does not know this user and password.") from None
        raise _unreachable(address, error) from None


def _unreachable(address: Address, error: Exception) -> UsageError:
    """Return the sentence for an engine that cannot be spoken to."""
    if isinstance(error, ssl.SSLError):
        reason = getattr(error, "verify_message", "") or error.reason
        return UsageError(f"{address.url} cannot be trusted ({reason}).")
    return UsageError(
        f"No engine answers at {address.url} ({str(error) or 'no answer in time'}). "
        "Start nats-server there, or let --workers bus start one."
    )


async def _stands(client: Any, url: str, **options: Any) -> Any:
    """Return the client once it is connected; one that is not is let go of."""
    try:
        await asyncio.wait_for(client.connect(url, **options), FIRST)
        return client
    except BaseException:
        with suppress(Exception):
            await client.close()
        raise


async def _trust(address: Address) -> ssl.SSLContext | None:
    """Return whom TLS trusts: the system's authorities, or the one certificate of the fingerprint."""
    if not address.tls:
        return None
    logging.getLogger("asyncio").addFilter(_is_no_riddle)
    if not address.fingerprint:
        return ssl.create_default_context()
    place = (address.host, address.port)
    try:
        asked = asyncio.to_thread(ssl.get_server_certificate, place, timeout=FIRST)
        pem = await asyncio.wait_for(asked, FIRST)
    except (OSError, TimeoutError) as error:
        raise _unreachable(address, error) from None
    if not compare_digest(fingerprint_of(pem), address.fingerprint.lower()):
        raise UsageError(f"{address.url} shows another certificate than the join line says: do not join it.")
    context = ssl.create_default_context(cadata=pem)
    context.check_hostname = False  # it is known by its fingerprint, wherever it is
    return context


def _is_no_riddle(record: logging.LogRecord) -> bool:
    """Tell a message apart from the one that Python has for every stream over TLS, and that says nothing."""
    return "eof_received()" not in record.getMessage()


def fingerprint_of(pem: str) -> str:
    """Return the SHA-256 of a certificate."""
    return sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
