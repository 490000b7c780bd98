"""The orders that a worker holds, with what came with them: conditions, and passwords of their origins."""

from collections.abc import Iterator, Mapping

from thresher.cluster.messages import Order
from thresher.core.records import Url
from thresher.core.url import host_of
from thresher.fetch.client import Validators


class Held(dict[int, Order]):
    """Orders by their numbers; what came with one is known for as long as it is held."""

    def validators(self, url: Url) -> Validators | None:
        """Return the conditions under which a URL is asked for."""
        for order in self.values():
            if order.candidate.url == url:
                return Validators(order.etag, order.modified) if order.etag or order.modified else None
        return None


class Secrets(Mapping[str, str]):
    """The secret lines of requests that came with the orders at hand, by origin, and no others."""

    def __init__(self, held: Held) -> None:
        """Look at what is held whenever one is needed."""
        self._held = held

    def __getitem__(self, origin: str) -> str:
        for order in self._held.values():
            if order.secret and host_of(order.candidate.url) == origin:
                return order.secret
        raise KeyError(origin)

    def __iter__(self) -> Iterator[str]:
        return iter({host_of(order.candidate.url) for order in self._held.values() if order.secret})

    def __len__(self) -> int:
        return sum(1 for _ in self)
