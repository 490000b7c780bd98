"""Session ids nobody has told us about: found out by the pages that differ in nothing else."""

from dataclasses import dataclass, field

from thresher.core.records import Url
from thresher.core.url import host_of
from thresher.frontier.recent import Recent
from thresher.frontier.shapes import masked, pattern

EVIDENCE = 8  # stale pages under a new id, and not one that was fresh, before the ids are given up


@dataclass
class Sessions:
    """The opaque values of each URL pattern: ids of pages, or of visitors.

    A value is the visitor's when asking again under another one brings nothing new, again and again; a
    single fresh page proves that it tells pages apart, and clears the pattern for good.
    """

    _asked: Recent[str] = field(default_factory=lambda: Recent(50_000))
    _suspicion: dict[str, int] = field(default_factory=dict)  # -1: cleared
    _hosts: set[str] = field(default_factory=set)

    def learn(self, url: Url, fresh: bool) -> None:
        """Note what a page under this URL was worth."""
        bare = masked(url)
        if bare == url:
            return
        if bare in self._asked:
            self._suspect(url, fresh)
        self._asked.add(bare)

    def refuses(self, url: Url) -> bool:
        """Tell whether a URL only gives a new session id to a page that was asked for already."""
        if host_of(url) not in self._hosts or self._suspicion.get(pattern(url), 0) < EVIDENCE:
            return False
        return masked(url) in self._asked

    def _suspect(self, url: Url, fresh: bool) -> None:
        kind = pattern(url)
        before = self._suspicion.get(kind, 0)
        if before >= 0 and len(self._suspicion) < 20_000:
            self._suspicion[kind] = -1 if fresh else before + 1
            if not fresh and before + 1 == EVIDENCE:
                self._hosts.add(host_of(url))
