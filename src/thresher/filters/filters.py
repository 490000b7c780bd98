"""The gate: which of the links that a strategy offers are queued, and why others are not.

Every strategy gets the same rules. A page is always kept and learned from; only its links may be refused: all
because of the page (nofollow, near-duplicate, copy), or one because of its URL (scope, depth, traps). What
the user named is not refused, whatever the rules say.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace
from typing_extensions import override

from thresher.core.enums import NO_NEW_PAGES, OUT_OF_SCOPE, REVISITS, Refusal, Request
from thresher.core.interfaces import Filters
from thresher.core.records import Candidate, FilterResult, Page, UniformOffers, Url, Visit
from thresher.core.url import host_of, key_of, same_domain
from thresher.filters.pages import Novelty, PageRules, PageSignature
from thresher.filters.traps import Traps
from thresher.filters.urls import Scope, common_part, pattern

BEYOND = OUT_OF_SCOPE | {Refusal.TOO_DEEP, Refusal.NOFOLLOW}
"""The refusals that say nothing of a site: where the user or an author has drawn a line."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(PageSignature).decode


@dataclass
class FilterChain(Filters):
    """Scope, depth, nofollow, canonical forms, duplicates and traps; without `rules` only the scope."""

    scope: Scope = Scope()
    traps: Traps = field(default_factory=Traps)
    pages: PageRules = field(default_factory=PageRules)
    rules: bool = True
    max_redirects: int = 10
    refused: Counter[Refusal] = field(default_factory=Counter)
    _new: list[PageSignature] = field(default_factory=list)  # since they were last saved

    @override
    def rule(self, offers: Iterable[Candidate], visit: Visit | None = None) -> FilterResult:
        """Say which offers count: none from a page that is not expanded; its canonical form does."""
        sighting = self._see(visit) if visit and self.rules else None
        ruling = FilterResult(
            offers if isinstance(offers, UniformOffers) else list(offers), [], visit, sighting
        )
        self._close(ruling)
        if visit and self.rules and visit.page and visit.candidate.kind not in NO_NEW_PAGES:
            canonical = self._canonical(visit.candidate, visit.page)
            ruling.offers = [*ruling.offers, *canonical] if canonical else ruling.offers
        return ruling

    @override
    def admit(self, ruling: FilterResult, new: Sequence[Candidate]) -> list[Candidate]:
        reasons = [self._refuses(candidate, ruling.visit) for candidate in new]
        judged = [*zip(new, reasons, strict=True)]
        self._refuse(ruling, [(candidate, reason) for candidate, reason in judged if reason])
        if ruling.sighting:
            ruling.within += [candidate for candidate, reason in judged if reason not in BEYOND]
        return [candidate for candidate, reason in judged if not reason]

    @override
    def conclude(self, ruling: FilterResult) -> None:
        if ruling.sighting:
            self._learn(_with_links(ruling.sighting, ruling.visit, ruling.within))

    @override
    def recheck(self, candidate: Candidate) -> Refusal | None:
        if not self.rules or candidate.kind in NO_NEW_PAGES:
            return None
        if candidate.kind is Request.SEED:
            return None
        if reason := self.traps.over_budget(candidate.url):
            self.refused[reason] += 1
        else:
            self.traps.count_request(candidate.url)
        return reason

    @override
    def changes(self) -> Sequence[bytes]:
        new, self._new = self._new, []
        return [*map(_encode, new)]

    @override
    def restore(self, pieces: Iterable[bytes]) -> None:
        for sighting in map(_decode, pieces):
            self._take_in(sighting)
            if sighting.counts:
                self.traps.count_request(sighting.url)

    def __str__(self) -> str:
        rules = "duplicates, canonical forms, traps" if self.rules else "no rules about pages"
        return f"Gate: {self.scope}; {rules}"

    def _learn(self, sighting: PageSignature) -> None:
        self._take_in(sighting)
        self._new.append(sighting)

    def _take_in(self, sighting: PageSignature) -> None:
        self.pages.remember(sighting)
        self.traps.learn(sighting)

    def _see(self, visit: Visit) -> PageSignature | None:
        """Return what a visit tells of its page, if it tells anything; a question is no page."""
        if visit.candidate.kind is Request.BACKLINKS:
            return None
        return self.pages.recheck(visit) if visit.candidate.kind in REVISITS else self.pages.see(visit)

    def _close(self, ruling: FilterResult) -> None:
        """Refuse the offers that are links of pages that are not expanded."""
        sighting: PageSignature | None = ruling.sighting
        if not self.pages.closed and not (sighting and sighting.closed):
            return
        sources = _sources(ruling.offers)
        closed = {url: why for url in sources if (why := self.pages.closed.get(key_of(url)))}
        if sighting:
            closed.pop(sighting.url, None)
            closed |= {sighting.url: sighting.closed} if sighting.closed else {}
        if closed:
            reasons = [closed.get(each.via.source) if each.via else None for each in ruling.offers]
            judged = [*zip(ruling.offers, reasons, strict=True)]
            self._refuse(ruling, [(offer, why) for offer, why in judged if why])
            ruling.offers = [offer for offer, why in judged if not why]

    def _refuse(self, ruling: FilterResult, refused: Sequence[tuple[Candidate, Refusal]]) -> None:
        self.refused.update(reason for _, reason in refused)
        ruling.refused += refused

    def _refuses(self, candidate: Candidate, visit: Visit | None) -> Refusal | None:
        if _is_free(candidate):
            return None
        if candidate.via is None and candidate.kind is not Request.LINK:
            return self._beyond_seed(candidate, visit)
        source = candidate.via.source if candidate.via else candidate.url
        return self.scope.refuses(candidate) or (
            self._needless(candidate.url, source) if self.rules else None
        )

    def _needless(self, url: Url, source: Url) -> Refusal | None:
        """Return why a URL within the scope is not worth a request by what is known of its site."""
        if self.pages.has_read_otherwise(url):
            return Refusal.OTHER_NAME
        return self.traps.refuses(url, source)

    def _beyond_seed(self, candidate: Candidate, visit: Visit | None) -> Refusal | None:
        """Return why a seed's redirect may not be followed: the user named the seed, not where it leads."""
        if visit and same_domain(candidate.url, visit.candidate.url):
            return None
        return self.scope.excludes(candidate.url)

    def _canonical(self, candidate: Candidate, page: Page) -> list[Candidate]:
        """Return the canonical form of a page as what it is, the page's redirect without a redirect."""
        target = page.canonical
        if target is None or target == page.url or candidate.redirects >= self.max_redirects:
            return []
        if not same_domain(target, page.url):
            return []  # who may speak for another site is not ours to decide
        return [replace(candidate, url=target, redirects=candidate.redirects + 1, kind=Request.CANONICAL)]


