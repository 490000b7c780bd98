"""Messages between a crawl and its reader process: how long each is, then what it says."""

import msgspec

PREFIX = 4  # bytes that say how long a message is

_encode = msgspec.msgpack.Encoder().encode


def framed(message: object) -> bytes:
    """Return a message as it goes through a pipe."""
    body = _encode(message)
    return len(body).to_bytes(PREFIX, "big") + body


READY = framed("ready")
"""What a reader says when it has started; only then does the time of its first page begin."""
