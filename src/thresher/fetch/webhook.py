"""A document posted to the web address that a user named: guarded like a page, and redirected nowhere."""

from collections.abc import Iterable

import aiohttp

from thresher.core.errors import FetchError, InvalidUrl
from thresher.core.url import parse
from thresher.fetch.guard import Guard

JSON = {"Content-Type": "application/json"}


async def post(address: str, document: bytes, allow_networks: Iterable[str], seconds: float) -> str:
    """Post a document; return why it was not taken, or nothing."""
    guard = Guard(allow_networks)
    connector = aiohttp.TCPConnector(socket_factory=lambda place: guard.socket(str(place[4][0])))
    session = aiohttp.ClientSession(
        connector=connector, timeout=aiohttp.ClientTimeout(seconds), cookie_jar=aiohttp.DummyCookieJar()
    )
    try:
        guard.vet(parse(address))
        answer = await session.post(address, data=document, headers=JSON, allow_redirects=False)
        return _refusal(answer.status)
    except (aiohttp.ClientError, OSError, ValueError, FetchError, InvalidUrl) as error:
        return _cause(error)
    finally:
        await session.close()


def _refusal(status: int) -> str:
    if 200 <= status < 300:
        return ""
    moved = ", and it is posted nowhere else: name the address it leads to" if 300 <= status < 400 else ""
    return f"status {status}{moved}"


def _cause(error: Exception) -> str:
    """Return what went wrong, without the address: it may hold a password."""
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, aiohttp.ClientConnectorError):
        return str(error.os_error)
    return str(error) if isinstance(error, FetchError) else type(error).__name__
