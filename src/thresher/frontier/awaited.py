"""The hosts that may not be asked yet, by what they would give."""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

from thresher.frontier.cold import Rank
from thresher.frontier.host import Host

HORIZON = 60.0  # seconds: who rests, or is silent, for longer is not waited for
SLACK = 64  # entries of a heap beyond four for each host before the stale ones are thrown out


class AwaitedHosts:
    """Hosts that rest or are busy and have work, the best candidate first.

    Invariant: such a host stands in `_heap` under the rank of its best candidate (`hoped`), or, while it
    rests beyond the horizon, in `_far` under the time from which on it counts. Stale entries are dropped
    when they come up, as in the workbench.
    """

    def __init__(self, hosts: Mapping[str, Host]) -> None:
        """Know the workbench's hosts by name."""
        self._hosts = hosts
        self._heap: list[tuple[Rank, str]] = []
        self._far: list[tuple[float, str]] = []

    def add(self, host: Host, now: float) -> None:
        """Know a host that is not ready under the rank of its best candidate, once that is near enough."""
        rank = host.rank()
        if rank and host.ready_at - now > HORIZON:
            heappush(self._far, (host.ready_at - HORIZON, host.name))
            rank = None
        elif rank and rank != host.hoped:
            heappush(self._heap, (rank, host.name))
        host.hoped = rank
        if len(self._heap) + len(self._far) > SLACK + 4 * len(self._hosts):
            self._tidy(now)

    def best(self, now: float) -> Host | None:
        """Return the host with the best candidate of all that are not ready."""
        while self._far and self._far[0][0] <= now:
            self._look_again(self._hosts[heappop(self._far)[1]], now)
        while self._heap:
            rank, name = self._heap[0]
            host = self._hosts[name]
            if rank == host.hoped == host.rank() and _is_awaited(host, now):
                return host
            heappop(self._heap)
            if rank == host.hoped:  # it is ready, silent, or has lost what was best
                host.hoped = None
                self._look_again(host, now)
        return None

    def _look_again(self, host: Host, now: float) -> None:
        if _is_awaited(host, now):
            self.add(host, now)

    def _tidy(self, now: float) -> None:
        """Throw out what is stale: many prices of a host that changed while it rested."""
        self._heap = [(host.hoped, name) for name, host in self._hosts.items() if host.hoped]
        far = {(when, name) for when, name in self._far if when == self._hosts[name].ready_at - HORIZON}
        self._far = list(far)
        heapify(self._heap)
        heapify(self._far)


def _is_awaited(host: Host, now: float) -> bool:
    """Tell a host that will come back soon from one that is ready, or hangs."""
    hangs = host.busy and not host.resting and now - host.asked_at > HORIZON
    return host.announced is None and not hangs
