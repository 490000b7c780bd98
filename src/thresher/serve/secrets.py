"""Keys of the server's own making: for one copy and five minutes, for a feed, for the next page of a list."""

import base64
import hmac
import time
from hashlib import blake2b
from typing import TypeVar

import msgspec
from msgspec import Struct

from thresher.serve.problems import Problem, bad_request

COPY_SECONDS = 300
Place = TypeVar("Place", bound=Struct)


class Signer(Struct, frozen=True):
    """Signs what leaves the server and must come back unchanged."""

    secret: bytes

    def sign(self, *parts: str) -> str:
        """Return the signature of some words, 32 hexadecimal digits."""
        return blake2b("\0".join(parts).encode(), key=self.secret[:64], digest_size=16).hexdigest()

    def copy_key(self, crawl: str, visit: int) -> str:
        """Return a key that opens one archived copy for five minutes; a frame cannot send the token."""
        until = str(int(time.time()) + COPY_SECONDS)
        return f"{until}-{self.sign('copy', crawl, str(visit), until)}"

    def opens_copy(self, key: str, crawl: str, visit: int) -> bool:
        """Tell whether a key opens a copy now."""
        until, _, signature = key.partition("-")
        right = hmac.compare_digest(signature, self.sign("copy", crawl, str(visit), until))
        return right and until.isdecimal() and int(until) >= time.time()

    def feed_key(self, crawl: str) -> str:
        """Return the key of a crawl's feed, which reads changes and nothing else."""
        return self.sign("feed", crawl)

    def cursor(self, place: Struct) -> str:
        """Return where the next page of a list begins, for the client to hand back."""
        body = base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")
        return f"{body}.{self.sign('cursor', body)}"

    def place(self, cursor: str, kind: type[Place]) -> Place | None:
        """Return the place that a cursor stands for; one we did not make is refused."""
        if not cursor:
            return None
        body, _, signature = cursor.partition(".")
        if not hmac.compare_digest(signature, self.sign("cursor", body)):
            raise bad_request(
                "'after' is not a place that this server gave.", "Ask for the first page again."
            )
        try:
            return msgspec.json.decode(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)), type=kind)
        except (ValueError, msgspec.MsgspecError):
            raise bad_request("'after' belongs to another list.", "Ask for the first page again.") from None


def wrong_key() -> Problem:
    """Return the problem of a key that opens nothing."""
    return Problem(
        "no-key", "The key is wrong or too old", 401, "A copy is opened by a key, for five minutes.",
        "Nothing was read.", "Open the copy from its page again.",
    )  # fmt: skip