def _sources(offers: Sequence[Candidate]) -> set[Url]:
    """Return the pages that offers are links of."""
    if isinstance(offers, UniformOffers):
        return {link.source for link in offers.links}
    return {each.via.source for each in offers if each.via}


def _is_free(candidate: Candidate) -> bool:
    """Tell whether no rule concerns a request: the user's own word, a known page, a question about a page."""
    return candidate.kind is Request.SEED or candidate.kind in NO_NEW_PAGES


def _with_links(sighting: PageSignature, visit: Visit | None, new: Sequence[Candidate]) -> PageSignature:
    """Return what was seen of a page together with where its links lead, as far as the user lets us go."""
    if sighting.worth is Novelty.NEUTRAL:
        return sighting
    host, begins = f"{host_of(sighting.url)}/", common_part(pattern(sighting.url))
    links = visit.page.links if visit and visit.page else ()
    home = {link.target for link in links if link.target.startswith(host)}
    fresh = {offer.url for offer in new if offer.via and offer.via.source == sighting.url}
    new_home = {url for url in fresh if url.startswith(host)}
    return replace(
        sighting,
        own=sum([url.startswith(begins) for url in home]),
        home=len(home),
        new_own=sum([url.startswith(begins) for url in new_home]),
        new_home=len(new_home),
        new_away=len(fresh) - len(new_home),
    )
