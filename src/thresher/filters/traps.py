"""Traps: what keeps a crawl out of sites without end, by the shape of URLs and by what they bring.

A site is endless only if its pages lead to ever more pages of their own kind; and a trap is a kind of page
that goes on and brings nothing new. So each URL pattern (`/p/{n}`) and each host runs up a debt:

    a page that says nothing new       costs 1 if it leads to no others of its kind,
                                             1.5 if it leads back to some that are known,
                                             5 if it leads only on, to ever new ones, or is a calendar's,
                                             nothing if it leads to something new on other hosts;
    a page that fails                  costs 1/2;
    a fresh page                       halves the debt, but costs 1/2 if it too leads only on;
    a list of new pages of other kinds halves it as well.

A pattern is spent when its debt reaches the budget: never, for an honest site however large, because its
pages are fresh and lead back to each other; after about twenty pages for most traps.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from thresher.core.caches import RecentSet
from thresher.core.enums import Refusal
from thresher.core.records import Url
from thresher.core.url import host_of
from thresher.filters.pages import Novelty, PageSignature
from thresher.filters.urls import (
    MONTH,
    UrlLimits,
    climbs_forever,
    common_part,
    has_date,
    masked,
    misshapen,
    pattern,
)

EVIDENCE = 8  # stale pages under a new id, and not one that was fresh, before the ids are given up


@dataclass
class Sessions:
    """The opaque values of each URL pattern: ids of pages, or of visitors.

    A value is the visitor's when asking again under another one brings nothing new, again and again; a
    single fresh page proves that it tells pages apart, and clears the pattern for good.
    """

    _asked: RecentSet[str] = field(default_factory=lambda: RecentSet(50_000))
    _suspicion: dict[str, int] = field(default_factory=dict)  # -1: cleared
    hosts: set[str] = field(default_factory=set)  # that have such a pattern

    def learn(self, url: Url, fresh: bool) -> None:
        """Note what a page under this URL was worth."""
        bare = masked(url)
        if bare == url:
            return
        if bare in self._asked:
            self._suspect(url, fresh)
        self._asked.add(bare)

    def refuses(self, url: Url) -> bool:
        """Tell whether a URL of one of `hosts` only gives a new session id to a page that was asked for."""
        if self._suspicion.get(pattern(url), 0) < EVIDENCE:
            return False
        return masked(url) in self._asked

    def _suspect(self, url: Url, fresh: bool) -> None:
        kind = pattern(url)
        before = self._suspicion.get(kind, 0)
        if before >= 0 and len(self._suspicion) < 20_000:
            self._suspicion[kind] = -1 if fresh else before + 1
            if not fresh and before + 1 == EVIDENCE:
                self.hosts.add(host_of(url))


KEPT = 50_000  # debts remembered; the oldest is forgiven first


class Budgets(UrlLimits, frozen=True):
    """What traps may cost, and what the URLs of honest sites look like."""

    template: int = 100
    host: int = 2000
    host_pages: int = 0  # 0: no limit


@dataclass
class Traps:
    """The debts of patterns and hosts, in bounded memory. Without `learn` only the shape of URLs counts.

    `refuses` is asked for each new link and `spent` for each URL that is about to be fetched: what was queued
    before its pattern was found out is not fetched any more.
    """

    budgets: Budgets = Budgets()
    _debts: dict[str, float] = field(default_factory=dict)
    _asked: dict[str, int] = field(default_factory=dict)
    _closed: dict[str, tuple[str, ...]] = field(default_factory=dict)  # how spent URLs of a host begin
    _sessions: Sessions = field(default_factory=Sessions)
    _year: int = 0

    def refuses(self, url: Url, source: Url) -> Refusal | None:
        """Return why a new URL found on a page looks like part of a trap, or nothing."""
        if reason := misshapen(url, source, self.budgets):
            return reason
        if self._year and (month := MONTH.search(url)) and climbs_forever(month, source, self._year):
            return Refusal.CALENDAR
        return self.over_budget(url)

    def count_request(self, url: Url) -> None:
        """Count a request that is about to be made, where hosts have a limit."""
        if self.budgets.host_pages:
            host = host_of(url)
            self._asked[host] = self._asked.get(host, 0) + 1

    def learn(self, page: PageSignature) -> None:
        """Book what a visit costs the pattern of its URL and its host, by what it was worth and led to."""
        self._year = int(1970 + page.at / 31_556_952) if page.at > _CREDIBLE else 0
        if page.worth is Novelty.NEUTRAL:
            return
        self._sessions.learn(page.url, page.worth is Novelty.FRESH)
        host, kind = host_of(page.url), pattern(page.url)
        for name in _kinds(kind):
            self._book(name, host, _cost(page, kind), self.budgets.template)
        endless = page.worth is Novelty.FRESH and not page.closed and 0 < page.home <= page.new_home
        self._book(host, host, _HOST_COST[page.worth] if not endless else 0.5, self.budgets.host)

    def _book(self, name: str, host: str, cost: float, budget: int) -> None:
        """Add a cost to a debt; nothing to add halves it."""
        debt = self._debts.pop(name, 0.0)
        debt = debt + cost if cost >= 0 else debt / 2
        if debt < 0.25:
            return
        self._debts[name] = debt
        if debt >= budget:
            self._close(host, common_part(name))
        if len(self._debts) > KEPT:
            del self._debts[next(iter(self._debts))]

    def _close(self, host: str, beginning: str) -> None:
        """Remember how the spent URLs of a host begin; past a few dozen, any of its URLs may be one."""
        known = self._closed.get(host, ())
        if beginning not in known:
            self._closed[host] = (*known, beginning) if len(known) < _BEGINNINGS else (host,)

    def over_budget(self, url: Url) -> Refusal | None:
        """Return why a URL is not worth its request after what its kind has brought, or nothing."""
        host = url[: url.index("/", 8)]  # as host_of: each new link is asked about
        if self.budgets.host_pages and self._asked.get(host, 0) >= self.budgets.host_pages:
            return Refusal.HOST_SPENT
        if host in self._sessions.hosts and self._sessions.refuses(url):
            return Refusal.SESSION_ID
        if not url.startswith(self._closed.get(host, _NOTHING)):
            return None  # most hosts and most patterns: spare them the longer question
        if self._debts.get(host, 0.0) >= self.budgets.host:
            return Refusal.HOST_SPENT
        kind = pattern(url)
        if any(self._debts.get(name, 0.0) >= self.budgets.template for name in _kinds(kind)):
            return Refusal.CALENDAR if has_date(kind) else Refusal.TEMPLATE_SPENT
        return None


def _kinds(kind: str) -> Iterable[str]:
    """Return a pattern and, where it has a query, that of all queries on its path."""
    path, question, _ = kind.partition("?")
    return (kind, path + question) if question else (kind,)


_NOTHING = ("\n",)  # no URL begins so
_BEGINNINGS = 30
_CREDIBLE = 788_918_400.0  # 1995: an earlier time is a test's or an archive's that does not know
_HALVE = -1.0
_HOST_COST = {Novelty.FRESH: _HALVE, Novelty.STALE: 1.0, Novelty.FAILED: 0.5}


def _cost(page: PageSignature, kind: str) -> float:
    """Return what a page costs its pattern, by the table at the head of this file."""
    only_on = page.leads_only_on()
    if page.worth is Novelty.FAILED:
        return 0.5
    if page.worth is Novelty.FRESH:
        return 0.5 if only_on else _HALVE
    if page.new_home > page.new_own:
        return _HALVE
    if page.new_away:
        return 0.0
    if only_on or has_date(kind):
        return 5.0
    return 1.5 if page.own else 1.0
