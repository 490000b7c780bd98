"""Who links to whom among relevant pages, counted as they come: authorities, hubs and relevant hosts."""

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from thresher.core.records import Link, Url
from thresher.core.url import host_of, key_of

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(int | tuple[str, bool]).decode

# One small number for each URL: relevant pages that link to it, whether it is one, those it links to.
_CITED, _RELEVANT, _CITES = 1, 4, 8
_TWO = 3  # counts stop at three


class Neighbours:
    """What is known of each URL, in a number, and which hosts with a relevant page were looked through."""

    def __init__(self, authority: int = 2) -> None:
        """Take how many relevant pages have to link to an authority."""
        self.authority = authority
        self._known: dict[int, int] = {}
        self._hosts: dict[str, bool] = {}
        self._changed: dict[int, None] = {}
        self._changed_hosts: dict[str, None] = {}

    def relevant(self, url: Url, links: Iterable[Link]) -> list[Link]:
        """Note a relevant page, and return its links to what becomes an authority by it."""
        self._add(key_of(url), _RELEVANT, 1)
        if host_of(url) not in self._hosts:
            self._hosts[host_of(url)] = False
            self._changed_hosts[host_of(url)] = None
        targets = {link.target: link for link in links}
        return [link for link in targets.values() if self._add(key_of(link.target), _CITED) == self.authority]

    def is_relevant(self, url: Url) -> bool:
        """Tell whether a page was relevant."""
        return bool(self._known.get(key_of(url), 0) & _RELEVANT)

    def is_hub(self, url: Url) -> bool:
        """Tell whether a page links to two relevant ones."""
        return self._known.get(key_of(url), 0) // _CITES >= 2

    def becomes_hub(self, url: Url, more: int = 1) -> bool:
        """Count relevant pages that a page links to, and tell whether it is a hub now and was none before."""
        before = self.is_hub(url)
        for _ in range(min(more, _TWO)):
            self._add(key_of(url), _CITES)
        return self.is_hub(url) and not before

    def new_hosts(self) -> list[str]:
        """Return the hosts with relevant pages that were not looked through; from now on they are."""
        found = [host for host, seen in self._hosts.items() if not seen]
        self._hosts |= dict.fromkeys(found, True)
        self._changed_hosts |= dict.fromkeys(found)
        return found

    def changes(self) -> Sequence[tuple[int, bytes]]:
        """Return what changed since this was last asked."""
        told = [(key, _encode(self._known[key])) for key in self._changed]
        hosts = [(key_of(Url(f"host {name}")), (name, self._hosts[name])) for name in self._changed_hosts]
        self._changed, self._changed_hosts = {}, {}
        return told + [(key, _encode(host)) for key, host in hosts]

    def restore(self, entries: Iterable[tuple[int, bytes]]) -> None:
        """Take up what was known before."""
        for key, value in entries:
            found = _decode(value)
            if isinstance(found, int):
                self._known[key] = found
            else:
                self._hosts[found[0]] = found[1]

    def _add(self, key: int, what: int, most: int = _TWO) -> int:
        """Count one more up to a few, and return how many there are now; 0 if there was no room."""
        known = self._known.get(key, 0)
        count = known // what & (1 if what == _RELEVANT else _TWO)
        if count >= most:
            return 0
        self._known[key] = known + what
        self._changed[key] = None
        return count + 1


class Yield(Struct):
    """How often something led to a relevant page."""

    hits: int = 0
    tries: int = 0

    def add(self, hit: bool) -> None:
        """Count one more try."""
        self.hits += hit
        self.tries += 1

    @property
    def rate(self) -> float:
        """The share of hits, at first taken for one of one."""
        return (self.hits + 1) / (self.tries + 1)
