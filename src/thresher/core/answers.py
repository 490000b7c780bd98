"""The answer to a question for back-links as it travels: links as the body of a response."""

from collections.abc import Sequence

import msgspec

from thresher.core.errors import NoBacklinks
from thresher.core.records import Link

_decode = msgspec.json.Decoder(tuple[Link, ...]).decode


def answer_of(links: Sequence[Link]) -> bytes:
    """Return links as the body of an answer."""
    return msgspec.json.encode(links)


def links_in(body: bytes) -> tuple[Link, ...]:
    """Return the links of an answer; a web that knows no back-links has answered with something else."""
    try:
        return _decode(body)
    except msgspec.DecodeError:
        raise NoBacklinks("this web cannot say who links to a page") from None
