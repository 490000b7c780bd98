"""Documents posted to an address that the user named: guarded like a page, bounded, not redirected."""

from collections.abc import Iterable
from contextlib import suppress

import aiohttp
from msgspec import Struct

from thresher.core.errors import EndpointFailed, FetchError, InvalidUrl
from thresher.core.url import parse
from thresher.fetch.guard import Guard

JSON = {"Content-Type": "application/json"}
PIECE = 1 << 16  # bytes read at once


class PostResponse(Struct, frozen=True):
    """What an address answered, whatever its status."""

    status: int
    body: bytes
    retry_after: float | None = None  # seconds after which it wants to be asked again


async def ask(
    address: str, document: bytes, allow_networks: Iterable[str], seconds: float, most: int = 0, key: str = ""
) -> PostResponse:
    """Post a document and return the answer, its body read up to so many bytes; raise EndpointFailed."""
    guard = Guard(allow_networks)
    connector = aiohttp.TCPConnector(socket_factory=lambda place: guard.socket(str(place[4][0])))
    session = aiohttp.ClientSession(
        connector=connector, timeout=aiohttp.ClientTimeout(seconds), cookie_jar=aiohttp.DummyCookieJar()
    )
    headers = JSON | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        guard.vet(parse(address))
        answer = await session.post(address, data=document, headers=headers, allow_redirects=False)
        body = await _read(answer, most) if most else b""
        return PostResponse(answer.status, body, _seconds(answer.headers.get("Retry-After", "")))
    except (aiohttp.ClientError, OSError, ValueError, FetchError, InvalidUrl) as error:
        raise EndpointFailed(_cause(error)) from None
    finally:
        await session.close()


async def _read(answer: aiohttp.ClientResponse, most: int) -> bytes:
    """Return the body; one that does not end within the limit is no answer."""
    body = bytearray()
    async for piece in answer.content.iter_chunked(PIECE):
        body += piece
        if len(body) > most:
            answer.close()
            raise EndpointFailed(f"the answer is longer than {most} bytes")
    return bytes(body)


def _seconds(text: str) -> float | None:
    """Return the seconds that a server asks for; a date is not worth its parser."""
    with suppress(ValueError):
        return max(0.0, float(text))
    return None


def _cause(error: Exception) -> str:
    """Return what went wrong, without the address: it may hold a password."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, aiohttp.ClientConnectorError):
        return str(error.os_error)
    return str(error) if isinstance(error, FetchError) else type(error).__name__


# Webhooks: the answer does not matter


async def post(address: str, document: bytes, allow_networks: Iterable[str], seconds: float) -> str:
    """Post a document; return why it was not taken, or nothing."""
    try:
        return _refusal((await ask(address, document, allow_networks, seconds)).status)
    except EndpointFailed as error:
        return str(error)


def _refusal(status: int) -> str:
    if 200 <= status < 300:
        return ""
    moved = ", and it is posted nowhere else: name the address it leads to" if 300 <= status < 400 else ""
    return f"status {status}{moved}"
