"""A document posted to the web address of a hook: it hears, and what it says does not matter."""

from collections.abc import Iterable

from thresher.core.errors import EndpointFailed
from thresher.fetch.endpoint import ask


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
