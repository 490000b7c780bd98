"""What went wrong on the wire, by our own names."""

import asyncio
import ssl

import aiohttp
from aiohttp import http_exceptions

from thresher.core.errors import (
    BadResponse,
    CertificateRefused,
    FetchError,
    GuardRefused,
    HeadersTooLarge,
    HostUnreachable,
    NameUnresolved,
    TimedOut,
    TooSlow,
)
from thresher.web.guard import Blocked

WIRE_ERRORS = (aiohttp.ClientError, http_exceptions.HttpProcessingError, asyncio.TimeoutError, OSError)
"""Everything the connector and the parser of responses may raise."""


def named(error: BaseException) -> FetchError:
    """Return our error for one of the wire's."""
    if isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, Blocked):
        return GuardRefused(str(error.os_error))
    if any(_is_flood(cause) for cause in _causes(error)):
        return HeadersTooLarge("The head is too long, or has too many headers")
    for kind, ours, sentence in _NAMES:
        if isinstance(error, kind):
            return ours(f"{sentence}: {_detail(error)}")
    return HostUnreachable(f"The connection broke: {_detail(error)}")


_NAMES: tuple[tuple[type[BaseException], type[FetchError], str], ...] = (
    (aiohttp.ClientConnectorDNSError, NameUnresolved, "No address found"),
    (aiohttp.ConnectionTimeoutError, HostUnreachable, "No connection in time"),
    (aiohttp.ServerTimeoutError, TimedOut, "No answer in time"),
    (asyncio.TimeoutError, TooSlow, "The answer came too slowly"),
    (aiohttp.ClientSSLError, CertificateRefused, "https cannot be trusted"),
    (ssl.SSLError, CertificateRefused, "https cannot be trusted"),
    (aiohttp.ClientResponseError, BadResponse, "Not HTTP"),
    (http_exceptions.HttpProcessingError, BadResponse, "Not HTTP"),
    (aiohttp.InvalidURL, GuardRefused, "Not a URL that can be asked for"),
    (aiohttp.ClientPayloadError, BadResponse, "The body is not HTTP"),
)


def broke_off(error: aiohttp.ClientPayloadError) -> bool:
    """Tell whether a body ended too early; the other way to fail is a flood of trailers."""
    return not any(_is_flood(cause) for cause in _causes(error))


def _is_flood(cause: BaseException) -> bool:
    """Tell a head beyond our limits; the parser has a class of its own for long lines only."""
    return isinstance(cause, http_exceptions.LineTooLong) or "Too many" in _message(cause)


def _causes(error: BaseException | None) -> list[BaseException]:
    chain: list[BaseException] = []
    while error is not None and len(chain) < 10:
        chain.append(error)
        error = error.__cause__
    return chain


def _detail(error: BaseException) -> str:
    """Return the first line of what the wire says, without the parser's drawings."""
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the server hung up"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return str(getattr(error.certificate_error, "verify_message", error.certificate_error))
    lines = [line.strip(" :") for line in _message(error).splitlines() if line.strip()]
    if lines and lines[0] == "Bad status line":
        lines = lines[1:]
    return lines[0][:200] if lines else type(error).__name__


def _message(error: BaseException) -> str:
    return str(getattr(error, "message", "") or error)
